import type { JournalChanges } from './journal-changes.ts';
import type { Position } from './journal-tables.ts';
import type { RedisConnections } from './redis-connections.ts';

/** Reports through Redis, with one channel for each journal. A message is `<seq> <mark>`. */
export const redisJournalChanges = (redis: RedisConnections): JournalChanges => ({
  subscribe: (name, listener) =>
    redis.subscribe(channelOf(name), (message) => {
      const [seq, mark] = message.split(' ');
      listener({ seq: Number(seq), mark: mark || null });
    }),
  publish(name, { seq, mark }: Position) {
    void redis
      .attempt((client) => client.publish(channelOf(name), `${seq} ${mark ?? ''}`))
      .catch(() => undefined); // every instance also checks at an interval
  },
  onReady: (listener) => redis.onReady(listener),
});

const channelOf = (name: string): string => `squad:journal:{${name}}`;
