import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import type { GatewayContext } from '../context/gateway-context.ts';

/** One GraphQL request to a subgraph. */
export interface SubgraphRequest {
  /** As JSON text: `{"query", "operationName"?, "variables"?}`. */
  readonly body: string;
  /** A query may be sent a second time, and one answer may serve equal queries of one caller; a mutation never. */
  readonly kind: 'query' | 'mutation';
  readonly context: GatewayContext;
  /** Files by the path of the `null` in the request that stands for each, e.g. `variables.file`. */
  readonly files?: ReadonlyMap<string, Promise<FileUpload>>;
}

/** An error as a subgraph tells it: not to be trusted in shape or content. */
export interface SubgraphError {
  readonly message?: unknown;
  readonly path?: unknown;
  readonly extensions?: unknown;
}

/** The receiver's own: it may merge into it. */
export interface SubgraphAnswer {
  data?: Record<string, unknown> | null;
  errors?: readonly SubgraphError[];
  extensions?: Record<string, unknown>;
  /** `hasNoEscapes` of its text; absent where that is not known. Not for the subgraph to say. */
  hasNoEscapes?: boolean;
}

/**
 * Whether no string in a JSON text holds anything that is escaped: then none needs to be looked at when it is written
 * again. JSON escapes by nothing but backslashes, and what has to be escaped is refused without one (RFC 8259, section 7).
 */
export const isEscapeFree = (text: string): boolean => !text.includes('\\');

/** A subgraph as the executors reach it. */
export interface Subgraph {
  readonly name: string;
  /** Its GraphQL endpoint. */
  readonly url: string;
  /**
   * Its answer, whatever the status, where it is one in GraphQL's form.
   * @throws GraphQLError with UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT, which names the service and nothing else of it
   */
  send(request: SubgraphRequest): Promise<SubgraphAnswer>;
  close(): Promise<void>;
}
