import { activeSpan, SpanKind, type Span } from './tracing.ts';

/**
 * Begins the span of a request to another server, by the semantic conventions for HTTP clients, if the running work is
 * sampled. The URL is left out: some paths contain tokens.
 */
export const callSpan = (method: string, to: string): Span | undefined =>
  activeSpan()?.child(method, {
    kind: SpanKind.client,
    attributes: { 'http.request.method': method, 'peer.service': to },
  });

/** @param outcome the status of the answer, or the type of the error */
export function endCall(span: Span | undefined, outcome: number | string): void {
  if (!span) return;
  if (typeof outcome === 'number') span.set({ 'http.response.status_code': outcome });
  if (typeof outcome === 'string' || outcome >= 400) span.fail(String(outcome));
  span.end();
}
