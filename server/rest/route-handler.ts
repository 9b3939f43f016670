import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import readWhole from 'raw-body';
import {
  authenticateToken,
  authIgnoringInvalidToken,
  optionalAuth,
  type Authentication,
} from '../auth/authenticate.ts';
import type { TokenVerifier } from '../auth/token-verifier.ts';
import { invalid, notFound, PlatformError } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import { streamOf } from '../streams.ts';
import { validated } from '../validate.ts';
import type { Exchange, RequestBody } from './exchange.ts';
import { callerOf, keyOf, type IdempotencyStore, type KeyedRequest } from './idempotency.ts';
import { problemAnswer } from './problem.ts';
import type { RateCounter, RateLimit } from './rate-limit.ts';
import { answerOf, replyOf, send } from './replies.ts';
import { checkBodyFields, checkQueryFields } from './request-fields.ts';
import { errorCodesOf } from './route-errors.ts';
import { Reply, type RestMethod, type RestRequest, type RestRoute } from './route.ts';
import { expectedVersionOf, refuseExpectedVersion } from './versions.ts';

/** The parts of a server that its routes need. */
export interface RouteHost<Services> {
  verifier: TokenVerifier;
  /** Creates the rules for one request, and the store for its `Idempotency-Key`. */
  begin(context: RequestContext): { services: Services; idempotency: IdempotencyStore };
  /** Counts the requests of all routes with this limit; undefined if requests are not limited. */
  counterOf(limit: RateLimit | undefined): RateCounter | undefined;
  /** Checks every answer against its declared shape and errors, so that every test also tests the OpenAPI document. */
  verifyAnswers: boolean;
}

/** Answers one request to a route. @throws every error; the calling code makes the problem document of it */
export type RouteHandler = (exchange: Exchange) => Promise<void>;

/** A route with its handler. */
export interface HandledRoute {
  readonly route: RestRoute<never>;
  readonly handle: RouteHandler;
}

/** The routes with their handlers, in the same order. */
export const handledRoutes = <Services>(
  routes: readonly RestRoute<Services>[],
  host: RouteHost<Services>,
): HandledRoute[] =>
  routes.map((route) => {
    const handle = routeHandler(route, host);
    const declared = route as RestRoute<never>;
    return { route: declared, handle: host.verifyAnswers ? withDeclaredErrors(declared, handle) : handle };
  });

/** The handler, which fails if an error is not declared. */
function withDeclaredErrors(route: RestRoute<never>, handle: RouteHandler): RouteHandler {
  const declared = errorCodesOf(route);
  return async (exchange) => {
    try {
      await handle(exchange);
    } catch (error) {
      if (!(error instanceof PlatformError) || declared.has(error.code)) throw error;
      throw new Error(`${route.method} ${route.path} does not declare its error ${error.code}`, {
        cause: error,
      });
    }
  };
}

const AUTHENTICATION: Readonly<Record<RestRoute<never>['auth'], Authentication>> = {
  required: authenticateToken,
  optional: optionalAuth,
  ignoreInvalidToken: authIgnoringInvalidToken,
};

/** Methods that change an existing resource. A POST creates one, so its caller can have read no earlier version. */
const CHANGING_METHODS: ReadonlySet<RestMethod> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Handles requests to a route: authentication, limits, validation, idempotency, versions and paging. */
function routeHandler<Services>(route: RestRoute<Services>, host: RouteHost<Services>): RouteHandler {
  const authenticate = AUTHENTICATION[route.auth];
  const count = host.counterOf(route.rateLimit);
  const isVersionRefused = !route.versioned && CHANGING_METHODS.has(route.method);
  return async (exchange) => {
    const { context, headers } = exchange;
    context.viewer = await authenticate(headers, host.verifier);
    if (count) await countRequest(count, exchange);
    if (isVersionRefused) refuseExpectedVersion(headers['if-match']);
    const body = await exchange.readBody();
    const { services, idempotency } = host.begin(context);
    const request = requestOf(route, exchange, body);
    const perform = async (stream: Readable) =>
      replyOf(
        route,
        request.query,
        await route.handler({ ...request, stream } as RestRequest<never, never, never>, services),
        host.verifyAnswers,
      );
    const key = route.method === 'POST' ? headers['idempotency-key'] : undefined;
    const [file] = body.multipart?.files ?? [];
    if (typeof key !== 'string')
      return send(exchange, await perform(route.consumes && file ? streamOf([file.bytes]) : exchange.stream));
    const keyed = keyedBy(exchange, key);
    const limit = route.upload?.maxBytes ?? MAX_KEYED_BYTES;
    const bytes = route.consumes && (file?.bytes ?? (await wholeOf(exchange.stream, limit)));
    const fingerprint = fingerprintOf(exchange, body, bytes);
    await sendOnce(exchange, { ...keyed, fingerprint }, idempotency, () =>
      perform(bytes ? streamOf([bytes]) : exchange.stream),
    );
  };
}

