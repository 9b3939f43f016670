import type { ExecutionResult, GraphQLError } from 'graphql';
import { asGraphqlError } from '../execution/execution-context.ts';
import type {
  Execution,
  ExecutionOptions,
  ExecutionRequest,
  ExecutionSource,
} from '../execution/execution.ts';
import { invalidValue } from '../response/coercion-errors.ts';
import type { ResponsePath } from '../response/response-path.ts';
import { resultJson } from '../response/result-json.ts';
import { ApolloExecutor } from './apollo-executor.ts';

/** An operation that @apollo/gateway's executor runs. */
export class ApolloExecution implements Execution {
  readonly by = 'apollo';
  private readonly executor: ApolloExecutor;
  private readonly options: ExecutionOptions;

  constructor(source: ExecutionSource, options: ExecutionOptions) {
    this.executor = new ApolloExecutor(source);
    this.options = options;
  }

  async toJson(request: ExecutionRequest): Promise<string> {
    return resultJson(await this.toResult(request), this.options.formatError);
  }

  async toResult(request: ExecutionRequest): Promise<ExecutionResult> {
    const before = request.errors ?? [];
    try {
      const { errors = [], ...rest } = await this.executor.run(request);
      const all = [...before, ...errors.map(asGraphqlError)];
      if (all.length === 0) all.push(...invalidValuesOf(rest));
      return all.length > 0 ? { errors: all, ...rest } : rest;
    } catch (error) {
      return { errors: [...before, asGraphqlError(error)] };
    }
  }
}

/** @apollo/gateway reports invalid values in `extensions.valueCompletion` only; clients look for them in `errors`. */
function invalidValuesOf({ extensions, data }: ExecutionResult): GraphQLError[] {
  const reported = extensions?.valueCompletion as readonly { path?: ResponsePath }[] | undefined;
  if (reported?.length) return reported.map(({ path = [] }) => invalidValue(path));
  return data ? [] : [invalidValue([])];
}
