import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '#server/errors.ts';
import { withoutPerson } from '#server/events/erase-events.ts';
import { EventPageShape, MAX_WAIT_SECONDS, type EventShape } from '#server/events/events.shapes.ts';
import { isInternalEventType, SERVICES_WITH_EVENTS } from '#server/events/event-types.ts';
import { insertEvents, peopleIn } from '#server/events/record-events.ts';
import type { Logger } from '#server/observability/logger.ts';
import { SpanKind } from '#server/observability/tracing.ts';
import { callsToServices, type CallsToServices } from '#server/service-calls.ts';
import type { ServiceName } from '#server/settings.ts';
import { NO_ORIGIN, type UnitOfWork } from '#server/unit-of-work.ts';
import { markAll, markChanged } from '../challenges/score-marks.ts';

/** If the replica that collects a feed does not renew its lease for this time, another replica takes over. */
const LEASE_MILLIS = 4_000; // 4 s
/** How often a collector renews its lease, and the other replicas try to get it. */
const RENEW_MILLIS = 1_500; // 1.5 s
/** The pause after a request that failed. */
const RETRY_MILLIS = 1_000; // 1 s
/** A service that does not answer is logged only after this time, because it may be starting, stopping or restarting. */
const UNNOTICED_MILLIS = 10_000; // 10 s
const TIMEOUT_MILLIS = MAX_WAIT_SECONDS * 1_000 + 5_000;
const EVENTS_PER_REQUEST = 200;

type Calls = Parameters<typeof callsToServices>[0];

interface CollectorOptions extends Calls {
  unitOf(): UnitOfWork;
  log: Logger;
}

/** Collects the feeds of the other services into the feed of this one. */
export class EventCollector {
  private readonly calls: CallsToServices;
  private readonly stopping = new AbortController();
  private readonly feeds: readonly FeedCollector[];
  private readonly runs: Promise<void>[];

  constructor({ unitOf, log, ...calls }: CollectorOptions) {
    this.calls = callsToServices({ ...calls, timeoutMillis: TIMEOUT_MILLIS });
    this.feeds = SERVICES_WITH_EVENTS.filter((service) => service !== 'gym').map(
      (service) =>
        new FeedCollector(service, { calls: this.calls, unitOf, log, signal: this.stopping.signal }),
    );
    this.runs = this.feeds.map((feed) => feed.run());
  }

  /** Collects what is published now, also if other replicas have the leases. @param signal ends it after the current page */
  async collectNow(signal: AbortSignal): Promise<void> {
    const collected = await Promise.allSettled(this.feeds.map((feed) => feed.collectNow(signal)));
    for (const one of collected) if (one.status === 'rejected') throw one.reason;
  }

  async dispose(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.runs);
    await this.calls.close();
  }
}

interface CollectedPage {
  readonly events: readonly EventShape[];
  /** Null: the feed is read again from its beginning. */
  readonly next: string | null;
  /** The trace contexts of sampled events, by the ids of the events. */
  readonly traces?: Readonly<Record<string, string>> | undefined;
}

const COLLECTING = {
  kind: SpanKind.consumer,
  attributes: {
    'messaging.operation.name': 'collect',
    'messaging.operation.type': 'receive',
    'messaging.destination.name': 'events',
  },
};

interface FeedOptions {
  calls: CallsToServices;
  unitOf(): UnitOfWork;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Collects the feed of one service. Of several replicas, the one with the lease does this in a loop of requests that wait
 * for events. The job `collect_events` also does it, in case no loop works. The lease only saves requests: events are stored
 * in the transaction that moves the cursor, and only if no other replica has moved it, so each event is stored once, in the
 * order of its feed.
 */
class FeedCollector {
  private readonly service: ServiceName;
  private readonly options: FeedOptions;
  private readonly holder = randomUUID();
  /** When the first of the present series of failures happened (`performance.now()`); undefined if the last request succeeded. */
  private failingSince: number | undefined;
  /** Whether the present series of failures was logged. */
  private isLogged = false;