/** For routes without `upload.maxBytes`, whose rules may have a lower limit of their own. */
const MAX_KEYED_BYTES = 32 * 1024 * 1024; // 32 MiB

/**
 * The whole body of a keyed request whose route consumes a stream. It is read before the transaction begins: the transaction
 * would wait for the client, with a connection to the database; and its repetition could not read the body again.
 * @throws PAYLOAD_TOO_LARGE; VALIDATION_FAILED if the client ends the request early
 */
async function wholeOf(stream: Readable, limit: number): Promise<Buffer> {
  try {
    return await readWhole(stream, { limit });
  } catch (error) {
    // The rest is read without being stored, because clients read the answer only after they have sent the body.
    stream.on('error', () => undefined).resume();
    if ((error as { type?: string }).type === 'entity.too.large')
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `The body is larger than ${Math.floor(limit / 1024 / 1024)} MiB; send it in parts.`,
      );
    throw invalid('', 'the request ended before its body was complete; send it again');
  }
}

async function countRequest(count: RateCounter, exchange: Exchange): Promise<void> {
  const { headers, refusal } = await count(exchange.context);
  exchange.set(headers);
  if (refusal) throw refusal;
}

function requestOf<Services>(
  route: RestRoute<Services>,
  exchange: Exchange,
  { value, multipart }: RequestBody,
): Omit<RestRequest<unknown, unknown, unknown>, 'stream'> {
  const { params: rawParams, query, headers, context } = exchange;
  const params = route.params?.safeParse(rawParams);
  if (params && !params.success) throw notFound('object', Object.values(rawParams).join('/').slice(0, 100));
  const { viewer, address, origin } = context;
  checkQueryFields(route, query, viewer);
  checkBodyFields(route, value, viewer);
  const body = route.body ? validated(route.body, value) : undefined;
  return {
    params: params?.data,
    query: route.query ? validated(route.query, query) : undefined,
    body,
    files: multipart?.files ?? [],
    expectedVersion: route.versioned ? expectedVersionOf(headers['if-match'], body) : undefined,
    viewer,
    address,
    userAgent: origin.userAgent,
    header: (name) => {
      const header = headers[name];
      return Array.isArray(header) ? header[0] : header;
    },
  };
}

const keyedBy = (
  { context: { viewer, address }, method, path }: Exchange,
  key: string,
): Omit<KeyedRequest, 'fingerprint'> => ({
  caller: callerOf(viewer, address),
  key: keyOf(key),
  operation: `${method} ${path}`,
});

/** @param bytes of a body that the route consumes as a stream */
function fingerprintOf(
  { query }: Exchange,
  { value, multipart }: RequestBody,
  bytes: Buffer | undefined,
): string {
  const hash = createHash('sha256').update(JSON.stringify([query, multipart?.fingerprint ?? value ?? null]));
  if (bytes) hash.update(bytes);
  return hash.digest('hex');
}

/** Sends the answer that is stored for the key, or performs the request and stores its answer. */
async function sendOnce(
  exchange: Exchange,
  keyed: KeyedRequest,
  idempotency: IdempotencyStore,
  perform: () => Promise<Reply>,
): Promise<void> {
  let refusal: PlatformError | undefined;
  const { answer, replayed } = await idempotency.once(keyed, async () => {
    try {
      return answerOf(await perform());
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      // A 4xx of the rules is stored as the answer. After 401 and 429 no answer is stored, so that the key is free again, but
      // writes such as the count of failed log-ins are committed.
      if (![401, 429].includes(error.status)) return problemAnswer(error, exchange.url, exchange.context);
      refusal = error;
      return undefined;
    }
  });
  if (!answer)
    throw refusal ?? new Error('a request with an Idempotency-Key has neither an answer nor a refusal');
  if (replayed) exchange.set({ 'Idempotency-Replayed': 'true' });
  const { status, headers, body } = answer;
  await send(exchange, new Reply(status, body === null ? undefined : Buffer.from(body), headers));
}
