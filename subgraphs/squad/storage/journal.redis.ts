import { LRUCache } from 'lru-cache';
import type { Logger } from '#server/observability/logger.ts';
import { isRedisLost } from '#server/redis/redis-connection.ts';
import { APPEND, PULL, REPLACE, REWRITE, SEED } from './journal-scripts.redis.ts';
import type { RedisConnections } from './redis-connections.ts';
import type { Following, JournalKind, JournalListener, Journals, JournalsOf } from './journal.ts';

const PREFIX = 'squad:journal';
const SPARE_RECORDS = 500;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * Journals in Redis, one list each, which any number of instances write and follow. `total` counts the records ever
 * written; `base` is the `total` at which the list was last replaced by the fewest records of its state.
 */
export class RedisJournals implements Journals {
  private readonly redis: RedisConnections;
  private readonly log: Logger;
  private readonly followed = new Map<string, RedisJournal<unknown, object>>();
  private readonly cached = new LRUCache<string, RedisJournal<unknown, object>>({ max: 2_000 });

  constructor(redis: RedisConnections, log: Logger) {
    this.redis = redis;
    this.log = log;
    // Messages are lost while there is no connection.
    redis.onReady(() => this.followed.forEach((journal) => void journal.catchUp()));
  }

  of<State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item> {
    return {
      read: (id) => this.journal(kind, id).change(() => []),
      change: (id, decide) => this.journal(kind, id).change(decide),
      follow: (id, listener) => this.follow(this.journal(kind, id), listener),
      rewrite: (id, change) => this.journal(kind, id).rewrite(change),
    };
  }

  get listeners(): number {
    return [...this.followed.values()].reduce((sum, journal) => sum + journal.listeners.size, 0);
  }

  async close(): Promise<void> {
    this.followed.clear();
    this.cached.clear();
  }

  /** The maps contain journals of all kinds. The key contains the kind, so that the casts are right. */
  private journal<State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
  ): RedisJournal<State, Item> {
    const key = `${PREFIX}:{${kind.name}:${id}}`;
    const known = this.followed.get(key) ?? this.cached.get(key);
    if (known) return known as unknown as RedisJournal<State, Item>;
    const journal = new RedisJournal(kind, id, key, this.redis, this.log);
    this.cached.set(key, journal as never);
    return journal;
  }

  private async follow<State, Item extends object>(
    journal: RedisJournal<State, Item>,
    listener: JournalListener<State>,
  ): Promise<Following<State>> {
    const { key } = journal;
    journal.followers += 1;
    this.followed.set(key, journal as never);
    if (journal.followers === 1)
      journal.subscribed = this.redis.subscribe(key, (total) => void journal.catchUp(Number(total)));
    const { subscribed } = journal;
    let isStopped = false;
    const stop = (): void => {
      if (isStopped) return;
      isStopped = true;
      journal.listeners.delete(listener);
      journal.followers -= 1;
      if (journal.followers > 0) return;
      // A later follower begins a subscription of its own.
      void subscribed.then((unsubscribe) => unsubscribe()).catch(() => undefined);
      if (this.followed.get(key) !== (journal as never)) return;
      this.followed.delete(key);
      this.cached.set(key, journal as never);
    };
    try {
      await subscribed;
      return { state: await journal.listen(listener), stop };
    } catch (error) {
      stop();
      throw error;
    }
  }
}

/** One list, with its state as far as this instance has read it. Its operations run one after the other. */
class RedisJournal<State, Item extends object> {
  readonly key: string;
  readonly listeners = new Set<JournalListener<State>>();
  /** Listeners, and those whose subscription is about to begin. */
  followers = 0;
  /** The subscription that all listeners share; resolves to the function that ends it. */
  subscribed: Promise<() => void> = Promise.resolve(() => undefined);
  private readonly kind: JournalKind<State, Item>;
  private readonly id: string;
  private readonly redis: RedisConnections;
  private readonly log: Logger;
  private state: State;
  private total = 0;
  private working: Promise<unknown> = Promise.resolve();

