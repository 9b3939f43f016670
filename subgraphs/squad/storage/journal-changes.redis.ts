import { causedBy, causeSuffix, withoutCause } from '#server/observability/event-cause.ts';
import type { JournalChanges } from './journal-changes.ts';
import type { Position } from './journal-tables.ts';
import type { RedisConnections } from './redis-connections.ts';

/**
 * The maximum number of reports that wait for Redis. The oldest ones may be dropped, because every instance also checks the
 * journals that it follows at an interval.
 */
const MAX_UNSENT = 10_000;

/**
 * Reports through Redis, with one channel for each journal. A message is the position of the latest record, `<seq> <mark>`,
 * and the cause of the change.
 */
export function redisJournalChanges(redis: RedisConnections): JournalChanges {
  const unsent = new Map<string, Position>();
  const publish = (name: string, position: Position): void => {
    const { seq, mark } = position;
    redis.publish(channelOf(name), `${seq} ${mark ?? ''}${causeSuffix()}`).catch(() => {
      const known = unsent.get(name);
      if (known && known.seq > seq) return;
      if (!known && unsent.size >= MAX_UNSENT) unsent.delete(unsent.keys().next().value ?? '');
      unsent.set(name, position);
    });
  };
  redis.onRecovered(() => {
    const reports = [...unsent];
    unsent.clear();
    for (const [name, position] of reports) publish(name, position);
  });
  return {
    subscribe: (name, listener) =>
      redis.subscribe(channelOf(name), (message) => {
        const { payload, cause } = withoutCause(message);
        const [seq, mark] = payload.split(' ');
        causedBy(cause, () => listener({ seq: Number(seq), mark: mark || null }));
      }),
    publish,
    onReady: (listener) => redis.onReady(listener),
  };
}

const channelOf = (name: string): string => `squad:journal:{${name}}`;
