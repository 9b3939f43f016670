import { createHash } from 'node:crypto';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { Store } from 'express-rate-limit';
import { authenticateToken, authIgnoringInvalidToken, optionalAuth } from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { notFound, PlatformError } from '../errors.ts';
import { MAX_JSON_BYTES, readJson } from '../http/json-body.ts';
import { noteOutsideEffect } from '../outside-effects.ts';
import { contextOf } from '../http/request-context.ts';
import { streamOf } from '../streams.ts';
import { validated } from '../validate.ts';
import { callerOf, keyOf, type IdempotencyStore } from './idempotency.ts';
import { readMultipart, type MultipartBody, type UploadLimits } from './multipart.ts';
import { problemAnswer, sendProblem } from './problem.ts';
import { rateLimited, type RateLimit } from './rate-limit.ts';
import { answerOf, replyOf, send } from './replies.ts';
import { checkBodyFields, checkQueryFields } from './request-fields.ts';
import { Reply, type RestMethod, type RestRequest, type RestRoute } from './route.ts';
import { expectedVersionOf, refuseExpectedVersion } from './versions.ts';

/** The parts of a server that its routes need. */
interface RouteHost<Services> {
  verifier: TokenVerifier;
  /** Creates the rules for one request, and the store for its `Idempotency-Key`. */
  begin(res: Response): { services: Services; idempotency: IdempotencyStore };
  /** Requests per minute and caller; undefined if no request is limited. */
  generalLimitPerMinute: number | undefined;
  rateLimitStore?: (name: string) => Store | undefined;
  /** Whether every answer is checked against its declared shape. Tests do so, and thereby test the OpenAPI document, too. */
  verifyAnswers: boolean;
}

/**
 * Mounts declared routes with authentication, limits, validation, idempotency, versions and paging. Other methods of their
 * paths are answered with 405.
 */
export function mountRoutes<Services>(
  app: Express,
  routes: readonly RestRoute<Services>[],
  host: RouteHost<Services>,
): void {
  const limiterOf = limiters(host);
  for (const route of routes)
    app[route.method.toLowerCase() as Lowercase<RestMethod>](
      route.path,
      ...[
        AUTHENTICATION[route.auth](host.verifier),
        limiterOf(route.rateLimit),
        route.consumes && streamedBody(route.consumes, route.upload),
        route.body && !route.upload && (route.acceptsForm ? jsonOrForm : jsonBody),
        route.body && route.upload?.optional && jsonUnlessMultipart,
        handlerOf(route, host),
      ].filter((handler) => typeof handler === 'function'),
    );
  refuseOtherMethods(app, routes);
}

/** Routes whose limits have the same name are counted together. Routes without a limit have the general limit. */
function limiters({
  generalLimitPerMinute: perMinute,
  rateLimitStore,
}: Pick<RouteHost<never>, 'generalLimitPerMinute' | 'rateLimitStore'>) {
  const known = new Map<string, RequestHandler>();
  return (limit: RateLimit | undefined): RequestHandler | undefined => {
    if (perMinute === undefined) return undefined;
    const { name, ...rate } = limit ?? { name: 'general', perMinute, by: 'caller' };
    const limiter = known.get(name) ?? rateLimited({ name, ...rate, store: rateLimitStore?.(name) });
    known.set(name, limiter);
    return limiter;
  };
}

function refuseOtherMethods(app: Express, routes: readonly { path: string; method: RestMethod }[]): void {
  // `/locations/check-in` is registered before `/locations/:id`, so that a 405 lists the methods of the more specific path.
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
  ignoreInvalidToken: authIgnoringInvalidToken,
} as const;

const parseJson = readJson(['application/json', 'application/*+json']);

/** Reads a JSON body. It must declare its type, because express ignores a body of another type, and its data would be lost. */
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

const parseForm = express.urlencoded({ extended: false, limit: MAX_JSON_BYTES });

const jsonOrForm: RequestHandler = (req, res, next) =>
  req.is('application/x-www-form-urlencoded') ? parseForm(req, res, next) : jsonBody(req, res, next);

const isMultipart = (req: Request): boolean => Boolean(req.is('multipart/form-data'));

/** If files are optional, a request without files may be JSON. */
const jsonUnlessMultipart: RequestHandler = (req, res, next) =>
  isMultipart(req) ? next() : jsonBody(req, res, next);

/** Checks that a streamed body declares the media type that the route accepts; the handler reads its bytes. */
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

/** Methods that change an existing resource. A POST creates one, so its caller can have read no earlier version. */
const CHANGING_METHODS: ReadonlySet<RestMethod> = new Set(['PUT', 'PATCH', 'DELETE']);

function handlerOf<Services>(route: RestRoute<Services>, host: RouteHost<Services>): RequestHandler {
  return async (req, res) => {
    if (!route.versioned && CHANGING_METHODS.has(route.method))
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
      if (route.consumes && !multipart) noteOutsideEffect(); // the handler can read the body only once
      try {
        return answerOf(await perform());
      } catch (error) {
        if (!(error instanceof PlatformError) || error.status >= 500) throw error;
        // A 4xx of the rules is stored as the answer, except 401 and 429: the key is then free again, but writes such as the
        // count of failed log-ins must be committed.
        if (![401, 429].includes(error.status)) return problemAnswer(error, req.originalUrl, contextOf(res));
        refusal = error;
        return undefined;
      }
    });
    if (!answer)
      throw refusal ?? new Error('a request with an Idempotency-Key has neither an answer nor a refusal');
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
  if (params && !params.success) throw notFound('object', Object.values(req.params).join('/').slice(0, 100));
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

const fingerprintOf = (req: Request, multipart: MultipartBody | undefined): string =>
  multipart?.fingerprint ??
  createHash('sha256')
    .update(JSON.stringify([req.query, req.body ?? null]))
    .digest('hex');

/** Answers 404 to every path that no route serves. */
export const unknownPath: RequestHandler = (req, res) =>
  sendProblem(
    res,
    new PlatformError(
      'NOT_FOUND',
      `Nothing is served at ${req.path.slice(0, 200)}; GET /docs lists all paths.`,
    ),
    req.originalUrl,
  );
