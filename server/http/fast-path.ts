import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Logger } from '../observability/logger.ts';
import { MAX_JSON_BYTES } from './json-body.ts';

/** Whether a request has a JSON body in the form that nearly all clients send: UTF-8, not compressed, not too large. */
export function hasPlainJson(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  return (
    (type === 'application/json' || type === 'application/json; charset=utf-8') &&
    headers['content-encoding'] === undefined &&
    Number(headers['content-length']) <= MAX_JSON_BYTES
  );
}

/** Handles the failure of a request that is served without Express: the error is logged, and the connection is closed. */
export function served(serving: Promise<void>, res: ServerResponse, log: Logger): void {
  serving.catch((error: unknown) => {
    log.error({ err: error }, 'the fast path failed');
    res.destroy();
  });
}
