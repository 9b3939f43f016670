import type { Request, RequestHandler, Response } from 'express';
import { OperationTypeNode, type ExecutionResult } from 'graphql';
import { answerTypeFor } from '#server/graphql/media-types.ts';
import { sendAnswer } from '#server/graphql/send-answer.ts';
import { contextOf } from '#server/http/request-context.ts';
import { httpContext } from '../context/gateway-context.ts';
import type { AnswerInParts } from '../defer/answers-in-parts.ts';
import { mayDefer } from '../defer/defer-directive.ts';
import { statusOf } from '../http/response-status.ts';
import type { SocketGraph } from '../websocket/websocket-server.ts';
import { incrementalFormatFor, type IncrementalFormat } from './incremental-format.ts';
import type { OpenStreams } from './open-streams.ts';
import { ResultStream } from './result-stream.ts';
import { validOperation } from './sent-operation.ts';

type DeferGraph = Pick<SocketGraph, 'documents' | 'beginInParts' | 'shown'>;

/**
 * Answers operations with `@defer` in parts, to clients that accept that. All other requests go to the next handler:
 * operations without `@defer`, invalid ones, and those for which no further answer in parts may be opened. The checks of the
 * request's caller, rate and text come before this handler.
 */
export function deferredAnswers(
  graph: DeferGraph,
  streams: OpenStreams,
  headerNames: readonly string[],
): RequestHandler {
  return async (req, res, next) => {
    const format = incrementalFormatFor(req.headers);
    const sent = format && validOperation(req, graph.documents, mayDefer);
    if (!sent || sent.kind === OperationTypeNode.SUBSCRIPTION || isWriteByGet(req, sent.kind)) return next();
    if (res.closed) return; // the client has left
    const { origin, viewer } = contextOf(res);
    const context = httpContext(origin, viewer, req.headers, headerNames);
    const answer = await graph.beginInParts(sent.operation, context, format.form);
    if (!answer) return next();
    // The client left during `beginInParts`: 'close' was emitted already, so a listener would never be called.
    if (res.closed) return void answer.return();
    res.once('close', () => void answer.return());
    const first = await answer.next();
    if (first.done || res.closed) return; // the client has left
    res.vary('Accept');
    if (context.keyed?.isReplay) res.setHeader('Idempotency-Replayed', 'true');
    const { kind = 'read', attributes } = context.executed?.operation ?? {};
    const note = (): void => {
      contextOf(res).graph = { kind, attributes, hasFailed: answer.hasFailed };
    };
    note();
    if (!first.value.hasNext) return sendWhole(req, res, first.value, format);
    const results = allResults(first.value, answer, note);
    const shown = (error: unknown) => graph.shown(error, context);
    await streams.runToEnd(new ResultStream({ res, format: format.stream, results, shown }));
  };
}

/** Apollo Server refuses it with 405. */
const isWriteByGet = ({ method }: Request, kind: OperationTypeNode): boolean =>
  method !== 'POST' && kind !== OperationTypeNode.QUERY;

type FirstResult = ExecutionResult & { hasNext: boolean };

/** Sends the answer as one response: no part is pending, because the answer has none of the objects with deferred fragments. */
function sendWhole(
  req: Request,
  res: Response,
  { hasNext: _hasNext, ...result }: FirstResult,
  { stream: { opening, result: message, complete, contentType } }: IncrementalFormat,
): void {
  const json = JSON.stringify(result);
  const jsonType = answerTypeFor(req.headers);
  sendAnswer(req, res, {
    status: statusOf(result),
    headers: { 'Content-Type': jsonType ?? contentType, 'Cache-Control': 'no-store' },
    body: jsonType ? json : opening + message(json) + complete,
  });
}

/** The first result and then the further ones. @param onResult called after each further result */
function allResults(
  first: FirstResult,
  rest: AnswerInParts,
  onResult: () => void,
): AsyncIterator<ExecutionResult> {
  let isFirst = true;
  return {
    async next() {
      if (isFirst) {
        isFirst = false;
        return { done: false, value: first };
      }
      const result = await rest.next();
      onResult();
      return result;
    },
    return: () => rest.return(),
  };
}
