import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import type { Express } from 'express';
import { invalid } from '../errors.ts';
import { compressorFor } from '../http/compression.ts';
import { readBody } from '../http/read-body.ts';
import type { RequestContext } from '../http/request-context.ts';
import { sendStream } from '../streams.ts';
import type { Exchange, RequestBody } from './exchange.ts';

interface DispatchedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ParsedUrlQuery;
  readonly hasJson: boolean;
  readonly context: RequestContext;
  /** The headers of the answer so far. */
  readonly headers: Record<string, string>;
  /** The app whose functions make and compare the `ETag`s of the answers. */
  readonly app: Pick<Express, 'get' | 'request'>;
}

/** An exchange without Express: all headers and the body of an answer are written at once. */
export class DispatchedExchange implements Exchange {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly params: Exchange['params'];
  readonly query: Exchange['query'];
  readonly headers: Exchange['headers'];
  readonly context: RequestContext;
  readonly stream: IncomingMessage;
  private readonly request: DispatchedRequest;

  constructor(request: DispatchedRequest) {
    this.method = request.req.method ?? '';
    this.url = request.url;
    this.path = request.path;
    this.params = request.params;
    this.query = request.query;
    this.headers = request.req.headers;
    this.context = request.context;
    this.stream = request.req;
    this.request = request;
  }

  async readBody(): Promise<RequestBody> {
    if (!this.request.hasJson) return { value: undefined };
    const body = this.stream.destroyed ? undefined : await readBody(this.stream);
    if (!body) throw invalid('', 'the client ended the request early');
    return { value: body.json() };
  }

  set(headers: Readonly<Record<string, string>>): void {
    Object.assign(this.request.headers, headers);
  }

  async send(...[status, more, body]: Parameters<Exchange['send']>): Promise<void> {
    const { res, headers } = this.request;
    Object.assign(headers, more);
    if (body === undefined) {
      if (status !== 204) headers['Content-Length'] = '0';
      res.writeHead(status, headers).end();
    } else if (body instanceof Readable) {
      if (headers.ETag !== undefined && this.isKnown(status)) {
        body.destroy();
        return this.writeNotModified();
      }
      res.writeHead(status, headers); // not compressed: only a route with an undeclared stream comes here
      await sendStream(body, res);
    } else this.write(status, Buffer.isBuffer(body) ? body : Buffer.from(body));
  }

  /** Writes what `res.send` of Express and the package `compression` would write. */
  private write(status: number, body: Buffer): void {
    const { req, res, headers, app } = this.request;
    headers.ETag ??= (app.get('etag fn') as (body: Buffer) => string)(body);
    if (this.isKnown(status)) return this.writeNotModified();
    headers.Vary += ', Accept-Encoding';
    const compressor = compressorFor(req, body);
    if (!compressor) return writeWhole(res, status, headers, body);
    compressor.compress(body, (error, compressed) => {
      if (error) return void res.destroy(error);
      headers['Content-Encoding'] = compressor.encoding;
      writeWhole(res, status, headers, compressed);
    });
  }

  private writeNotModified(): void {
    const { res, headers } = this.request;
    delete headers['Content-Type'];
    delete headers['Content-Length'];
    res.writeHead(304, headers).end();
  }

  /** Whether the client has this answer already. Express decides: its getter `fresh` is called. */
  private isKnown(statusCode: number): boolean {
    const { method, headers: sent } = this.request.req;
    if (sent['if-none-match'] === undefined && sent['if-modified-since'] === undefined) return false;
    const { app, headers } = this.request;
    const res = { statusCode, get: (name: string) => headers[name] };
    return Reflect.get(app.request, 'fresh', { method, headers: sent, res });
  }
}

function writeWhole(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: Buffer,
): void {
  headers['Content-Length'] = String(body.length);
  res.writeHead(status, headers).end(body);
}
