import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import type { Graph } from '../operations/graph.ts';
import type { OperationReference, PersistedOperations } from '../operations/persisted-operations.ts';
import type { PreparedOperation } from '../operations/prepared-operation.ts';

/**
 * A request for a prepared operation, with coerced variables. It is not checked yet by the limits of callers without a
 * token (`PreparedOperation.isForAnonymous`).
 */
export interface PreparedRequest {
  readonly operation: PreparedOperation;
  /** As the client sent it. */
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly rawVariables: Readonly<Record<string, unknown>>;
}

/** Longer bodies are not remembered: they probably contain text of a user, and are not repeated. */
const REMEMBERED_CHARACTERS = 4_096;
const REMEMBERED_BODIES = 500;
const MAX_BYTES = 32 * 1024 * 1024; // 32 MiB

/**
 * Reads request bodies. Clients send the same few bodies many times, so the result is remembered by the body's text. The
 * result does not depend on the caller, and contains nothing of the response.
 */
export class RequestReader {
  private readonly graph: Graph;
  private readonly persisted: PersistedOperations;
  private readonly byText = boundedCache<string, PreparedRequest>({
    name: 'request_bodies',
    maxEntries: REMEMBERED_BODIES,
    maxBytes: MAX_BYTES,
    // Each entry keeps its operation alive.
    bytesOf: ({ operation }, text) => 2 * bytesOfText(text) + operation.bytes,
  });

  constructor(graph: Graph, persisted: PersistedOperations) {
    this.graph = graph;
    this.persisted = persisted;
    graph.onLoad(() => this.byText.clear());
    persisted.onChange(() => this.byText.clear());
  }

  remembered(text: string): PreparedRequest | undefined {
    if (text.length > REMEMBERED_CHARACTERS) return undefined;
    const request = this.byText.get(text);
    // This look-up marks the operation as recently used, so that its cache does not drop it.
    if (request) this.graph.current.operations.known(request.operation.source, request.operationName);
    return request;
  }

  /** Undefined if Apollo Server has to handle the request: its operation is unknown, malformed or refused. */
  read(text: string, body: unknown): PreparedRequest | undefined {
    const request = this.requestIn(body);
    if (request && mayRemember(text, body)) this.byText.set(text, request);
    return request;
  }

  private requestIn(body: unknown): PreparedRequest | undefined {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
    const {
      query,
      operationName,
      variables = null,
      extensions,
      documentId,
    } = body as Record<string, unknown>;
    if (typeof variables !== 'object' || Array.isArray(variables)) return undefined;
    if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
      return undefined;
    if (extensions !== undefined && (typeof extensions !== 'object' || Array.isArray(extensions)))
      return undefined;
    const source = this.textOf({ query, extensions, documentId });
    if (source === undefined) return undefined;
    const name = operationName || undefined;
    const operation = this.graph.current.operations.known(source, name);
    // The right to introspection depends on the caller; Apollo Server's plugin checks it.
    if (!operation || operation.asksForSchema) return undefined;
    const rawVariables = (variables ?? {}) as Record<string, unknown>;
    const admitted = operation.admit(rawVariables, 'anybody');
    if ('errors' in admitted) return undefined;
    return { operation, operationName: name, variables: admitted.coerced, rawVariables };
  }

  private textOf(reference: OperationReference): string | undefined {
    try {
      return this.persisted.textOf(reference);
    } catch {
      return undefined;
    }
  }
}

/** A persisted query is read every time, because reading adds its text again if the cache of texts has dropped it. */
const mayRemember = (text: string, body: unknown): boolean =>
  text.length <= REMEMBERED_CHARACTERS && !(body as { extensions?: unknown }).extensions;
