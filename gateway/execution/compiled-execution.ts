import type { ExecutionResult, GraphQLError } from 'graphql';
import { compilePlan } from './compile-plan.ts';
import type { Execution, ExecutionOptions, ExecutionRequest, ExecutionSource } from './execution.ts';
import { ResponseShapes } from './response-shapes.ts';
import { responseStart, resultText } from './result-text.ts';
import { errorsOfLostValues, misshapen } from './lost-values.ts';
import { asGraphqlError, Run } from './run.ts';
import { Shaping } from './shaping.ts';
import { isValues } from './merge.ts';
import type { Step } from './step.ts';
import { StockExecutor } from './stock.ts';
import { toValue } from './to-value.ts';
import { writeJson } from './write-json.ts';

/** An operation whose plan and whose response's shape are compiled. */
export class CompiledExecution implements Execution {
  readonly by = 'compiled';
  private readonly source: ExecutionSource;
  private readonly options: ExecutionOptions;
  private readonly plan: Step | undefined;
  private readonly shapes: ResponseShapes;

  constructor(source: ExecutionSource, options: ExecutionOptions) {
    this.source = source;
    this.options = options;
    this.plan = compilePlan(source);
    this.shapes = new ResponseShapes(source);
  }

  async toJson(request: ExecutionRequest): Promise<string> {
    const { formatError } = this.options;
    try {
      const shape = this.shapes.of(request.variables);
      const run = await this.run(request);
      const shaping = new Shaping(run);
      const errors = allErrors(run);
      const start = errors.length > 0 ? responseStart(errors, formatError) : '{"data":';
      const text = writeJson(start, shape, run.data, shaping) ?? `${start}null`;
      if (this.isBeyond(shaping, run)) return resultText(await this.shapeAgain(run), formatError);
      return `${text}}`;
    } catch (error) {
      return resultText(refused(request, error), formatError);
    }
  }

  async toResult(request: ExecutionRequest): Promise<ExecutionResult> {
    try {
      const shape = this.shapes.of(request.variables);
      const run = await this.run(request);
      const shaping = new Shaping({ shared: undefined, isPlain: false });
      const data = (toValue(shape, run.data, shaping) ?? null) as ExecutionResult['data'];
      if (this.isBeyond(shaping, run)) return await this.shapeAgain(run);
      const errors = allErrors(run);
      return errors.length > 0 ? { errors, data } : { data };
    } catch (error) {
      return refused(request, error);
    }
  }

  private async run(request: ExecutionRequest): Promise<Run> {
    const run = new Run(request);
    await this.plan?.run(run);
    this.source.withhold?.(run.data);
    return run;
  }

  /** Whether the response holds less than the services gave, and no error says so. */
  private isBeyond({ odd, broken }: Shaping, run: Run): boolean {
    const beyond = odd ? 'odd answer' : broken && allErrors(run).length === 0 ? 'broken answer' : undefined;
    if (beyond) this.options.onFallback?.(beyond);
    return beyond !== undefined;
  }

  /** With what @apollo/gateway's executor makes of an odd answer, unless that drops all data for one wrong value. */
  private async shapeAgain(run: Run): Promise<ExecutionResult> {
    const result = await new StockExecutor(this.source)
      .shape(run.data, run.request)
      .catch((): ExecutionResult => ({}));
    const isOfUse = !result.errors && isValues(result.data);
    const data = isOfUse ? (result.data ?? null) : this.ownData(run);
    const told = allErrors(run);
    if (told.length > 0) return { errors: told, data };
    const lost = errorsOfLostValues(run.data, data, run.gone);
    const isSilent = isOfUse && lost.length === 0;
    const { extensions } = result;
    return {
      ...(!isSilent && { errors: lost.length > 0 ? lost : [misshapen([])] }),
      data,
      ...(extensions && { extensions }),
    };
  }

  private ownData({ data, request }: Run): ExecutionResult['data'] {
    const shaping = new Shaping({ shared: undefined, isPlain: false });
    return (toValue(this.shapes.of(request.variables), data, shaping) ?? null) as ExecutionResult['data'];
  }
}

const allErrors = ({ request, errors }: Run): readonly GraphQLError[] =>
  request.errors?.length ? [...request.errors, ...errors] : errors;

const refused = (request: ExecutionRequest, error: unknown): ExecutionResult => ({
  errors: [...(request.errors ?? []), asGraphqlError(error)],
});
