import type { Execution, ExecutionOptions, ExecutionSource } from '../execution/execution.ts';
import { ApolloExecution } from '../fallback/apollo-execution.ts';
import { fallbackReason } from '../fallback/fallback-reason.ts';
import { CompiledExecution } from './compiled-execution.ts';
import { refusalOfPlan } from './refused-plans.ts';

/**
 * Compiles the operation's plan and the shape of its response. Operations with a fallback reason are run by
 * @apollo/gateway's executor.
 * @throws GraphQLError for an operation whose plan would return wrong data
 */
export function prepareExecution(source: ExecutionSource, options: ExecutionOptions): Execution {
  const refusal = refusalOfPlan(source);
  if (refusal) throw refusal;
  const reason = fallbackReason(source);
  if (reason === undefined) return new CompiledExecution(source, options);
  options.onFallback?.(reason);
  return new ApolloExecution(source, options);
}