  constructor(service: ServiceName, options: FeedOptions) {
    this.service = service;
    this.options = options;
  }

  /** Collects until the signal aborts. Never rejects. */
  async run(): Promise<void> {
    const { signal, log } = this.options;
    while (!signal.aborted) {
      try {
        if (await this.lease()) await this.collectWhileLeased();
        this.failingSince = undefined;
        this.isLogged = false;
      } catch (error) {
        this.failingSince ??= performance.now();
        const isLong = performance.now() - this.failingSince > UNNOTICED_MILLIS;
        // The failure is logged once, not at every attempt while the service is down.
        if (isLong && !this.isLogged && !signal.aborted) {
          log.warn({ err: error, service: this.service }, 'events of a service cannot be collected now');
          this.isLogged = true;
        }
      }
      await pause(this.failingSince === undefined ? RENEW_MILLIS : RETRY_MILLIS, signal);
    }
    await this.release().catch(() => undefined);
  }

  /** Collects what is published now, without waiting for more. */
  async collectNow(signal: AbortSignal): Promise<void> {
    const ended = AbortSignal.any([signal, this.options.signal]);
    await this.options
      .unitOf()
      .em.execute('insert into collected_feed (service) values (?) on conflict do nothing', [this.service]);
    while (!ended.aborted) {
      const cursor = await this.cursor();
      const page = await this.pageAfter(cursor, ended, 0);
      // `next` changes with time, even without events. If it were stored here, the collector with the lease, which waits for
      // an answer with the old cursor, could not store its events.
      if (page.events.length === 0 && page.next !== null) return;
      if (!(await this.store(cursor, page))) return; // the collector with the lease has stored these events
    }
  }

