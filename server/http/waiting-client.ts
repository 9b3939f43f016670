import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds that the sender of a request waits for its answer at most; the gateway says so to the services. */
export const TIME_LIMIT_HEADER = 'x-time-limit-millis';
/** An answer that is ready in time takes this long to be written, and its request took as long to arrive. */
const ON_THE_WAY_MILLIS = 500;

/**
 * How long the sender of a request still waits, counted from now on. A header that lies harms nobody else: it can only
 * shorten what a service itself allows.
 */
export function timeLeftOf(headers: IncomingMessage['headers']): () => number | undefined {
  const header = headers[TIME_LIMIT_HEADER];
  const limit = typeof header === 'string' && /^\d{1,7}$/.test(header) ? Number(header) : undefined;
  if (limit === undefined) return () => undefined;
  const endsAt = performance.now() + Math.max(limit - ON_THE_WAY_MILLIS, limit / 2);
  return () => Math.max(0, endsAt - performance.now());
}

/** A signal that aborts if the connection closes before the answer is written; made when it is first asked for. */
export function clientLeftOf(res: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (!controller) {
      const made = new AbortController();
      controller = made;
      if (res.destroyed && !res.writableFinished) made.abort();
      else
        res.once('close', () => {
          if (!res.writableFinished) made.abort();
        });
    }
    return controller.signal;
  };
}
