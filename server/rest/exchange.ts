import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestContext } from '../http/request-context.ts';
import type { MultipartBody } from './multipart.ts';

/** The parsed body of a request; without a value if the route declares no body. */
export interface RequestBody {
  /** The parsed JSON, or the fields of a form; undefined without a body. */
  readonly value: unknown;
  /** Present if the body is multipart/form-data. */
  readonly multipart?: MultipartBody;
}

/**
 * A request to a declared route, and its answer. Implementations: `express-exchange.ts`, `dispatched-exchange.ts` for the
 * requests that do not pass through Express.
 */
export interface Exchange {
  readonly method: string;
  /** The request's target at this server: path and query. */
  readonly url: string;
  readonly path: string;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly context: RequestContext;
  /** The bytes of the body, for a route that `consumes` a stream. */
  readonly stream: Readable;
  /** @throws PlatformError, or an error that `platformErrorOf` knows, for a body that the route does not accept */
  readBody(): Promise<RequestBody>;
  /** Adds headers to the answer, whether it will be a reply or a problem. */
  set(headers: Readonly<Record<string, string>>): void;
  /**
   * Sends the answer. A text gets an `ETag` if it has none, a stream does not; a GET whose `If-None-Match` names the tag
   * of the answer gets 304.
   */
  send(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer | Readable | undefined,
  ): Promise<void>;
}
