import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Express, Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { PlatformError } from '#server/errors.ts';
import { readBytes } from '#server/http/read-body.ts';
import { mayRetry } from '#server/http/may-retry.ts';
import type { RequestContext } from '#server/http/request-context.ts';
import { sendProblem } from '#server/rest/problem.ts';
import { streamOf } from '#server/streams.ts';
import { TimeLimited } from '../tuned-for-v8/time-limit.ts';
import { removeHopByHop } from './hop-by-hop-headers.ts';
import type { ServiceConnections } from './service-connections.ts';

interface ForwardedMessage {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The path and query at the service. */
  readonly path: string;
  readonly service: string;
  /** The Express application, because a problem document is sent by a response of Express. */
  readonly app: Express;
  readonly context: RequestContext;
  /** The headers that every response of the gateway has; those of the service replace them. */
  readonly headers: Record<string, string>;
  /** The value of `Connection` in the response. */
  readonly connection: 'close' | 'keep-alive';
  /** The request's target at the gateway. */
  readonly url: string;
}

/** A larger body, or one without a declared length, is streamed. */
const READ_WHOLE_BYTES = 64 * 1024; // 64 KiB

class ServiceTimeoutError extends Error {}
class BodyTimeoutError extends Error {}

/**
 * One request on its way to a service, and its response on the way back. Neither is kept in memory as a whole, except a
 * small body of a request, whose stream would cost more than the request.
 *
 * It is a handler of undici's `dispatch`, without the streams of undici's `request`.
 */
export class ForwardedRequest extends TimeLimited implements Dispatcher.DispatchHandler {
  private readonly message: ForwardedMessage;
  private readonly connections: ServiceConnections;
  /** Whether the service wants more of the request's body than the client has sent. */
  private isBodyAwaited = false;
  private controller: Dispatcher.DispatchController | undefined;
  private failure: Error | undefined;
  private isOver = false;
  /** Whether the request is one of the service's pending requests. */
  private isPending = false;
  /** The request's body, if it can be sent again; null if it has none. Undefined for a stream, which has been read in part. */
  private retriableBody: Buffer | null | undefined;
  private isRetried = false;

  constructor(message: ForwardedMessage, connections: ServiceConnections) {
    super();
    this.message = message;
    this.connections = connections;
  }

  send(): void {
    const { req } = this.message;
    if (!hasBody(req)) return this.dispatch(null);
    // undici destroys the stream that it gets, and with `req` it would destroy the client's connection.
    if (!(Number(req.headers['content-length']) <= READ_WHOLE_BYTES))
      return this.dispatch(streamOf(this.chunksOf(req.iterator({ destroyOnReturn: false }))));
    readBytes(req, (bytes) => {
      if (bytes) this.dispatch(bytes);
    });
  }

  private dispatch(body: Buffer | Readable | null): void {
    const { res } = this.message;
    if (res.destroyed) return; // the client has left
    if (!this.connections.begin()) {
      this.isOver = true;
      return this.fail(new Error('too many requests wait for the service'));
    }
    this.isPending = true;
    this.connections.idle.begin(this);
    if (body === null || Buffer.isBuffer(body)) this.retriableBody = body;
    this.sendOver(this.connections.pool, body);
  }

  private sendOver(pool: Dispatcher, body: Buffer | Readable | null): void {
    const { req, path } = this.message;
    pool.dispatch(
      { method: req.method as Dispatcher.HttpMethod, path, headers: headersOf(req.headers), body },
      this,
    );
  }

  /** Sends the request once more, unless the service could then execute a write twice. @returns whether it was sent */
  private retry(error: Error): boolean {
    const { req, res } = this.message;
    const { retriableBody: body } = this;
    if (this.isRetried || this.failure || body === undefined || res.headersSent) return false;
    if (!mayRetry(error, req.method === 'GET' || req.method === 'HEAD')) return false;
    this.isRetried = true;
    this.controller = undefined;
    this.sendOver(this.connections.newConnections, body);
    return true;
  }

