import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { Store } from 'express-rate-limit';
import type { z } from 'zod';
import { authenticateToken, forgivingAuth, optionalAuth } from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { notFound, PlatformError } from '../errors.ts';
import { readJson } from '../http/json-body.ts';
import { contextOf } from '../http/request-context.ts';
import { pageOfWhole, type Page, type PageRequest } from '../paging.ts';
import { begun, streamOf } from '../streams.ts';
import { undeclaredFields } from '../undeclared-fields.ts';
import { validated } from '../validate.ts';
import { callerOf, keyOf, type IdempotencyStore, type StoredAnswer } from './idempotency.ts';
import { readMultipart, type MultipartBody, type UploadLimits } from './multipart.ts';
import { problemAnswer, sendProblem } from './problem.ts';
import { rateLimited } from './rate-limit.ts';
import { checkBodyFields, checkQueryFields } from './request-fields.ts';
import { isWholeList, Reply, type RestMethod, type RestRequest, type RestRoute } from './route.ts';
import { expectedVersionOf, refuseExpectedVersion, versionAndContentTag, versionTag } from './versions.ts';

/** What the routes of one service need from their server. */
export interface RouteHost<Services> {
  verifier: TokenVerifier;
  /** New rule objects for one request, and the store for its Idempotency-Key. */
  begin(res: Response): { services: Services; idempotency: IdempotencyStore };
  /** Requests per minute and caller; undefined: unlimited. */
  generalLimitPerMinute: number | undefined;
  rateLimitStore?: (name: string) => Store | undefined;
  /** Checks every answer against its declared shape, so that every test also tests the OpenAPI document. */
  verifyAnswers: boolean;
}

