import type { GraphQLError } from 'graphql';
import type { ExecutionSource } from '../execution/execution.ts';
import { refusalOfMergedArguments } from './required-arguments.ts';
import { refusalOfUnresolvableKeys } from './unresolvable-keys.ts';

/**
 * The refusal of an operation for which the planner makes a plan with a wrong result; undefined for all others. Each fault
 * has a case in `tests/gateway/planner-faults.test.ts`.
 */
export const refusalOfPlan = ({
  graph,
  document,
  plan,
}: Pick<ExecutionSource, 'graph' | 'document' | 'plan'>): GraphQLError | undefined =>
  refusalOfMergedArguments(graph.supergraphSchema, document) ?? refusalOfUnresolvableKeys(graph, plan);
