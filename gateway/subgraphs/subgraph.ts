import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import type { GatewayContext } from '../context/gateway-context.ts';

/** One GraphQL request to a subgraph. */
export interface SubgraphRequest {
  /** JSON text: `{"query", "operationName"?, "variables"?}`. */
  readonly body: string;
  /**
   * A query may be sent once more, and may share its answer with equal queries of the caller. A mutation is sent once more
   * only if its connection was refused.
   */
  readonly kind: 'query' | 'mutation';
  readonly context: GatewayContext;
  /**
   * The state of the data for which the answer will be cached: it changes with every change of which this gateway is notified.
   * The answer is not shared with a query that was sent in another state, because that answer may be older than the change.
   */
  readonly dataState?: string | undefined;
  /** Files by the path of the `null` that replaces them in the request, e.g. `variables.file`. */
  readonly files?: ReadonlyMap<string, Promise<FileUpload>>;
}

/** An error as a subgraph sent it; neither its shape nor its content can be trusted. */
export interface SubgraphError {
  readonly message?: unknown;
  readonly path?: unknown;
  readonly extensions?: unknown;
}

/** A subgraph's answer. It belongs to its receiver, which may merge other answers into it. */
export interface SubgraphAnswer {
  data?: Record<string, unknown> | null;
  errors?: readonly SubgraphError[];
  extensions?: Record<string, unknown>;
  /** `isEscapeFree` of the answer's text; absent if the text was not checked. A subgraph cannot set it. */
  hasNoEscapes?: boolean;
}

/**
 * Whether no string in a JSON text contains an escaped character, so that each can be written into the response without a
 * scan. JSON escapes with backslashes only, and a parser refuses a character that must be escaped and is not (RFC 8259,
 * section 7).
 */
export const isEscapeFree = (text: string): boolean => !text.includes('\\');

/** The connection to a subgraph. */
export interface Subgraph {
  readonly name: string;
  /** Its GraphQL endpoint. */
  readonly url: string;
  /**
   * The subgraph's answer if it is a GraphQL response, whatever its status.
   * @throws GraphQLError with UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT, which contains the service's name, but no address or body
   */
  send(request: SubgraphRequest): Promise<SubgraphAnswer>;
  close(): Promise<void>;
}