  /** The client's connection has closed; if it closed too early, nobody waits for the response. */
  clientLeft(): void {
    if (!this.isOver) this.abort(new Error('the client has left'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure) controller.abort(this.failure); // it failed while it waited for a connection
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    answered: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    this.restartTimeLimit();
    if (status < 200) return; // informational: the final response follows
    const { res, headers, connection } = this.message;
    removeHopByHop(answered);
    delete answered['transfer-encoding']; // Node frames the response itself
    answered.connection = connection;
    for (const name in headers) {
      const lower = LOWER_CASE.get(name) ?? lowerCaseOf(name);
      answered[lower] ??= headers[name];
    }
    res.writeHead(status, statusText, answered);
    res.on('drain', () => {
      this.restartTimeLimit();
      controller.resume();
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.message.res.write(chunk)) return this.restartTimeLimit();
    controller.pause();
    // The service need not send more until the client has read this; `guardConnections` limits how slowly it may read.
    this.connections.idle.end(this);
  }

  onResponseEnd(): void {
    this.end();
    const { req, res } = this.message;
    res.end();
    // A service may answer before it has the whole body; the rest is read, so that the next request on the connection follows.
    if (!req.complete) req.resume();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.isOver || this.retry(error)) return;
    this.end();
    this.fail(this.failure ?? error);
  }

  onTimeout(): void {
    this.abort(
      this.isBodyAwaited
        ? new BodyTimeoutError('the client has sent no byte of the body within the time limit')
        : new ServiceTimeoutError('the service has sent and received nothing within the time limit'),
    );
  }

  private async *chunksOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.isBodyAwaited = true;
    for await (const chunk of body) {
      this.isBodyAwaited = false;
      this.restartTimeLimit();
      yield chunk;
      this.isBodyAwaited = true;
      this.restartTimeLimit();
    }
    this.isBodyAwaited = false;
  }

  /** To be called when the service must send or receive the next bytes. */
  private restartTimeLimit(): void {
    const { idle } = this.connections;
    if (this.isOver) return;
    idle.end(this);
    idle.begin(this);
  }

  private abort(error: Error): void {
    this.failure ??= error;
    if (this.controller) this.controller.abort(this.failure);
    else if (!this.isOver) {
      // undici calls no handler for a request that still waits for a connection.
      this.end();
      this.fail(this.failure);
    }
  }

  private fail(error: Error): void {
    const { req, res, service, app, context, headers, url } = this.message;
    if (res.destroyed) return; // the client has left
    const isOfClient = error instanceof BodyTimeoutError;
    if (isOfClient) context.log.info({ service }, 'a client has stopped sending its request');
    else context.log.warn({ err: error, service }, 'a service does not answer');
    if (res.headersSent) return void res.destroy();
    res.setHeaders(new Map(Object.entries({ ...headers, Vary: `${headers.Vary}, Accept-Encoding` })));
    if (isOfClient) res.setHeader('Connection', 'close');
    sendProblem(
      expressResponse(app, req, res, context),
      isOfClient ? bodyTimeout() : noAnswer(service, error),
      url,
    );
    if (!req.complete) req.resume();
  }

  private end(): void {
    this.isOver = true;
    if (!this.isPending) return; // the client left before its body had arrived
    this.isPending = false;
    this.connections.idle.end(this);
    this.connections.end();
  }
}

const noAnswer = (service: string, error: Error): PlatformError =>
  new PlatformError(
    error instanceof ServiceTimeoutError ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE',
    `The ${service} service does not answer; try again in a moment.`,
    { retryAfterSeconds: 1 },
  );

const bodyTimeout = (): PlatformError =>
  new PlatformError('REQUEST_TIMEOUT', 'The rest of the body has not arrived; send the request again.');

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Not sent to the service: undici frames the request, and Node's server has answered `Expect: 100-continue` already. */
const OF_THE_CONNECTION = new Set(['transfer-encoding', 'expect']);

/** A list in which each name is followed by its value, which is undici's fastest form. */
function headersOf(headers: IncomingHttpHeaders): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || OF_THE_CONNECTION.has(name)) continue;
    if (typeof value === 'string') list.push(name, value);
    else for (const one of value) list.push(name, one);
  }
  return list;
}

/** The names of `responseHeaders` in lower case; there are about 20. */
const LOWER_CASE = new Map<string, string>();

function lowerCaseOf(name: string): string {
  const lower = name.toLowerCase();
  LOWER_CASE.set(name, lower);
  return lower;
}

/** The response as an Express response, made as in the first lines of Express' `app.handle`. */
function expressResponse(
  app: Express,
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
): Response {
  const [ofExpress, answer] = [req as Request, res as Response];
  Object.setPrototypeOf(req, app.request);
  Object.setPrototypeOf(res, app.response);
  ofExpress.res = answer;
  answer.req = ofExpress;
  answer.locals = { context };
  return answer;
}
