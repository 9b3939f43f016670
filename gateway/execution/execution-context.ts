import { GraphQLError } from 'graphql';
import type { JsonObject } from '#server/json-object.ts';
import type { RepeatedValues } from '../response/repeated-values.ts';
import type { ExecutionRequest } from './execution.ts';

/** The state of one execution: the data and errors that its fetches have returned so far. */
export class ExecutionContext {
  readonly request: ExecutionRequest;
  /** The merged answers of the subgraphs, before result coercion: they also contain keys that the client did not select. */
  readonly data: JsonObject = {};
  /** In the order in which the fetches failed. */
  readonly errors: GraphQLError[] = [];
  repeatedValues: RepeatedValues | undefined;
  /** Entities for which a subgraph returned null, because they do not exist or the caller may not see them. */
  missingEntities: Set<unknown> | undefined;
  /** Whether no string in the data contains a character that JSON escapes. */
  hasNoEscapes = true;

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
