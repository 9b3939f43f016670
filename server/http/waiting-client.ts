import type { IncomingMessage, ServerResponse } from 'node:http';

/** How many milliseconds the sender of a request waits for the answer. The gateway sends this header to the services. */
export const TIME_LIMIT_HEADER = 'x-time-limit-millis';
/**
 * How much earlier than the sender's limit the service must end, because the request and its answer need time on the way. For a
 * limit below 1 s it is half of the limit.
 */
const ON_THE_WAY_MILLIS = 500;

/**
 * Returns a function that returns how many milliseconds the service still has: the time for which the sender of the request
 * still waits, without the time that the answer needs on its way. Undefined if the request has no TIME_LIMIT_HEADER. A false
 * header harms only its sender, because it can only shorten the time that the service itself allows.
 */
export function timeLeftOf(headers: IncomingMessage['headers']): () => number | undefined {
  const header = headers[TIME_LIMIT_HEADER];
  const limit = typeof header === 'string' && /^\d{1,7}$/.test(header) ? Number(header) : undefined;
  if (limit === undefined) return () => undefined;
  const endsAt = performance.now() + Math.max(limit - ON_THE_WAY_MILLIS, limit / 2);
  return () => Math.max(0, endsAt - performance.now());
}

/** A signal that aborts if the connection closes before the answer is written. It is created at the first call. */
export function clientLeftOf(res: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (!controller) {
      const created = new AbortController();
      controller = created;
      if (res.destroyed && !res.writableFinished) created.abort();
      else
        res.once('close', () => {
          if (!res.writableFinished) created.abort();
        });
    }
    return controller.signal;
  };
}
