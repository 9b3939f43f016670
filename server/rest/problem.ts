import type { ErrorRequestHandler, Response } from 'express';
import { refusalOfDatabase } from '../database/refusals.ts';
import { INTERNAL_MESSAGE, PlatformError, type FieldError } from '../errors.ts';
import { TOO_DEEP, tooDeep, unusableJson } from '../http/json-body.ts';
import { contextOf, type RequestContext } from '../http/request-context.ts';
import type { StoredAnswer } from './idempotency.ts';

/** RFC 9457 problem details, the form of every REST error. A route may add members by its `problemExtension`. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: readonly FieldError[];
  requestId: string;
}

/** Express's error handler of the REST door: answers every thrown error with a problem document. */
export const problemHandler: ErrorRequestHandler = (thrown: unknown, req, res, next) => {
  const error = loggedError(thrown, contextOf(res));
  if (res.headersSent) return next(thrown); // the status has been sent already, so express closes the connection
  sendProblem(res, error, req.originalUrl);
};

/** The PlatformError for a thrown error, which is logged if it is an error of the server. */
export function loggedError(thrown: unknown, { log }: Pick<RequestContext, 'log'>): PlatformError {
  const error = platformErrorOf(thrown);
  if (error.status >= 500) log.error({ err: error.cause ?? thrown }, error.message);
  return error;
}

/** Writes the problem with the headers that its status requires. */
export function sendProblem(res: Response, error: PlatformError, instance: string): void {
  const { status, headers, body } = problemMessage(error, instance, contextOf(res));
  res.status(status).set(headers).send(body);
}

/** A problem document with the headers that its status requires. */
export function problemMessage(
  error: PlatformError,
  instance: string,
  context: RequestContext,
): { status: number; headers: Record<string, string>; body: string } {
  const { status, retryAfterSeconds, allow } = error;
  return {
    status,
    headers: {
      'Content-Type': 'application/problem+json; charset=utf-8',
      ...(status === 401 && { 'WWW-Authenticate': context.challenge ?? 'Bearer' }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(Math.ceil(retryAfterSeconds)) }),
      ...(allow && { Allow: allow.join(', ') }),
    },
    body: JSON.stringify(problemOf(error, instance, context)),
  };
}

/** A problem as an answer that can be stored and sent again. */
export const problemAnswer = (
  error: PlatformError,
  instance: string,
  context: RequestContext,
): StoredAnswer => ({
  status: error.status,
  headers: { 'Content-Type': 'application/problem+json' },
  body: JSON.stringify(problemOf(error, instance, context)),
});

/** @param instance the URL of the request at this server; the document's `instance` is its path with the gateway's prefix */
function problemOf(
  error: PlatformError,
  instance: string,
  { id: requestId, origin: { prefix }, problemExtension }: RequestContext,
): Problem {
  return {
    type: `urn:fitness-platform:error:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance: prefix + (instance.split('?', 1)[0] ?? instance),
    code: error.code,
    ...(error.errors && { errors: error.errors }),
    requestId,
    ...problemExtension?.membersOf(error),
  };
}

/** The PlatformError for a thrown error, such as one of the database or of express's body parser; INTERNAL for an unknown one. */
export function platformErrorOf(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  const refusal = refusalOfDatabase(thrown);
  if (refusal) return refusal;
  const { status, type } = httpErrorOf(thrown);
  if (type === 'entity.parse.failed') return unusableJson((thrown as { body?: unknown }).body);
  if (type === TOO_DEEP) return tooDeep();
  if (type === 'entity.too.large')
    return new PlatformError('PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB; send a smaller one.');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body has an unsupported encoding: send UTF-8, plain, gzip or br.',
    );
  if (status !== undefined && status >= 400 && status < 500)
    return new PlatformError(
      'VALIDATION_FAILED',
      'The request could not be read: check path, headers and body.',
    );
  return new PlatformError('INTERNAL', INTERNAL_MESSAGE, { cause: thrown });
}

/** The status and type of an error of the package `http-errors`, which express and its body parser throw. */
function httpErrorOf(thrown: unknown): { status?: number; type?: string } {
  if (!(thrown instanceof Error)) return {};
  const { status, type } = thrown as { status?: unknown; type?: unknown };
  return { ...(typeof status === 'number' && { status }), ...(typeof type === 'string' && { type }) };
}
