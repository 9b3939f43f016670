import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { contextOf } from '../http/request-context.ts';
import { pageOfWhole, type Page, type PageRequest } from '../paging.ts';
import { begun } from '../streams.ts';
import { undeclaredFields } from '../undeclared-fields.ts';
import type { StoredAnswer } from './idempotency.ts';
import { isWholeList, Reply, type RestRoute } from './route.ts';
import { versionAndContentTag, versionTag } from './versions.ts';

const isPage = (result: unknown): result is Page<unknown> =>
  typeof result === 'object' && result !== null && 'cursorOf' in result;

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
    return new PagedReply(result.status, result.body, result.headers);
  }
  if (verify && success.shape) {
    if (success.page && isPage(result)) for (const item of result.items) verifyAnswer(success.shape, item);
    else verifyAnswer(success.shape, isPage(result) ? result.items : result);
  }
  if (!isPage(result)) {
    const tag = success.variesWithinVersion ? versionAndContentTag(result) : undefined;
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

/** Writes the reply: JSON with its `ETag` and the `Link` of a page, or a text, bytes or a stream. */
export async function send(req: Request, res: Response, reply: Reply): Promise<void> {
  const { body } = reply;
  if (
    body instanceof Readable ||
    Buffer.isBuffer(body) ||
    body instanceof Uint8Array ||
    typeof body === 'string'
  ) {
    // If a stream fails before its first byte, the answer is a problem document; after a later failure the answer is incomplete.
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
