import { isValues, merge } from './merge.ts';
import type { FetchRequest } from './fetch-request.ts';
import { valuesAt, type FlattenPath } from './response-path.ts';
import type { Rewriter } from './rewrites.ts';
import type { Run } from './run.ts';
import type { Step } from './step.ts';
import { errorsOf } from './subgraph-errors.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';

export interface RootFetchOptions {
  readonly serviceName: string;
  /** Whose fields they are: the root itself in almost all plans. */
  readonly path: FlattenPath;
  readonly rewrite: Rewriter | undefined;
  /** Asks the subgraph, or gives the answer that is there already. */
  readonly answer: Pick<FetchRequest, 'send'>;
}

/** A fetch of root fields. */
export class RootFetch implements Step {
  private readonly options: RootFetchOptions;

  constructor(options: RootFetchOptions) {
    this.options = options;
  }

  async run(run: Run): Promise<void> {
    const { path, answer } = this.options;
    try {
      const targets = path.length === 0 ? [run.data] : valuesAt(run.data, path);
      if (targets.length > 0) this.take(await answer.send(run), targets, run);
    } catch (error) {
      run.fail(error);
    }
  }

  private take(answer: SubgraphAnswer, targets: readonly unknown[], run: Run): void {
    const { path, rewrite, serviceName } = this.options;
    const { data, errors } = answer;
    if (!answer.isPlain) run.isPlain = false;
    if (errors)
      for (const error of errorsOf(errors, serviceName, (inAnswer) => [[...path, ...inAnswer]]))
        run.errors.push(error);
    if (!isValues(data)) return;
    rewrite?.(data);
    for (const target of targets) if (isValues(target)) merge(target, data);
  }
}
