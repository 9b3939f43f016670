import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError, OperationTypeNode } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import type { GraphAnswer } from '#server/graphql/apollo-answer.ts';
import { ANSWER_TYPES, answerTypeFor, refusalTypeFor } from '#server/graphql/media-types.ts';
import { contextOf, type RequestContext } from '#server/http/request-context.ts';
import { jsonIn, type JsonObject } from '#server/json-object.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { statusOf } from '../http/response-status.ts';
import type { SocketGraph, SocketOperation } from '../websocket/websocket-server.ts';
import { clientNameIn } from '../usage/client-name.ts';
import { incrementalFormatFor } from './incremental-format.ts';
import type { OpenStreams } from './open-streams.ts';
import { ResultStream } from './result-stream.ts';
import { validOperation } from './sent-operation.ts';
import { streamFormatFor, type StreamFormat } from './stream-format.ts';

type StreamGraph = Pick<SocketGraph, 'subscriptions' | 'documents' | 'check' | 'shown'>;

/** Refuses a request whose `Accept` allows neither JSON nor a stream, before a mutation has run. */
export const acceptableAnswerOrStream: RequestHandler = (req, _res, next) => {
  if (answerTypeFor(req.headers) || wholeFormatFor(req.headers)) return next();
  throw new PlatformError(
    'NOT_ACCEPTABLE',
    'Expected an Accept header that allows application/json or application/graphql-response+json, or text/event-stream or multipart/mixed;subscriptionSpec=1.0 for a stream, or multipart/mixed for an answer in parts (@defer); nothing was run.',
  );
};

/**
 * Streams subscriptions to clients that accept a stream. Every other operation is executed by the next handler; if the client
 * does not accept JSON, its result is sent as a stream with one result (`streamedAnswer`). This handler runs after the checks
 * of the request's caller, rate and text.
 */
export function streamedSubscriptions(graph: StreamGraph, streams: OpenStreams): RequestHandler {
  return async (req, res, next) => {
    const operation = subscriptionIn(req, graph);
    if (!operation) {
      const only = answerTypeFor(req.headers) ? undefined : wholeFormatFor(req.headers);
      if (only) streamAnswer(req, res, only);
      return next();
    }
    const format = streamFormatFor(req.headers);
    res.vary('Accept');
    if (!format) throw notStreamable();
    const context = contextOf(res);
    context.operation = `STREAM ${req.baseUrl}`;
    const leave = streams.reserve(context.viewer, context.address);
    try {
      await stream(operation, format, { req, res, graph, streams });
    } finally {
      leave();
    }
  };
}

/** The format of a whole answer for a client that does not accept JSON. */
const wholeFormatFor = (headers: Request['headers']): StreamFormat | undefined =>
  streamFormatFor(headers) ?? incrementalFormatFor(headers)?.stream;

interface Exchange {
  req: Request;
  res: Response;
  graph: StreamGraph;
  streams: OpenStreams;
}

async function stream(
  operation: SocketOperation,
  format: StreamFormat,
  { req, res, graph, streams }: Exchange,
): Promise<void> {
  if (res.closed) return; // the client has left
  const subscriber = subscriberOf(contextOf(res), req.headers);
  const shown = (error: unknown): GraphQLError => graph.shown(error, subscriber);
  try {
    graph.check(operation, subscriber);
    const { subscriptions } = graph;
    const results = subscriptions.subscribe({ ...operation, context: subscriber });
    if (Symbol.asyncIterator in results)
      await streams.run(
        new ResultStream({ res, format, results, deliveries: subscriptions.deliveries, shown }),
        subscriber.viewer,
      );
    else sendErrors(req, res, (results.errors ?? []).map(shown));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error; // the next error handler answers it
    sendErrors(req, res, [shown(error)]);
  }
}

/**
 * The context of the subscription: that of the request, without the parts that belong to the request only. With them, events
 * would be executed in the span of a request that has ended, also events for other members of the group.
 */
function subscriberOf({ origin, viewer }: RequestContext, headers: Request['headers']): GatewayContext {
  const { span: _span, timeLeft: _timeLeft, clientLeft: _clientLeft, ...kept } = origin;
  return { ...kept, viewer, clientName: clientNameIn(headers) };
}

/** The valid subscription in the request; undefined for every other operation, and for what Apollo Server refuses. */
function subscriptionIn(req: Request, { documents }: StreamGraph): SocketOperation | undefined {
  // Nearly all requests are queries and mutations, which are not parsed here.
  const sent = validOperation(req, documents, (text) => text.includes('subscription'));
  return sent?.kind === OperationTypeNode.SUBSCRIPTION ? sent.operation : undefined;
}

const formats = new WeakMap<Request, StreamFormat>();

/** The next handler executes the operation as for a client that accepts JSON, and `streamedAnswer` wraps its answer. */
function streamAnswer(req: Request, res: Response, format: StreamFormat): void {
  if (Array.isArray(req.body))
    throw new PlatformError('NOT_ACCEPTABLE', 'A batch is answered as JSON only; nothing was run.');
  res.vary('Accept');
  formats.set(req, format);
  req.headers.accept = ANSWER_TYPES[0];
}

/** The answer to an operation that is not a subscription, as a stream if the client does not accept JSON and there is data. */
export function streamedAnswer(req: Request, answer: GraphAnswer): GraphAnswer {
  const format = formats.get(req);
  if (!format || (jsonIn(answer.body) as JsonObject).data === undefined) return answer;
  const { opening, result, complete, contentType } = format;
  return {
    status: answer.status,
    headers: {
      ...answer.headers,
      'content-type': contentType,
      'cache-control': 'no-store, no-transform',
    },
    body: opening + result(answer.body) + complete,
  };
}

function sendErrors(req: Request, res: Response, errors: readonly GraphQLError[]): void {
  if (res.closed || res.headersSent) return;
  const status = statusOf({ errors });
  if (status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res
    .status(status)
    .type(refusalTypeFor(req.headers, status) ?? 'application/json')
    .send(JSON.stringify({ errors }));
}

/** The refusal of a subscription whose client accepts JSON only. */
export const notStreamable = (): PlatformError =>
  new PlatformError(
    'NOT_ACCEPTABLE',
    'The results of a subscription are a stream: send Accept: text/event-stream (GraphQL over SSE) or multipart/mixed;subscriptionSpec=1.0, or use a WebSocket (graphql-transport-ws) at this same address.',
  );
