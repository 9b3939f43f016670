import { GraphQLError } from 'graphql';
import type { ExecutionRequest } from './execution.ts';
import type { Values } from './merge.ts';
import type { Shared } from './shared.ts';

/** One execution under way: what came together of its response so far. */
export class Run {
  readonly request: ExecutionRequest;
  /** As the subgraphs' answers make it up: with keys that nobody asked for, before it is given its shape. */
  readonly data: Values = {};
  /** In the order in which the fetches failed. */
  readonly errors: GraphQLError[] = [];
  shared: Shared | undefined;
  /** Entities that a service which was asked for more of them does not know, or does not show to the caller. */
  gone: Set<unknown> | undefined;
  /** Whether no string in the data holds anything that JSON escapes. */
  isPlain = true;

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
