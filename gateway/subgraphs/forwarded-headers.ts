import type { Span } from '#server/observability/tracing.ts';
import type { GatewayContext } from '../context/gateway-context.ts';

const perContext = new WeakMap<object, { authorization: string | undefined; headers: string[] }>();

/**
 * Headers of the client's request that the subgraphs get, as a list in which each name is followed by its value, which is
 * undici's fastest form. The list is made once for a request, however many fetches it has.
 */
export function forwardedHeaders(context: Partial<GatewayContext>): string[] {
  const { authorization } = context;
  const known = perContext.get(context);
  // The list contains the token, so it is made again if the token of the context has changed.
  if (known && known.authorization === authorization) return known.headers;
  const headers = ['accept', 'application/json'];
  if (authorization) headers.push('authorization', authorization);
  if (context.requestId) headers.push('x-request-id', context.requestId);
  if (context.traceparent) headers.push('traceparent', context.traceparent);
  if (context.address) headers.push('x-forwarded-for', context.address);
  if (context.userAgent) headers.push('user-agent', context.userAgent);
  headers.push('content-type', 'application/json');
  perContext.set(context, { authorization, headers });
  return headers;
}

/** A copy of the headers with the span's trace context instead of the request's. All fetches of a request share the original. */
export function withTrace(headers: string[], span: Span | undefined): string[] {
  if (!span) return headers;
  const copy = headers.slice();
  // Names are at even indexes; a value may have the same text as the name.
  const at = copy.findIndex((text, index) => index % 2 === 0 && text === 'traceparent');
  if (at === -1) copy.unshift('traceparent', span.traceparent);
  else copy[at + 1] = span.traceparent;
  return copy;
}
