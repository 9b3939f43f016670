import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { API_VERSION, EXPOSED_HEADERS, isAllowedOrigin, securityHeaders } from '#server/http/create-app.ts';
import { withoutRedaction, type Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import type { RateState } from '#server/rest/rate-limit.ts';
import type { GatewaySettings } from '../settings.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { JsonAnswer } from '../operations/prepared-operation.ts';
import { statusOf, type Outcome } from './response-status.ts';
import { PendingRequests } from '../tuned-for-v8/pending-requests.ts';

export interface ResponseWriterOptions {
  settings: GatewaySettings;
  metrics: Metrics;
  log: Logger;
}

interface Response {
  readonly mediaType: string;
  readonly context: GatewayContext;
  readonly state: RateState | undefined;
  readonly startedAt: number;
}

/** Metrics and log use nginx's status for a request whose client left before the response. */
const CLIENT_LEFT = 499;
const COMPRESSED_FROM_BYTES = 1024; // 1 KiB
const OPERATION = 'POST /graphql';

/**
 * Writes a response of the fast path with the headers, log line and metrics that `createApp` of #server adds to every
 * other response. CORS, compression and negotiation are written a second time here, because Express's middleware
 * costs more than the rest of a small response (`npm run bench -- "platform small"`). The tests "an operation that is
 * sent again" in tests/gateway/operations.test.ts compare the two.
 */
export class ResponseWriter {
  private readonly options: ResponseWriterOptions;
  private readonly always: Readonly<Record<string, string>>;
  private readonly requests: Logger;
  private readonly pending: PendingRequests<Response>;

  constructor(options: ResponseWriterOptions) {
    this.options = options;
    this.requests = withoutRedaction(options.log);
    this.pending = new PendingRequests((response) => {
      response.context.client?.leave();
      this.done(response, CLIENT_LEFT, true);
    });
    this.always = { ...headersOfHelmet(), 'API-Version': String(API_VERSION) };
  }

  /** To be called before the operation runs, so that its calls end if the client leaves. */
  begin(req: IncomingMessage, response: Response): void {
    this.pending.begin(req.socket, response);
  }

  write(req: IncomingMessage, res: ServerResponse, response: Response, answer: JsonAnswer): void {
    if (!this.pending.end(req.socket, response)) return;
    const status = statusOfText(answer.json);
    res.once('close', () => this.done(response, status, !res.writableFinished));
    const headers = this.headersOf(req, response, answer);
    const encode = answer.json.length < COMPRESSED_FROM_BYTES ? undefined : encoderFor(req);
    if (!encode) return send(res, status, headers, Buffer.from(answer.json));
    encode.compress(answer.json, (error, compressed) => {
      if (error) return void res.destroy(error);
      send(res, status, { ...headers, 'Content-Encoding': encode.name }, compressed);
    });
  }

  private headersOf(req: IncomingMessage, { mediaType, context, state }: Response, answer: JsonAnswer) {
    const { origin } = req.headers;
    const headers: Record<string, string> = {
      ...this.always,
      'X-Request-Id': context.requestId,
      'Content-Type': mediaType,
      'Cache-Control': answer.cached ? `private, max-age=${answer.cached.maxAgeSeconds}` : 'no-store',
      Vary: 'Origin, Accept-Encoding',
    };
    if (context.keyed?.isReplay) headers['Idempotency-Replayed'] = 'true';
    if (answer.cached) headers.Age = String(answer.cached.ageSeconds);
    if (state) {
      headers.RateLimit = state.rateLimit;
      headers['RateLimit-Policy'] = state.policy;
    }
    if (origin !== undefined && isAllowedOrigin(origin, this.options.settings)) {
      headers['Access-Control-Allow-Origin'] = origin;
      headers['Access-Control-Allow-Credentials'] = 'true';
      headers['Access-Control-Expose-Headers'] = EXPOSED;
    }
    return headers;
  }

  private done({ context, startedAt }: Response, status: number, isAborted: boolean): void {
    const millis = performance.now() - startedAt;
    this.options.metrics.requestDone('graphql', OPERATION, status, millis / 1000);
    this.requests.info(
      {
        requestId: context.requestId,
        traceId: context.traceparent.slice(3, 35),
        operation: OPERATION,
        status,
        millis: Math.round(millis),
        aborted: isAborted || undefined,
      },
      'request',
    );
  }
}

const EXPOSED = EXPOSED_HEADERS.join(',');

/** A response with errors begins with them, so that data need not be parsed. */
const statusOfText = (json: string): number =>
  json.startsWith('{"errors"') ? statusOf(JSON.parse(json) as Outcome) : 200;

function send(res: ServerResponse, status: number, headers: Record<string, string>, body: Buffer): void {
  headers['Content-Length'] = String(body.length);
  res.writeHead(status, headers);
  res.end(body);
}

type Compress = (text: string, done: (error: Error | null, compressed: Buffer) => void) => void;

const BROTLI: { name: string; compress: Compress } = {
  name: 'br',
  // Quality 4 is as fast as gzip, and the result is smaller.
  compress: (text, done) => brotliCompress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, done),
};
const GZIP: { name: string; compress: Compress } = {
  name: 'gzip',
  compress: (text, done) => gzip(text, done),
};

function encoderFor(req: IncomingMessage) {
  const accepted = req.headers['accept-encoding'];
  if (typeof accepted !== 'string') return undefined;
  if (/\bbr\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted)) return BROTLI;
  return /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted) ? GZIP : undefined;
}

/** Helmet's headers, which are the same for every response: collected once from a response that is never sent. */
function headersOfHelmet(): Record<string, string> {
  const req = new IncomingMessage(new Socket());
  const res = new ServerResponse(req);
  securityHeaders()(req, res, () => undefined);
  return Object.fromEntries(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]));
}
