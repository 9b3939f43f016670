import type { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from '../observability/logger.ts';

/** Connections are often lost together, for example at a restart of the server. */
const COLLECTED_MILLIS = 1_000; // 1 s
const MILLIS_BETWEEN_LINES = 60_000; // 1 min

interface LossOptions {
  /** Milliseconds between two lines; for tests. Default: a minute. */
  betweenLinesMillis?: number;
}

/**
 * Logs that connections of the pool were lost while nobody used them, at most one line per minute. No request reports such
 * a loss, because the pool opens another connection. A query on a connection that is lost in use throws the error.
 *
 * @returns a function that logs what it has counted so far, and ends the log
 */
export async function logLostConnections(
  orm: MikroORM,
  log: Logger,
  { betweenLinesMillis = MILLIS_BETWEEN_LINES }: LossOptions = {},
): Promise<() => void> {
  const pool = await orm.em.getConnection().getNativeClient();
  let connections = 0;
  let reason = '';
  let nextLineAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (connections === 0) return;
    log.warn(
      { connections, reason },
      'connections to the database were lost while they were not in use; the next requests open others',
    );
    connections = 0;
    nextLineAt = performance.now() + betweenLinesMillis;
  };
  const onError = (error: Error): void => {
    connections += 1;
    reason = error.message;
    timer ??= setTimeout(write, Math.max(COLLECTED_MILLIS, nextLineAt - performance.now())).unref();
  };
  pool.on('error', onError);
  return () => {
    pool.off('error', onError);
    write();
  };
}
