import { Readable } from 'node:stream';
import type { Request, RequestHandler, Response } from 'express';
import { contextOf, type RequestContext } from '../http/request-context.ts';
import { sendStream } from '../streams.ts';
import type { Exchange, RequestBody } from './exchange.ts';
import { bodyReaderOf } from './request-body.ts';
import type { RouteHandler } from './route-handler.ts';
import { extendProblems } from './problem-extension.ts';
import type { RestRoute } from './route.ts';

/** A route's handler as a handler of Express. */
export function expressHandler(route: RestRoute<never>, handle: RouteHandler): RequestHandler {
  const readBody = bodyReaderOf(route);
  return (req, res) => {
    extendProblems(contextOf(res), route, req.headers);
    return handle(new ExpressExchange(req, res, readBody));
  };
}

class ExpressExchange implements Exchange {
  readonly context: RequestContext;
  private readonly req: Request;
  private readonly res: Response;
  private readonly read: ReturnType<typeof bodyReaderOf>;

  constructor(req: Request, res: Response, read: ReturnType<typeof bodyReaderOf>) {
    this.req = req;
    this.res = res;
    this.read = read;
    this.context = contextOf(res);
  }

  get method() {
    return this.req.method;
  }
  get url() {
    return this.req.originalUrl;
  }
  get path() {
    return this.req.path;
  }
  get params() {
    return this.req.params as Record<string, string>; // no route has a path with a wildcard, whose value is a list
  }
  get query() {
    return this.req.query;
  }
  get headers() {
    return this.req.headers;
  }
  get stream() {
    return this.req;
  }

  readBody(): Promise<RequestBody> {
    return this.read(this.req, this.res);
  }

  set(headers: Readonly<Record<string, string>>): void {
    this.res.set(headers);
  }

  async send(...[status, headers, body]: Parameters<Exchange['send']>): Promise<void> {
    const { res } = this;
    res.status(status).set(headers);
    if (body === undefined) res.end();
    else if (body instanceof Readable) await this.sendFile(body);
    else res.send(body);
  }

  /** Sends a stream, or 304 if it has an `ETag` that the client has. `res.send` checks this for texts and buffers. */
  private async sendFile(body: Readable): Promise<void> {
    const { req, res } = this;
    if (!res.get('ETag') || !req.fresh) return sendStream(body, res);
    body.destroy();
    res.removeHeader('Content-Type');
    res.removeHeader('Content-Length');
    res.status(304).end();
  }
}
