import { GraphQLError } from 'graphql';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import type { RepeatedValues } from '../response/repeated-values.ts';
import type { ExecutionRequest } from './execution.ts';

/** The state of one execution: the data and errors that its fetches have returned so far. */
export class ExecutionContext {
  readonly request: ExecutionRequest;
  /** The merged answers of the subgraphs, before result coercion: they also contain keys that the client did not select. */
  readonly data: JsonObject;
  /** In the order in which the fetches failed or returned errors. */
  readonly errors: GraphQLError[] = [];
  repeatedValues: RepeatedValues | undefined;
  /** Entities for which a subgraph returned null, because they do not exist or the caller may not see them. */
  missingEntities: Set<unknown> | undefined;
  /** Whether no string in the data contains a character that JSON escapes. */
  hasNoEscapes = true;

  /** The services that did not answer a fetch of this execution in time, with the error of that fetch. */
  private timeouts: Map<string, GraphQLError> | undefined;

  /** Called after each fetch on which a deferred part depends, with the id of the fetch. */
  onFetched: ((id: string) => void) | undefined;

  constructor(request: ExecutionRequest, data: JsonObject = {}) {
    this.request = request;
    this.data = data;
  }

  /**
   * A context for the fetches of a deferred part, which begins with a copy of this one's data. Neither changes the data of
   * the other, and each has its own errors.
   */
  fork(): ExecutionContext {
    const copies = new Map<object, object>();
    const fork = new ExecutionContext(this.request, copyInto(this.data, copies) as JsonObject);
    fork.hasNoEscapes = this.hasNoEscapes;
    fork.timeouts = this.timeouts && new Map(this.timeouts);
    if (this.repeatedValues)
      fork.repeatedValues = new Map(
        [...this.repeatedValues.keys()].map((value) => [
          copies.get(value as object),
          { shape: undefined, text: '' },
        ]),
      );
    fork.missingEntities = this.missingEntities && copiesOf(this.missingEntities, copies);
    return fork;
  }

  /** Adds what another context has fetched and this one has not. */
  complete({ data, missingEntities, hasNoEscapes, timeouts }: ExecutionContext): void {
    addMissing(this.data, data);
    if (!hasNoEscapes) this.hasNoEscapes = false;
    for (const [service, error] of timeouts ?? []) (this.timeouts ??= new Map()).set(service, error);
    if (missingEntities)
      this.missingEntities = new Set([...(this.missingEntities ?? []), ...missingEntities]);
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

/** A deep copy; a value that is at several places is copied once. */
function copyInto(value: unknown, copies: Map<object, object>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const element of value) list.push(copyInto(element, copies));
    return list;
  }
  const copy: JsonObject = {};
  copies.set(value, copy);
  for (const [key, inside] of Object.entries(value))
    if (key !== '__proto__') copy[key] = copyInto(inside, copies);
  return copy;
}

const copiesOf = (values: ReadonlySet<unknown>, copies: ReadonlyMap<object, object>): Set<unknown> =>
  new Set([...values].map((value) => copies.get(value as object)));

/**
 * Adds the values that the target lacks. Lists of different lengths come from different states of a service: the target keeps
 * its own list.
 */
function addMissing(target: JsonObject, source: JsonObject): void {
  for (const [key, value] of Object.entries(source)) {
    const known = target[key];
    if (key === '__proto__') continue;
    if (known === undefined) target[key] = value;
    else addMissingIn(known, value);
  }
}

function addMissingIn(target: unknown, source: unknown): void {
  if (Array.isArray(target) && Array.isArray(source)) {
    if (target.length === source.length)
      for (const [index, element] of target.entries()) addMissingIn(element, source[index]);
  } else if (isJsonObject(target) && isJsonObject(source)) addMissing(target, source);
}

export const asGraphqlError = (thrown: unknown): GraphQLError =>
  thrown instanceof GraphQLError
    ? thrown
    : new GraphQLError(
        thrown instanceof Error ? thrown.message : String(thrown),
        thrown instanceof Error ? { originalError: thrown } : {},
      );
