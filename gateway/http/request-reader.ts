import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import type { Graph } from '../operations/graph.ts';
import type { PersistedOperations } from '../operations/persisted-operations.ts';
import type { PreparedOperation } from '../operations/prepared-operation.ts';

/** A request whose operation is ready, with variables that fit. Whether its caller may run it is not known here: `isForAnonymous`. */
export interface PreparedRequest {
  readonly operation: PreparedOperation;
  /** As it was asked for. */
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly rawVariables: Readonly<Record<string, unknown>>;
}

/** Longer ones are read anew each time: they hold what somebody has written, and do not come twice. */
const REMEMBERED_CHARACTERS = 4_096;
const REMEMBERED_BODIES = 500;
const MAX_BYTES = 32 * 1024 * 1024; // 32 MiB

/**
 * Reads the bodies of requests. Clients send the same few again and again, so what a text meant is remembered; not who
 * sent it, nor what was answered.
 */
export class RequestReader {
  private readonly graph: Graph;
  private readonly persisted: PersistedOperations;
  private readonly remembered = boundedCache<string, PreparedRequest>({
    name: 'request_bodies',
    maxEntries: REMEMBERED_BODIES,
    maxBytes: MAX_BYTES,
    // Each keeps its operation alive.
    bytesOf: ({ operation }, text) => 2 * bytesOfText(text) + operation.bytes,
  });

  constructor(graph: Graph, persisted: PersistedOperations) {
    this.graph = graph;
    this.persisted = persisted;
    graph.onLoad(() => this.remembered.clear());
  }

  /** What this text was read as before. */
  known(text: string): PreparedRequest | undefined {
    if (text.length > REMEMBERED_CHARACTERS) return undefined;
    const request = this.remembered.get(text);
    // Asked for there as well, so that it counts as used.
    if (request) this.graph.current.operations.known(request.operation.source, request.operationName);
    return request;
  }

  /** Undefined where anything of it is for the server behind: unknown, not well-formed, or refused. */
  read(text: string, body: unknown): PreparedRequest | undefined {
    const request = this.requestIn(body);
    if (request && isRemembered(text, body)) this.remembered.set(text, request);
    return request;
  }

  private requestIn(body: unknown): PreparedRequest | undefined {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
    const { query, operationName, variables = null, extensions } = body as Record<string, unknown>;
    if (typeof variables !== 'object' || Array.isArray(variables)) return undefined;
    if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
      return undefined;
    if (extensions !== undefined && (typeof extensions !== 'object' || Array.isArray(extensions)))
      return undefined;
    const source = this.textOf(query, extensions);
    if (source === undefined) return undefined;
    const name = operationName || undefined;
    const operation = this.graph.current.operations.known(source, name);
    // Whether the schema may be asked for depends on the caller, whom the server behind looks at.
    if (!operation || operation.asksForSchema) return undefined;
    const rawVariables = (variables ?? {}) as Record<string, unknown>;
    const admitted = operation.admit(rawVariables, 'anybody');
    if ('errors' in admitted) return undefined;
    return { operation, operationName: name, variables: admitted.coerced, rawVariables };
  }

  private textOf(query: unknown, extensions: unknown): string | undefined {
    try {
      return this.persisted.textOf({ query, extensions });
    } catch {
      return undefined;
    }
  }
}

/** Not where it brings a persisted operation along: that has to be taken in each time, as it may be forgotten meanwhile. */
const isRemembered = (text: string, body: unknown): boolean =>
  text.length <= REMEMBERED_CHARACTERS && !(body as { extensions?: unknown }).extensions;
