import { GraphQLError } from 'graphql';
import type { ExecutionRequest } from './execution.ts';
import type { Values } from './merge.ts';

/** One execution under way: what came together of its response so far. */
export class Run {
  readonly request: ExecutionRequest;
  /** As the subgraphs' answers make it up: with keys that nobody asked for, before it is given its shape. */
  readonly data: Values = {};
  /** In the order in which the fetches failed. */
  readonly errors: GraphQLError[] = [];
  /** Objects and lists that stand at several places, because one answer served several equal entities. */
  shared: Set<object> | undefined;

  constructor(request: ExecutionRequest) {
    this.request = request;
  }

  fail(thrown: unknown): void {
    this.errors.push(asGraphqlError(thrown));
  }
}

export const asGraphqlError = (thrown: unknown): GraphQLError =>
  thrown instanceof GraphQLError
    ? thrown
    : new GraphQLError(
        thrown instanceof Error ? thrown.message : String(thrown),
        thrown instanceof Error ? { originalError: thrown } : {},
      );
