import type { IncomingMessage, ServerResponse } from 'node:http';
import { LEFT, outcomeOf, requestLog } from '#server/http/request-log.ts';
import { responseHeaders } from '#server/http/response-headers.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Metrics } from '#server/observability/metrics.ts';
import type { RateState } from '#server/rest/rate-limit.ts';
import type { GatewaySettings } from '../settings.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { CachedAnswer, JsonAnswer, PreparedOperation } from '../operations/prepared-operation.ts';
import { hasErrors } from '../response/result-json.ts';
import { PendingRequests } from '../tuned-for-v8/pending-requests.ts';
import { statusOf, type Outcome } from './response-status.ts';
import { hasServerError } from '#server/graphql/graph-facts.ts';
import { sendAnswer } from '#server/graphql/send-answer.ts';

interface ResponseWriterOptions {
  settings: GatewaySettings;
  metrics: Metrics;
  log: Logger;
}

interface Response {
  readonly mediaType: string;
  readonly context: GatewayContext;
  readonly state: RateState | undefined;
  readonly startedAt: number;
  readonly operation: PreparedOperation;
  hasFailed?: boolean;
}

/** Writes the responses of the fast path by the rules that `createApp` of #server applies to all others. */
export class ResponseWriter {
  private readonly settings: GatewaySettings;
  private readonly onEnd: ReturnType<typeof requestLog>;
  private readonly pending: PendingRequests<Response>;

  constructor({ settings, metrics, log }: ResponseWriterOptions) {
    this.settings = settings;
    this.onEnd = requestLog({ log, metrics });
    this.pending = new PendingRequests((response) => {
      response.context.client?.leave();
      this.end(response, LEFT);
    });
  }

  /** To be called before the operation runs, so that its calls end if the client leaves. */
  begin(req: IncomingMessage, response: Response): void {
    this.pending.begin(req.socket, response);
  }

  write(req: IncomingMessage, res: ServerResponse, response: Response, answer: JsonAnswer): void {
    if (!this.pending.end(req.socket, response)) return;
    res.once('close', () => this.end(response, outcomeOf(res)));
    const { status, hasFailed } = factsOfText(answer.json);
    response.hasFailed = hasFailed;
    sendAnswer(req, res, {
      status,
      headers: this.headersOf(req, response, answer),
      body: answer.json,
    });
  }

  private headersOf(
    req: IncomingMessage,
    { mediaType, context, state }: Response,
    { cached }: JsonAnswer,
  ): Record<string, string> {
    const headers = responseHeaders(req.headers.origin, this.settings);
    headers['X-Request-Id'] = context.requestId;
    headers['Content-Type'] = mediaType;
    headers['Cache-Control'] = cached ? cacheControlOf(cached) : 'no-store';
    headers.Vary += ', Accept-Encoding'; // as `compression` does behind Express
    if (cached) headers.Age = String(cached.ageSeconds);
    if (context.keyed?.isReplay) headers['Idempotency-Replayed'] = 'true';
    return state ? Object.assign(headers, state.headers) : headers;
  }

  private end(
    { context, startedAt, operation: { kind, attributes }, hasFailed = false }: Response,
    outcome: ReturnType<typeof outcomeOf>,
  ): void {
    const operation = 'POST /graphql';
    this.onEnd({
      door: 'graphql',
      operation,
      kind,
      origin: context,
      startedAt,
      hasFailed,
      attributes,
      ...outcome,
    });
  }
}

const cacheControlOf = ({ maxAgeSeconds, staleSeconds }: CachedAnswer): string =>
  `private, max-age=${maxAgeSeconds}${staleSeconds ? `, stale-while-revalidate=${staleSeconds}` : ''}`;

/** Only a response with errors has to be parsed. */
function factsOfText(json: string): { status: number; hasFailed: boolean } {
  if (!hasErrors(json)) return ANSWERED;
  const outcome = JSON.parse(json) as Outcome;
  return { status: statusOf(outcome), hasFailed: hasServerError(outcome.errors ?? []) };
}

const ANSWERED = { status: 200, hasFailed: false };
