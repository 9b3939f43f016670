import { Readable } from 'node:stream';
import type { z } from 'zod';
import { pageOfWhole, type Page, type PageRequest } from '../paging.ts';
import { begun } from '../streams.ts';
import { undeclaredFields } from '../undeclared-fields.ts';
import type { Exchange } from './exchange.ts';
import type { StoredAnswer } from './idempotency.ts';
import { isWholeList, Reply, type RestRoute } from './route.ts';
import { listTag, versionAndContentTag, versionTag } from './versions.ts';

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'cursorOf' in result;

/** `Pragma` is for caches of HTTP/1.0; RFC 6749, section 5.1, requires both headers. */
const storageHeadersOf = ({ noStore }: RestRoute<never>['success']): Record<string, string> =>
  noStore ? { 'Cache-Control': 'no-store', Pragma: 'no-cache' } : {};

/** The reply for a handler's result. @param verify whether to check the result against the route's declared shape */
export function replyOf<Services>(
  route: RestRoute<Services>,
  query: unknown,
  answer: unknown,
  verify: boolean,
): Reply {
  const { success } = route;
  const result =
    isWholeList(route) && Array.isArray(answer) ? pageOfWhole(answer, query as PageRequest) : answer;
  if (result instanceof Reply) {
    if (verify && result.status !== success.status && result.status !== success.otherwise?.status)
      throw new Error(`the route declares no answer with the status ${result.status}`);
    if (verify && result.body instanceof Readable && !success.contentType && !success.streamed)
      throw new Error('the route does not declare that its answer is a stream');
    return new PagedReply(result.status, result.body, { ...storageHeadersOf(success), ...result.headers });
  }
  if (verify && success.shape) {
    if (success.page && isPage(result)) for (const item of result.items) verifyAnswer(success.shape, item);
    else verifyAnswer(success.shape, isPage(result) ? result.items : result);
  }
  if (!isPage(result)) {
    const tag = success.variesWithinVersion ? versionAndContentTag(result) : undefined;
    return new PagedReply(success.status, success.status === 204 ? undefined : result, {
      ...(tag && { ETag: tag }),
      ...storageHeadersOf(success),
    });
  }
  const last = result.items.at(-1);
  return new PagedReply(
    success.status,
    result.items,
    {
      ...(result.missing?.length && { Incomplete: result.missing.join(', ') }),
      ...(result.version !== undefined && { ETag: listTag(result.version, result.items) }),
    },
    result.hasNextPage && last !== undefined ? result.cursorOf(last) : undefined,
  );
}

/** @throws Error if an answer does not have the shape that the OpenAPI document declares */
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

/** The reply as it is stored for an `Idempotency-Key`. */
export function answerOf(reply: Reply): StoredAnswer {
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

/**
 * Sends the reply: JSON with its `ETag` and the `Link` of a page, or a text, bytes or a stream. A `Location` at this service gets
 * the gateway's prefix if the request came through the gateway.
 */
export async function send(exchange: Exchange, reply: Reply): Promise<void> {
  const { status, body } = reply;
  const { prefix } = exchange.context.origin;
  const location = reply.headers.Location;
  const headers = location?.startsWith('/')
    ? { ...reply.headers, Location: prefix + location }
    : reply.headers;
  if (body instanceof Readable) {
    // If a stream fails before its first byte, the answer is a problem document; after a later failure the answer is incomplete.
    await begun(body);
    return exchange.send(status, headers, body);
  }
  if (body instanceof Uint8Array)
    return exchange.send(status, headers, Buffer.isBuffer(body) ? body : Buffer.from(body));
  if (typeof body === 'string') return exchange.send(status, headers, body);
  const all: Record<string, string> = { ...jsonHeaders(body), ...headers };
  if (reply instanceof PagedReply && reply.nextCursor !== undefined)
    all.Link = `<${nextUrl(exchange.url, prefix, reply.nextCursor)}>; rel="next"`;
  return exchange.send(status, all, body === undefined ? undefined : JSON.stringify(body));
}

/** The same URL with another cursor (RFC 8288), under the gateway's prefix if the request came through it. */
function nextUrl(target: string, prefix: string, cursor: string): string {
  const url = new URL(target, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${prefix}${url.pathname}${url.search}`;
}