/** Mounts declared routes with authentication, limits, validation, idempotency, versions and paging; 405 for other methods of their paths. */
export function mountRoutes<Services>(
  app: Express,
  routes: readonly RestRoute<Services>[],
  host: RouteHost<Services>,
): void {
  const general =
    host.generalLimitPerMinute === undefined
      ? undefined
      : rateLimited({
          name: 'general',
          perMinute: host.generalLimitPerMinute,
          by: 'caller',
          store: host.rateLimitStore?.('general'),
        });
  const limiters = new Map<string, RequestHandler>();
  const limiterOf = (route: RestRoute<Services>): RequestHandler | undefined => {
    if (!general || !route.rateLimit) return general;
    const { name } = route.rateLimit;
    const limiter =
      limiters.get(name) ?? rateLimited({ ...route.rateLimit, store: host.rateLimitStore?.(name) });
    limiters.set(name, limiter);
    return limiter;
  };
  for (const route of routes) {
    const limiter = limiterOf(route);
    const handlers = [
      AUTHENTICATION[route.auth](host.verifier),
      ...(limiter ? [limiter] : []),
      ...(route.consumes ? [streamedBody(route.consumes, route.upload)] : []),
      ...(route.body && !route.upload ? [jsonBody] : []),
      ...(route.body && route.upload?.optional ? [jsonUnlessMultipart] : []),
      handlerOf(route, host),
    ];
    app[route.method.toLowerCase() as Lowercase<RestMethod>](route.path, ...handlers);
  }
  // `/locations/check-in` before `/locations/:id`, so that a 405 lists the methods of the more specific path.
  const bySpecificity = routes.toSorted((a, b) => parameterCount(a.path) - parameterCount(b.path));
  for (const [path, declared] of Map.groupBy(bySpecificity, (route) => route.path)) {
    const methods = declared.map((route) => route.method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    app.all(path, (req) => {
      throw new PlatformError(
        'METHOD_NOT_ALLOWED',
        `${req.method} is not supported at this path; allowed: ${allow.join(', ')}.`,
        { allow },
      );
    });
  }
}

const parameterCount = (path: string): number => path.split('/:').length - 1;

const AUTHENTICATION = {
  required: authenticateToken,
  optional: optionalAuth,
  forgiving: forgivingAuth,
} as const;

const parseJson = readJson(['application/json', 'application/*+json']);

/** A body must declare that it is JSON: a body that is silently read as something else loses data. */
const jsonBody: RequestHandler = (req, res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && !req.is(['json', '+json']))
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Expected Content-Type: application/json, got ${req.headers['content-type'] ?? 'none'}.`,
    );
  parseJson(req, res, next);
};

const isMultipart = (req: Request): boolean => Boolean(req.is('multipart/form-data'));

/** If files are optional, a request without files may be JSON. */
const jsonUnlessMultipart: RequestHandler = (req, res, next) =>
  isMultipart(req) ? next() : jsonBody(req, res, next);

/** A stream must declare the media type that the route takes; the handler reads its bytes. */
const streamedBody =
  (mediaType: string, upload: UploadLimits | undefined): RequestHandler =>
  (req, _res, next) => {
    if (!req.is(mediaType) && !(upload && isMultipart(req)))
      throw new PlatformError(
        'UNSUPPORTED_MEDIA_TYPE',
        `Expected Content-Type: ${mediaType}${upload ? ' or multipart/form-data' : ''}, got ${req.headers['content-type'] ?? 'none'}.`,
      );
    next();
  };

/** Methods that change an existing resource. A POST creates a new one, which nobody can have read before. */
const CHANGES_A_RESOURCE: ReadonlySet<RestMethod> = new Set(['PUT', 'PATCH', 'DELETE']);

function handlerOf<Services>(route: RestRoute<Services>, host: RouteHost<Services>): RequestHandler {
  return async (req, res) => {
    if (!route.versioned && CHANGES_A_RESOURCE.has(route.method))
      refuseExpectedVersion(req.headers['if-match']);
    const { services, idempotency } = host.begin(res);
    const multipart =
      route.upload && ((!route.upload.optional && !route.consumes) || isMultipart(req))
        ? await readMultipart(req, route.upload)
        : undefined;
    const request = requestOf(route, req, res, multipart);
    const perform = async () =>
      replyOf(
        route,
        request.query,
        await route.handler(request as RestRequest<never, never, never>, services),
        host.verifyAnswers,
      );

    const key = route.method === 'POST' ? req.headers['idempotency-key'] : undefined;
    if (typeof key !== 'string') return send(req, res, await perform());
    const { viewer, address } = contextOf(res);
    const keyed = {
      caller: callerOf(viewer, address),
      key: keyOf(key),
      operation: `${req.method} ${req.path}`,
      fingerprint: fingerprintOf(req, multipart),
    };
    let refusal: PlatformError | undefined;
    const { answer, replayed } = await idempotency.once(keyed, async () => {
      try {
        return answerOf(await perform());
      } catch (error) {
        if (!(error instanceof PlatformError) || error.status >= 500) throw error;
        // A refusal by the rules is an answer, too, except 401 and 429. Their writes, such as a count of failed log-ins, are kept:
        // a key must not roll them back.
        if (![401, 429].includes(error.status)) return problemAnswer(error, req.originalUrl, contextOf(res));
        refusal = error;
        return undefined;
      }
    });
    if (!answer) throw refusal ?? new Error('neither answer nor refusal');
    if (replayed) res.setHeader('Idempotency-Replayed', 'true');
    await send(
      req,
      res,
      new Reply(answer.status, answer.body === null ? undefined : Buffer.from(answer.body), answer.headers),
    );
  };
}

function requestOf<Services>(
  route: RestRoute<Services>,
  req: Request,
  res: Response,
  multipart: MultipartBody | undefined,
): RestRequest<unknown, unknown, unknown> {
  const params = route.params?.safeParse(req.params);
  if (params && !params.success)
    throw notFound('such thing', Object.values(req.params).join('/').slice(0, 100));
  const { viewer } = contextOf(res);
  const rawBody: unknown = multipart ? multipart.fields : req.body;
  checkQueryFields(route, req.query, viewer);
  checkBodyFields(route, rawBody, viewer);
  const body = route.body ? validated(route.body, rawBody) : undefined;
  return {
    params: params?.data,
    query: route.query ? validated(route.query, req.query) : undefined,
    body,
    files: multipart?.files ?? [],
    stream: (route.consumes && multipart?.files[0] && streamOf([multipart.files[0].bytes])) || req,
    expectedVersion: route.versioned ? expectedVersionOf(req.headers['if-match'], body) : undefined,
    viewer,
    address: contextOf(res).address,
    userAgent: contextOf(res).origin.userAgent,
    header: (name) => req.get(name),
  };
}

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'cursorOf' in result;

function replyOf<Services>(
  route: RestRoute<Services>,
  query: unknown,
  answer: unknown,
  verify: boolean,
): PagedReply {
  const { success } = route;
  const result =
    isWholeList(route) && Array.isArray(answer) ? pageOfWhole(answer, query as PageRequest) : answer;
  if (result instanceof Reply) return new PagedReply(result.status, result.body, result.headers);
  if (verify && success.shape) {
    if (success.page && isPage(result)) for (const item of result.items) verifyAnswer(success.shape, item);
    else verifyAnswer(success.shape, isPage(result) ? result.items : result);
  }
  if (!isPage(result)) {
    const tag = success.changesBetweenVersions ? versionAndContentTag(result) : undefined;
    return new PagedReply(
      success.status,
      success.status === 204 ? undefined : result,
      tag ? { ETag: tag } : {},
    );
  }
  const last = result.items.at(-1);
  return new PagedReply(
    success.status,
    result.items,
    result.missing?.length ? { Incomplete: result.missing.join(', ') } : {},
    result.hasNextPage && last !== undefined ? result.cursorOf(last) : undefined,
  );
}

/** @throws Error if an answer is not what the OpenAPI document declares */
function verifyAnswer(shape: z.ZodType, answer: unknown): void {
  shape.parse(answer);
  const undeclared = undeclaredFields(shape, JSON.parse(JSON.stringify(answer)));
  if (undeclared.length > 0) throw new Error(`the answer has undeclared fields: ${undeclared.join(', ')}`);
}

class PagedReply extends Reply {
  readonly nextCursor: string | undefined;
  constructor(
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    nextCursor?: string,
  ) {
    super(status, body, headers);
    this.nextCursor = nextCursor;
  }
}

function answerOf(reply: Reply): StoredAnswer {
  return {
    status: reply.status,
    headers: { ...jsonHeaders(reply.body), ...reply.headers },
    body: reply.body === undefined ? null : JSON.stringify(reply.body),
  };
}

function jsonHeaders(body: unknown): Record<string, string> {
  if (body === undefined) return {};
  const tag = versionTag(body);
  return { 'Content-Type': 'application/json; charset=utf-8', ...(tag && { ETag: tag }) };
}

async function send(req: Request, res: Response, reply: Reply): Promise<void> {
  const { body } = reply;
  if (
    body instanceof Readable ||
    Buffer.isBuffer(body) ||
    body instanceof Uint8Array ||
    typeof body === 'string'
  ) {
    // A stream that fails before its first byte is answered with a problem document; a later failure ends only this answer.
    if (body instanceof Readable) await begun(body);
    res.status(reply.status).set({ ...reply.headers });
    if (!(body instanceof Readable)) res.send(typeof body === 'string' ? body : Buffer.from(body));
    else await pipeline(body, res).catch(unlessClientLeft);
    return;
  }
  res.status(reply.status).set({ ...jsonHeaders(body), ...reply.headers });
  if (reply.headers.Location?.startsWith('/'))
    res.set('Location', contextOf(res).origin.prefix + reply.headers.Location);
  if (reply instanceof PagedReply && reply.nextCursor !== undefined)
    res.set('Link', `<${nextUrl(req, contextOf(res).origin.prefix, reply.nextCursor)}>; rel="next"`);
  if (body === undefined) res.end();
  else res.send(JSON.stringify(body));
}

/** A client that disconnects in the middle of a stream is not an error of the server. */
function unlessClientLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** The same URL with another cursor (RFC 8288), under the gateway's prefix if the request came through it. */
function nextUrl(req: Request, prefix: string, cursor: string): string {
  const url = new URL(req.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${prefix}${url.pathname}${url.search}`;
}

const fingerprintOf = (req: Request, multipart: MultipartBody | undefined): string =>
  multipart?.fingerprint ??
  createHash('sha256')
    .update(JSON.stringify([req.query, req.body ?? null]))
    .digest('hex');

/** 404 for every path that no route serves. */
export const unknownPath: RequestHandler = (req, res) =>
  sendProblem(
    res,
    new PlatformError(
      'NOT_FOUND',
      `Nothing is served at ${req.path.slice(0, 200)}; GET /docs lists what is.`,
    ),
    req.originalUrl,
  );
