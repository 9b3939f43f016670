import type { ExecutionResult, GraphQLError } from 'graphql';
import { asGraphqlError, ExecutionContext } from '../execution/execution-context.ts';
import type {
  Execution,
  ExecutionOptions,
  ExecutionRequest,
  ExecutionSource,
} from '../execution/execution.ts';
import type { PlanStep } from '../execution/plan-step.ts';
import { ApolloExecutor } from '../fallback/apollo-executor.ts';
import { isJsonObject } from '#server/json-object.ts';
import { coerceToJson } from '../response/coerce-to-json.ts';
import { coerceToValue } from '../response/coerce-to-value.ts';
import { coercionErrors, invalidValue } from '../response/coercion-errors.ts';
import type { ObjectShape } from '../response/response-shape.ts';
import { coercionToValue, ResultCoercion } from '../response/result-coercion.ts';
import { responseStart, resultJson } from '../response/result-json.ts';
import { shapesByCondition, type ByCondition } from '../response/shapes-by-condition.ts';
import { compilePlan } from './compile-plan.ts';

/** An operation whose plan and response shape are compiled. */
export class CompiledExecution implements Execution {
  readonly by = 'compiled';
  private readonly source: ExecutionSource;
  private readonly options: ExecutionOptions;
  private readonly plan: PlanStep | undefined;
  private readonly shapes: ByCondition<ObjectShape>;

  constructor(source: ExecutionSource, options: ExecutionOptions) {
    this.source = source;
    this.options = options;
    this.plan = compilePlan(source);
    this.shapes = shapesByCondition(source);
  }

  async toJson(request: ExecutionRequest): Promise<string> {
    const { formatError } = this.options;
    try {
      const shape = this.shapes.of(request.variables);
      const execution = await this.fetch(request);
      const coercion = new ResultCoercion(execution);
      const errors = allErrors(execution);
      const start = errors.length > 0 ? responseStart(errors, formatError) : '{"data":';
      const text = coerceToJson(start, shape, execution.data, coercion) ?? `${start}null`;
      if (this.needsApolloExecutor(coercion, execution))
        return resultJson(await this.coerceWithApollo(execution), formatError);
      return `${text}}`;
    } catch (error) {
      return resultJson(failed(request, error), formatError);
    }
  }

  async toResult(request: ExecutionRequest): Promise<ExecutionResult> {
    try {
      const shape = this.shapes.of(request.variables);
      const execution = await this.fetch(request);
      const coercion = coercionToValue();
      const data = (coerceToValue(shape, execution.data, coercion) ?? null) as ExecutionResult['data'];
      if (this.needsApolloExecutor(coercion, execution)) return await this.coerceWithApollo(execution);
      const errors = allErrors(execution);
      return errors.length > 0 ? { errors, data } : { data };
    } catch (error) {
      return failed(request, error);
    }
  }

  private async fetch(request: ExecutionRequest): Promise<ExecutionContext> {
    const execution = new ExecutionContext(request);
    await this.plan?.run(execution);
    this.source.removeRefusedValues?.(execution.data);
    return execution;
  }

  /**
   * Whether @apollo/gateway's executor has to coerce the data: the shapes cannot decide a value, or an invalid
   * value became null and no error reports that. Reports the fallback.
   */
  private needsApolloExecutor(
    { needsFallback, hasInvalidValue }: ResultCoercion,
    execution: ExecutionContext,
  ): boolean {
    const reason = needsFallback
      ? 'undecided value'
      : hasInvalidValue && allErrors(execution).length === 0
        ? 'invalid value'
        : undefined;
    if (reason) this.options.onFallback?.(reason);
    return reason !== undefined;
  }

  /**
   * Lets @apollo/gateway's executor coerce the fetched data. Its result is not used if it drops all data because of one
   * invalid value.
   */
  private async coerceWithApollo(execution: ExecutionContext): Promise<ExecutionResult> {
    const result = await new ApolloExecutor(this.source)
      .coerce(execution.data, execution.request)
      .catch((): ExecutionResult => ({}));
    const isUsable = !result.errors && isJsonObject(result.data);
    const data = isUsable ? (result.data ?? null) : this.ownData(execution);
    const known = allErrors(execution);
    if (known.length > 0) return { errors: known, data };
    const lost = coercionErrors(execution.data, data, execution.missingEntities);
    const isComplete = isUsable && lost.length === 0;
    const { extensions } = result;
    return {
      ...(!isComplete && { errors: lost.length > 0 ? lost : [invalidValue([])] }),
      data,
      ...(extensions && { extensions }),
    };
  }

  /** The data as our own result coercion returns it. */
  private ownData({ data, request }: ExecutionContext): ExecutionResult['data'] {
    const coercion = coercionToValue();
    return (coerceToValue(this.shapes.of(request.variables), data, coercion) ??
      null) as ExecutionResult['data'];
  }
}

const allErrors = ({ request, errors }: ExecutionContext): readonly GraphQLError[] =>
  request.errors?.length ? [...request.errors, ...errors] : errors;

/** The result without data if the operation cannot be executed, for example because of a null for @skip. */
const failed = (request: ExecutionRequest, error: unknown): ExecutionResult => ({
  errors: [...(request.errors ?? []), asGraphqlError(error)],
});