  constructor(kind: JournalKind<State, Item>, id: string, key: string, redis: RedisConnections, log: Logger) {
    this.kind = kind;
    this.id = id;
    this.key = key;
    this.redis = redis;
    this.log = log;
    this.state = kind.empty(id);
  }

  change(decide: (state: State) => readonly Item[]): Promise<State> {
    return this.inTurn(async () => {
      for (;;) {
        await this.pull();
        const items = decide(this.state);
        if (items.length === 0 || (await this.append(items))) return this.state;
      }
    });
  }

  rewrite(change: (state: State) => State): Promise<State> {
    return this.inTurn(async () => {
      for (;;) {
        await this.pull();
        const state = change(this.state);
        const texts = this.kind.compacted(state).map((item) => JSON.stringify(item));
        if (!(await this.run(REWRITE, [String(this.total), this.key, this.expirySeconds, ...texts])))
          continue;
        this.state = state;
        this.total += 1;
        this.notify();
        return state;
      }
    });
  }

  /** The listener is called with every state after the returned one. */
  listen(listener: JournalListener<State>): Promise<State> {
    return this.inTurn(async () => {
      await this.pull();
      this.listeners.add(listener);
      return this.state;
    });
  }

  /** @param total of a message; absent if messages may have been lost */
  async catchUp(total?: number): Promise<void> {
    if (total !== undefined && total <= this.total) return;
    await this.inTurn(() => this.pull()).catch((error: unknown) => {
      // It is read again when Redis is back.
      if (!isRedisLost(error))
        this.log.warn({ err: error, key: this.key }, 'new records of a journal could not be read');
    });
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.working.then(work);
    this.working = turn.catch(() => undefined);
    return turn;
  }

  /** 0: the journal never expires. */
  private get expirySeconds(): string {
    return String((this.kind.keepDays ?? 0) * DAY_SECONDS);
  }

  private get keys(): string[] {
    return [this.key, `${this.key}:meta`];
  }

  private async pull(): Promise<void> {
    const [total, isWhole, texts] = (await this.run(PULL, [String(this.total)])) as [
      number,
      number,
      string[],
    ];
    if (total === this.total) return;
    // Redis has lost records that this instance still has.
    if (total < this.total) return this.seed();
    const items = texts.map((text) => JSON.parse(text) as Item);
    if (isWhole) {
      this.state = items.reduce((state, item) => this.kind.apply(state, item), this.kind.empty(this.id));
      this.total = total;
      return this.notify();
    }
    for (const item of items) this.step(item);
  }

  private async append(items: readonly Item[]): Promise<boolean> {
    const texts = items.map((item) => JSON.stringify(item));
    const [done, length] = (await this.run(APPEND, [
      String(this.total),
      this.key,
      this.expirySeconds,
      ...texts,
    ])) as [number, number];
    if (!done) return false;
    for (const item of items) this.step(item);
    if (length > SPARE_RECORDS * 2) await this.compact(length);
    return true;
  }

  private async compact(length: number): Promise<void> {
    const texts = this.kind.compacted(this.state).map((item) => JSON.stringify(item));
    if (length < texts.length * 2 + SPARE_RECORDS) return;
    await this.run(REPLACE, [String(this.total), String(this.total), ...texts]).catch((error: unknown) =>
      this.log.warn({ err: error, key: this.key }, 'a journal could not be shortened'),
    );
  }

  private async seed(): Promise<void> {
    this.log.warn(
      { key: this.key, records: this.total },
      'Redis has lost a journal; it is written again from memory',
    );
    await this.run(SEED, [
      String(this.total),
      this.expirySeconds,
      ...this.kind.compacted(this.state).map((item) => JSON.stringify(item)),
    ]);
  }

  private step(item: Item): void {
    this.state = this.kind.apply(this.state, item);
    this.total += 1;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) {
      try {
        listener(this.state);
      } catch (error) {
        this.log.error({ err: error }, 'a listener of a journal failed');
      }
    }
  }

  private run(script: string, args: string[]): Promise<unknown> {
    const options = { keys: this.keys, arguments: args };
    if (script === PULL) return this.redis.read((client) => client.eval(script, options));
    return this.redis.write((client) => client.eval(script, options));
  }
}
