import { setTimeout as sleep } from 'node:timers/promises';
import { atMost } from '#server/concurrency.ts';
import type { EventShape } from '#server/events/events.shapes.ts';
import type { EventLog } from '#server/events/event-log.ts';
import { Counter, Histogram, type Metrics } from '#server/observability/metrics.ts';
import { SpanKind, withoutSpan } from '#server/observability/tracing.ts';
import { measureWaiting } from './waiting-deliveries.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { claimDue, release, renew, RENEW_MILLIS, type Claimed, type FreePlaces } from './claims.ts';
import { createDeliveries } from './fan-out.ts';
import { isReceived, writeFailure, writeReceived, type Attempted } from './results.ts';
import { send, type SendResult } from './send.ts';

/**
 * The maximum number of attempts that this process makes at the same time. Webhooks whose last attempt has failed have
 * places of their own, so that receivers that hang do not take the places of the others. An attempt that waits for its
 * answer uses a socket, but no connection to the database.
 */
const PLACES: Readonly<FreePlaces> = { working: 320, failing: 64 };
/** The most transactions that write failed attempts at the same time, so that database connections remain for requests. */
const WRITERS = 4;
/**
 * The pause between two rounds of writing results and claiming. At 200 events a second, it halves the number of statements.
 */
const GATHER_MILLIS = 10;
/** The pause after a failure of the database. */
const RETRY_MILLIS = 2_000; // 2 s
/** How long a stop waits for the attempts that have begun. */
const STOP_MILLIS = 1_000; // 1 s

interface DispatcherOptions {
  events: EventLog;
  unitOf(): UnitOfWork;
  /** Whether URLs may be http to this machine. */
  allowsLoopback: boolean;
  metrics: Metrics;
  log: Logger;
}

/**
 * Sends the events of the feed to webhooks: writes the results of attempts, creates deliveries, and claims those that are
 * due. It works at each publication of events and at the end of each attempt. The job `send_webhooks` wakes it for
 * deliveries that are due later, and for those that killed processes have left. Any number of replicas may run a dispatcher,
 * because a delivery is claimed before it is sent.
 */
