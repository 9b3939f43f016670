import type { ExecutionResult, GraphQLError } from 'graphql';
import { CompiledExecution } from './compiled-execution.ts';
import type { Execution, ExecutionOptions, ExecutionRequest, ExecutionSource } from './execution.ts';
import { misshapen } from './lost-values.ts';
import type { ResponsePath } from './response-path.ts';
import { mergedRequirement } from './required-arguments.ts';
import { reasonAgainstCompiling } from './rare.ts';
import { asGraphqlError } from './run.ts';
import { StockExecutor } from './stock.ts';
import { resultText } from './result-text.ts';

/**
 * Compiles an operation's plan and the shape of its response; what is rare is left to @apollo/gateway's executor.
 * @throws GraphQLError for an operation whose plan would give wrong data
 */
export function prepareExecution(source: ExecutionSource, options: ExecutionOptions): Execution {
  const refusal = mergedRequirement(source.graph.supergraphSchema, source.document);
  if (refusal) throw refusal;
  const reason = reasonAgainstCompiling(source);
  if (reason === undefined) return new CompiledExecution(source, options);
  options.onFallback?.(reason);
  return new StockExecution(source, options);
}

/** @apollo/gateway tells in the extensions only where an answer breaks the schema's promises. */
function brokenPromises({ extensions, data }: ExecutionResult): GraphQLError[] {
  const told = extensions?.valueCompletion as readonly { path?: ResponsePath }[] | undefined;
  if (told?.length) return told.map(({ path = [] }) => misshapen(path));
  return data ? [] : [misshapen([])];
}

class StockExecution implements Execution {
  readonly by = 'gateway';
  private readonly executor: StockExecutor;
  private readonly options: ExecutionOptions;

  constructor(source: ExecutionSource, options: ExecutionOptions) {
    this.executor = new StockExecutor(source);
    this.options = options;
  }

  async toJson(request: ExecutionRequest): Promise<string> {
    return resultText(await this.toResult(request), this.options.formatError);
  }

  async toResult(request: ExecutionRequest): Promise<ExecutionResult> {
    const before = request.errors ?? [];
    try {
      const { errors = [], ...rest } = await this.executor.run(request);
      const all = [...before, ...errors.map(asGraphqlError)];
      if (all.length === 0) all.push(...brokenPromises(rest));
      return all.length > 0 ? { errors: all, ...rest } : rest;
    } catch (error) {
      return { errors: [...before, asGraphqlError(error)] };
    }
  }
}
