import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { ANONYMOUS, type Viewer } from '../auth/viewer.ts';
import { logOfRequest, type Logger } from '../observability/logger.ts';
import type { OperationClass } from '../observability/operation-class.ts';
import { withSpan, type Attributes } from '../observability/tracing.ts';
import type { ProblemExtension } from '../rest/problem-extension.ts';
import type { Origin } from '../unit-of-work.ts';
import type { RequestOrigins } from './request-origin.ts';
import { clientLeftOf, timeLeftOf } from './waiting-client.ts';

/** The facts about a request that the server reads before any rule runs. */
export interface RequestContext {
  /** The caller's `X-Request-Id` if it has a safe form, else a new id. */
  readonly id: string;
  /** The W3C Trace Context for requests to other services: the caller's trace with a new span. */
  readonly traceparent: string;
  /** The client's address. */
  readonly address: string;
  /** Everything that is passed on to rules and other services. */
  readonly origin: Origin;
  readonly log: Logger;
  viewer: Viewer;
  /** The operation in log lines and metrics, if it is not the declared path (`operationOf`). */
  operation?: string;
  /** Set for a route that adds to its problem documents, before the request is handled. */
  problemExtension?: ProblemExtension | undefined;
  /** The challenge with a 401. Default: `Bearer`. */
  challenge?: string;
  /** Set for an operation of the graph, before its response is sent. */
  graph?: GraphFacts;
}

/** What the log, the metrics and the span of a graph request say besides its HTTP status. */
export interface GraphFacts {
  readonly kind: OperationClass;
  readonly hasFailed?: boolean;
  readonly attributes?: Attributes | undefined;
}

/** The origin of a request, with the time for which its sender waits. */
export const originOf = (req: IncomingMessage, res: ServerResponse, origins: RequestOrigins): Origin => ({
  ...origins.ofRequest(req),
  timeLeft: timeLeftOf(req.headers),
  clientLeft: clientLeftOf(res),
});

/** The context of a request, with an anonymous viewer until authentication. */
export function contextFor(
  req: IncomingMessage,
  res: ServerResponse,
  log: Logger,
  origins: RequestOrigins,
): RequestContext {
  const origin = originOf(req, res, origins);
  const { requestId: id, traceparent, address } = origin;
  let ownLog: Logger | undefined;
  return {
    id,
    traceparent,
    address,
    origin,
    get log() {
      return (ownLog ??= logOfRequest(log, id, traceparent));
    },
    viewer: ANONYMOUS,
  };
}

/** Creates the context of each request, and sends the request's id in the response. */
export function requestContext(log: Logger, origins: RequestOrigins): RequestHandler {
  return (req, res, next) => {
    const context = contextFor(req, res, log, origins);
    res.locals.context = context;
    res.setHeader('X-Request-Id', context.id);
    withSpan(context.origin.span, next);
  };
}

export const contextOf = (res: Response): RequestContext => res.locals.context as RequestContext;

/** The operation in log lines and metrics, e.g. `GET /locations/:id`: the declared path, so that ids do not become labels. */
export const operationOf = (req: Request): string =>
  `${req.method} ${(req.route as { path?: string } | undefined)?.path ?? (req.baseUrl || 'unmatched')}`;
