import { GraphQLError } from 'graphql';
import type { JsonObject } from '#server/json-object.ts';
import type { RepeatedValues } from '../response/repeated-values.ts';
import type { ExecutionRequest } from './execution.ts';

/** The state of one execution: the data and errors that its fetches have returned so far. */
export class ExecutionContext {
  readonly request: ExecutionRequest;
  /** The merged answers of the subgraphs, before result coercion: they also contain keys that the client did not select. */
  readonly data: JsonObject = {};
  /** In the order in which the fetches failed or returned errors. */
  readonly errors: GraphQLError[] = [];
  repeatedValues: RepeatedValues | undefined;
  /** Entities for which a subgraph returned null, because they do not exist or the caller may not see them. */
  missingEntities: Set<unknown> | undefined;
  /** Whether no string in the data contains a character that JSON escapes. */
  hasNoEscapes = true;

  /** The services that did not answer a fetch of this execution in time, with the error of that fetch. */
  private timeouts: Map<string, GraphQLError> | undefined;

  constructor(request: ExecutionRequest) {
    this.request = request;
  }

  /** Adds an error to the response. */
  fail(thrown: unknown): void {
    this.errors.push(asGraphqlError(thrown));
  }

  /** Adds the error of a fetch from the service. */
  failFetch(service: string, thrown: unknown): void {
    const error = asGraphqlError(thrown);
    this.errors.push(error);
    if (error.extensions['code'] === 'UPSTREAM_TIMEOUT') (this.timeouts ??= new Map()).set(service, error);
  }

  /**
   * The error of a fetch that the service did not answer in time; undefined if there is none. Further queries to the
   * service are then not sent, because the client would probably wait as long again for each of them.
   */
  timeoutOf(service: string): GraphQLError | undefined {
    return this.timeouts?.get(service);
  }
}

export const asGraphqlError = (thrown: unknown): GraphQLError =>
  thrown instanceof GraphQLError
    ? thrown
    : new GraphQLError(
        thrown instanceof Error ? thrown.message : String(thrown),
        thrown instanceof Error ? { originalError: thrown } : {},
      );
