import type { ExecutionContext } from '../execution/execution-context.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import { isJsonObject } from '#server/json-object.ts';
import { valuesAt, type FlattenPath } from '../response/response-path.ts';
import type { SubgraphAnswer } from '../subgraphs/subgraph.ts';
import type { FetchRequest } from './fetch-request.ts';
import { merge } from './merge.ts';
import type { Rewriter } from './rewrites.ts';
import { errorsOf } from './subgraph-errors.ts';

interface RootFetchOptions {
  readonly serviceName: string;
  /** The object that gets the fields: the root of the response in almost all plans. */
  readonly path: FlattenPath;
  readonly rewrite: Rewriter | undefined;
  /** Sends the request, or returns an answer that exists already. */
  readonly answer: Pick<FetchRequest, 'send'>;
}

/** A fetch of root fields. */
export class RootFetch implements PlanStep {
  private readonly options: RootFetchOptions;

  constructor(options: RootFetchOptions) {
    this.options = options;
  }

  async run(execution: ExecutionContext): Promise<void> {
    const { path, answer, serviceName } = this.options;
    try {
      const targets = path.length === 0 ? [execution.data] : valuesAt(execution.data, path);
      if (targets.length > 0) this.mergeAnswer(await answer.send(execution), targets, execution);
    } catch (error) {
      execution.failFetch(serviceName, error);
    }
  }

  private mergeAnswer(
    answer: SubgraphAnswer,
    targets: readonly unknown[],
    execution: ExecutionContext,
  ): void {
    const { path, rewrite, serviceName } = this.options;
    const { data, errors } = answer;
    if (!answer.hasNoEscapes) execution.hasNoEscapes = false;
    if (errors)
      for (const error of errorsOf(errors, serviceName, (inAnswer) => [[...path, ...inAnswer]]))
        execution.errors.push(error);
    if (!isJsonObject(data)) return;
    rewrite?.(data);
    for (const target of targets) if (isJsonObject(target)) merge(target, data);
  }
}