  private async collectWhileLeased(): Promise<void> {
    const { signal } = this.options;
    const lost = new AbortController();
    const renewal = setInterval(() => {
      this.lease().then(
        (isHeld) => isHeld || lost.abort(),
        () => lost.abort(),
      );
    }, RENEW_MILLIS);
    try {
      const ended = AbortSignal.any([signal, lost.signal]);
      while (!ended.aborted) await this.collect(ended);
    } catch (error) {
      if (!lost.signal.aborted) throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Reads and stores the events after the cursor; waits if there are none. */
  private async collect(signal: AbortSignal): Promise<void> {
    const cursor = await this.cursor();
    const page = await this.pageAfter(cursor, signal, MAX_WAIT_SECONDS);
    await this.store(cursor, page);
    this.failingSince = undefined;
    this.isLogged = false;
  }

  private async pageAfter(
    cursor: string | null,
    signal: AbortSignal,
    waitSeconds: number,
  ): Promise<CollectedPage> {
    const query = new URLSearchParams({
      limit: String(EVENTS_PER_REQUEST),
      wait: String(waitSeconds),
      ...(cursor !== null && { after: cursor }),
    });
    try {
      const answer = await this.options.calls.to(this.service).call({
        method: 'GET',
        path: `/events?${query.toString()}`,
        as: 'service',
        origin: NO_ORIGIN,
        signal,
      });
      return EventPageShape.parse(answer);
    } catch (error) {
      // The cursor is too old, or the service's database was restored from a backup: all events that the service still keeps
      // are read again. Events that are already stored here are not stored a second time.
      if (!(error instanceof PlatformError) || !['CURSOR_EXPIRED', 'VALIDATION_FAILED'].includes(error.code))
        throw error;
      this.options.log.warn(
        { err: error, service: this.service },
        'the feed of a service is read again from its beginning',
      );
      return { events: [], next: null };
    }
  }

  /** Stores a page and moves the cursor. Returns false, and stores nothing, if another collector has moved the cursor. */
  private async store(cursor: string | null, { events, next, traces = {} }: CollectedPage): Promise<boolean> {
    const unit = this.options.unitOf();
    // One transaction stores events of many traces; its span belongs to the trace of the first event.
    const [cause] = Object.values(traces);
    const run = (work: () => Promise<boolean>) =>
      cause === undefined ? work() : unit.traced('collect events', cause, COLLECTING, work);
    const storePage = () =>
      unit.transaction(async () => {
        const moved = await unit.em.execute<unknown[]>(
          'update collected_feed set cursor = ? where service = ? and cursor is not distinct from ? returning 1',
          [next, this.service, cursor],
        );
        if (moved.length === 0) return false;
        const byKind = Map.groupBy(events, ({ type }) => isInternalEventType(type));
        await insertCollected(unit, byKind.get(false) ?? [], traces);
        await applyInternal(unit, byKind.get(true) ?? []);
        // The feed is read again from its beginning, because its cursor was refused. Changes of trainings may have been
        // missed.
        if (next === null && this.service === 'content') await markAll(unit);
        return true;
      });
    return run(storePage);
  }

  private async cursor(): Promise<string | null> {
    const [row] = await this.options
      .unitOf()
      .read<{ cursor: string | null }>('select cursor from collected_feed where service = ?', [this.service]);
    return row?.cursor ?? null;
  }

  /** Gets or renews the lease; false if another replica has it. */
  private async lease(): Promise<boolean> {
    const rows = await this.options.unitOf().em.execute<unknown[]>(
      `insert into collected_feed (service, holder, held_until) values (?, ?, now() + ? * interval '1 millisecond')
       on conflict (service) do update set holder = excluded.holder, held_until = excluded.held_until
       where collected_feed.holder = excluded.holder or collected_feed.held_until is null or collected_feed.held_until < now()
       returning 1`,
      [this.service, this.holder, LEASE_MILLIS],
    );
    return rows.length > 0;
  }

  private async release(): Promise<void> {
    await this.options
      .unitOf()
      .em.execute('update collected_feed set held_until = null where service = ? and holder = ?', [
        this.service,
        this.holder,
      ]);
  }
}

/**
 * Stores the events. People whose accounts were erased here in the meantime are removed from the data. The function takes
 * the lock of the erasure, so either it finds the account among the erased ones, or the erasure finds the events.
 */
async function insertCollected(
  unit: UnitOfWork,
  events: readonly EventShape[],
  traces: Readonly<Record<string, string>>,
): Promise<void> {
  const named = [...new Set(events.flatMap(({ type, data }) => peopleIn(type, data)))];
  const erased = new Set(named.length > 0 ? await erasedAmong(unit, named) : []);
  const shown = events.map(({ data: collected, ...event }) => {
    let data = collected;
    for (const id of peopleIn(event.type, data))
      if (erased.has(id)) data = withoutPerson(event.type, data, id);
    return { ...event, data };
  });
  await insertEvents(unit, shown, { erased, tracesOf: (eventId) => traces[eventId] });
}

/** Applies internal events in the transaction that moves the cursor. They are not stored, so that no feed contains them. */
async function applyInternal(unit: UnitOfWork, events: readonly EventShape[]): Promise<void> {
  const changes = events.flatMap(({ type, data: { userId }, occurredAt }) =>
    type === 'trainings.changed' && typeof userId === 'string' ? [{ userId, at: occurredAt }] : [],
  );
  if (changes.length > 0) await markChanged(unit, changes);
}

async function erasedAmong(unit: UnitOfWork, userIds: readonly string[]): Promise<string[]> {
  const list = `{${userIds.join(',')}}`;
  await unit.em.execute(
    `select pg_advisory_xact_lock_shared(hashtext('erased_account'), lock)
     from (select distinct account_lock(id) as lock from unnest(?::uuid[]) as id order by 1) as locks`,
    [list],
  );
  const rows = await unit.em.execute<{ id: string }[]>(
    'select user_id as id from erased_account where user_id = any(?::uuid[])',
    [list],
  );
  return rows.map(({ id }) => id);
}

const pause = (millis: number, signal: AbortSignal): Promise<unknown> =>
  sleep(millis, undefined, { signal }).catch(() => undefined);