export class WebhookDispatcher {
  private readonly options: DispatcherOptions;
  /** Aborts when the stop begins: no further attempt begins. */
  private readonly stopping = new AbortController();
  /** Aborts the attempts that have not ended soon after the stop has begun. */
  private readonly aborting = new AbortController();
  private readonly attempts: Counter<'result'>;
  private readonly delays: Histogram;
  private readonly stopListening: () => void;
  private readonly free: FreePlaces = { ...PLACES };
  private readonly inTurn = atMost(WRITERS);
  private readonly renewal = setInterval(() => void this.renewClaims(), RENEW_MILLIS);
  /** The running attempts. */
  private readonly running = new Set<Promise<void>>();
  /** The deliveries of the running attempts, each with the beginning of its attempt by `performance.now()`. */
  private readonly sending = new Map<Claimed, number>();
  /** The attempts that have ended, whose results are not written yet. */
  private ended: Attempted[] = [];
  /** The deliveries whose attempts were aborted by the stop. */
  private readonly unfinished: Claimed[] = [];
  /** The running `work`. */
  private currentWork: Promise<void> | undefined;
  /** Whether `work` must do another round. */
  private isWoken = false;
  /** Whether the feed may have events without deliveries. */
  private hasNewEvents = false;
  private retryTimer: NodeJS.Timeout | undefined;
  /** Whether the last `work` has failed. */
  private hasFailed = false;

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by their result.',
      labelNames: ['result'] as const,
      registers: [options.metrics.registry],
    });
    for (const result of ['received', 'failed']) this.attempts.inc({ result }, 0);
    this.delays = new Histogram({
      name: 'webhook_delay_seconds',
      help: 'Time from an event until a webhook has received it, whatever the number of attempts.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400],
      registers: [options.metrics.registry],
    });
    measureWaiting(options);
    this.renewal.unref();
    this.stopListening = options.events.onPublished(() => this.wake());
  }

  /** Soon sends the deliveries that are due, including those of new events. */
  wake(): void {
    this.hasNewEvents = true;
    this.goOn();
  }

  async dispose(): Promise<void> {
    this.stopListening();
    clearTimeout(this.retryTimer);
    this.stopping.abort();
    await this.currentWork;
    // The stop waits for answers, because a receiver gets an event a second time if its answer is lost.
    const abort = setTimeout(() => this.aborting.abort(), STOP_MILLIS);
    await Promise.all(this.running);
    clearTimeout(abort);
    clearInterval(this.renewal);
    const { unitOf, log } = this.options;
    await this.writeResults();
    if (this.unfinished.length > 0)
      await release(unitOf(), this.unfinished).catch((error: unknown) =>
        log.warn({ err: error }, 'deliveries could not be released; they are sent when their claims expire'),
      );
  }

  /** Begins `work`, or lets the running one do another round, without looking for new events. */
  private goOn(): void {
    if (this.stopping.signal.aborted) return;
    this.isWoken = true;
    // The work has no span, because it handles events of many traces.
    this.currentWork ??= withoutSpan(() => this.work()).finally(() => {
      this.currentWork = undefined;
    });
  }

  /** Works in rounds until nothing is left to do. Never rejects. */
  private async work(): Promise<void> {
    try {
      while (this.isWoken && !this.stopping.signal.aborted) {
        this.isWoken = false;
        await Promise.all([this.writeResults(), this.createNext()]);
        await this.begin();
        await sleep(GATHER_MILLIS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
      this.hasFailed = false;
    } catch (error) {
      // While the database is unreachable, only the first failure is logged.
      if (!this.hasFailed)
        this.options.log.warn({ err: error }, 'webhooks cannot be sent now; the dispatcher tries again');
      this.hasFailed = true;
      clearTimeout(this.retryTimer);
      // After the stop has begun, nobody would clear the timer, and it would keep the process running.
      if (!this.stopping.signal.aborted) this.retryTimer = setTimeout(() => this.wake(), RETRY_MILLIS);
    }
  }

  /** Creates the deliveries of the next new events. The others follow in the next round, after the results of attempts. */
  private async createNext(): Promise<void> {
    if (!this.hasNewEvents) return;
    this.hasNewEvents = false;
    if ((await createDeliveries(this.options.unitOf())) > 0) this.isWoken = this.hasNewEvents = true;
  }

  /** Begins attempts for the deliveries that are due. */
  private async begin(): Promise<void> {
    const { free } = this;
    if (free.working + free.failing === 0 || this.stopping.signal.aborted) return;
    for (const delivery of await claimDue(this.options.unitOf(), free, this.runningByWebhook())) {
      const places = delivery.isFailing ? 'failing' : 'working';
      free[places] -= 1;
      const attempt = this.attempt(delivery).finally(() => {
        free[places] += 1;
        this.running.delete(attempt);
        this.goOn();
      });
      this.running.add(attempt);
    }
  }

  private runningByWebhook(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { webhookId } of this.sending.keys()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    return counts;
  }

  /** Sends a delivery, and leaves the result for `writeResults`. Never rejects. */
  private async attempt(delivery: Claimed): Promise<void> {
    const at = new Date();
    const startedAt = performance.now();
    this.sending.set(delivery, startedAt);
    const { signal } = this.aborting;
    const { allowsLoopback } = this.options;
    const { event } = delivery;
    const result: SendResult = event
      ? await this.traced(delivery, event.type, () => send(event, { ...delivery, allowsLoopback }, signal))
      : NO_LONGER_KEPT;
    this.sending.delete(delivery);
    if (signal.aborted && result.error !== undefined) {
      this.unfinished.push(delivery);
      return;
    }
    this.attempts.inc({ result: result.error === undefined ? 'received' : 'failed' });
    if (event && result.error === undefined) this.observeDelay(event);
    const durationMillis = Math.round(performance.now() - startedAt);
    this.ended.push({ delivery, result, at, durationMillis });
  }

  /** Sends in a span of the event's trace, if its request was sampled. */
  private traced(
    { traceparent, attemptCount, url }: Claimed,
    type: string,
    work: () => Promise<SendResult>,
  ): Promise<SendResult> {
    if (traceparent === null) return work();
    const attributes = {
      'http.request.method': 'POST',
      'http.request.resend_count': attemptCount || undefined,
      'server.address': new URL(url).hostname,
      'messaging.operation.name': 'deliver',
      'messaging.operation.type': 'send',
      'messaging.destination.name': type,
    };
    const options = { kind: SpanKind.client, attributes };
    return this.options.unitOf().traced('POST webhook', traceparent, options, async (span) => {
      const result = await work();
      span?.set({ 'http.response.status_code': result.statusCode ?? undefined });
      if (result.error !== undefined) span?.fail(String(result.statusCode ?? 'no answer'));
      return result;
    });
  }

  private observeDelay({ occurredAt }: EventShape): void {
    this.delays.observe(Math.max(0, Date.now() - Date.parse(occurredAt)) / 1_000);
  }

  /** Renews the claims of attempts that have run for a while; most attempts end sooner. Never rejects. */
  private async renewClaims(): Promise<void> {
    const { unitOf, log } = this.options;
    const before = performance.now() - RENEW_MILLIS / 2;
    const lasting = [...this.sending].flatMap(([delivery, startedAt]) =>
      startedAt < before ? [delivery] : [],
    );
    if (lasting.length > 0)
      await renew(unitOf(), lasting).catch((error: unknown) =>
        log.debug({ err: error }, 'claims of deliveries could not be renewed'),
      );
  }

  /** Never rejects: a delivery whose result cannot be written is sent again when its claim expires. */
  private async writeResults(): Promise<void> {
    const { unitOf, log } = this.options;
    const ended = this.ended.splice(0);
    const written = await Promise.allSettled([
      writeReceived(unitOf(), ended.filter(isReceived)),
      ...ended.filter((one) => !isReceived(one)).map((one) => this.inTurn(() => writeFailure(unitOf(), one))),
    ]);
    for (const one of written)
      if (one.status === 'rejected')
        log.warn({ err: one.reason }, 'the results of deliveries could not be written; they are sent again');
  }
}

const NO_LONGER_KEPT: SendResult = {
  statusCode: null,
  answer: null,
  error: 'the event is older than 30 days, and no longer kept',
  retryAfterMillis: undefined,
};
