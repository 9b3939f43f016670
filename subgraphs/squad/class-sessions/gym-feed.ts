import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EventPageShape, MAX_WAIT_SECONDS, type EventShape } from '#server/events/events.shapes.ts';
import { PlatformError } from '#server/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import { callsToServices, type CallsToServices } from '#server/service-calls.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';
import { ClassSessionShape } from './class-sessions.shapes.ts';

const TIMEOUT_MILLIS = MAX_WAIT_SECONDS * 1_000 + 5_000;
/** The pause after a request that failed. */
const RETRY_MILLIS = 1_000; // 1 s
/** The shortest time between two requests, so that a popular session does not cause a frame for each of its bookings. */
const PACE_MILLIS = 200;
/** How long `begun` waits for the gym service. */
const BEGIN_MILLIS = 1_000; // 1 s
const EVENTS_PER_REQUEST = 200;

type SessionListener = (session: ClassSessionShape) => void;

/** In the feed, the title is that of the class. */
const SessionInFeed = ClassSessionShape.omit({ title: true }).extend({
  class: z.object({ title: z.string() }),
});

/**
 * The changes of class sessions, from the change feed of the gym service. Each replica reads the feed for itself, and only while
 * it has listeners; so a replica needs no state, and a gym service that is down delays the changes without losing any.
 */
export class GymFeed {
  private readonly calls: CallsToServices;
  private readonly log: Logger;
  private readonly listeners = new Map<string, Set<SessionListener>>();
  private readonly stopping = new AbortController();
  private reading: { end: AbortController; begun: Promise<void>; done: Promise<void> } | undefined;

  constructor({ log, ...options }: Parameters<typeof callsToServices>[0] & { log: Logger }) {
    this.calls = callsToServices({ ...options, timeoutMillis: TIMEOUT_MILLIS });
    this.log = log;
  }

  /** Calls `listener` for each changed session of the gym, until the returned function is called. */
  on(gymId: string, listener: SessionListener): () => void {
    const ofGym = this.listeners.get(gymId) ?? new Set();
    this.listeners.set(gymId, ofGym.add(listener));
    this.begin();
    return () => {
      ofGym.delete(listener);
      if (ofGym.size > 0 || this.listeners.get(gymId) !== ofGym) return;
      this.listeners.delete(gymId);
      if (this.listeners.size === 0) this.end();
    };
  }

  /**
   * Resolves once changes from now on are delivered. It does not wait long for a gym service that does not answer, because
   * everything else of a socket works without it.
   */
  async begun(): Promise<void> {
    await Promise.race([this.reading?.begun, sleep(BEGIN_MILLIS, undefined, { ref: false })]);
  }

  async dispose(): Promise<void> {
    this.stopping.abort();
    this.end();
    await this.reading?.done;
    await this.calls.close();
  }

  private begin(): void {
    if (this.stopping.signal.aborted || (this.reading && !this.reading.end.signal.aborted)) return;
    const end = new AbortController();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    this.reading = { end, begun, done: this.read(end.signal, resolve).finally(resolve) };
  }

  private end(): void {
    this.reading?.end.abort();
  }

  /**
   * Reads the changes from now on until the signal aborts. Never rejects.
   * @param begun called when the first request has been answered or has failed
   */
  private async read(signal: AbortSignal, begun: () => void): Promise<void> {
    let cursor = 'latest';
    let failed = false;
    while (!signal.aborted) {
      try {
        const { events, next } = await this.pageAfter(cursor, signal);
        cursor = next;
        failed = false;
        begun();
        this.deliver(events);
        await pause(PACE_MILLIS, signal);
      } catch (error) {
        if (signal.aborted) return;
        // The cursor is too old, or the gym's database was restored from a backup.
        if (error instanceof PlatformError && ['CURSOR_EXPIRED', 'VALIDATION_FAILED'].includes(error.code))
          cursor = 'latest';
        // The failure is logged once, not at every attempt while the service is down.
        if (!failed) this.log.warn({ err: error }, 'changes of class sessions cannot be read now');
        failed = true;
        begun();
        await pause(RETRY_MILLIS, signal);
      }
    }
  }

  private async pageAfter(
    after: string,
    signal: AbortSignal,
  ): Promise<{ events: EventShape[]; next: string }> {
    const query = new URLSearchParams({
      after,
      types: 'class_session.changed',
      limit: String(EVENTS_PER_REQUEST),
      wait: String(MAX_WAIT_SECONDS),
    });
    const answer = await this.calls.to('gym').call({
      method: 'GET',
      path: `/events?${query.toString()}`,
      as: 'service',
      origin: NO_ORIGIN,
      signal,
    });
    return EventPageShape.parse(answer);
  }

  /** Of several changes of one session only the last one is delivered: it is the whole session. */
  private deliver(events: readonly EventShape[]): void {
    const latest = new Map(events.map((event) => [event.subject, event.data]));
    for (const data of latest.values()) {
      const session = SessionInFeed.safeParse(data).data;
      if (!session) continue;
      const { class: gymClass, ...rest } = session;
      for (const listener of this.listeners.get(session.gymId) ?? [])
        listener({ ...rest, title: gymClass.title });
    }
  }
}

const pause = (millis: number, signal: AbortSignal): Promise<unknown> =>
  sleep(millis, undefined, { signal }).catch(() => undefined);
