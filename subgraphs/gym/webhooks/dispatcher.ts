import type { EventLog } from '#server/events/event-log.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { claimDue, release, writeResult, type Claimed } from './claims.ts';
import type { DisabledMails } from './disabled-mails.ts';
import { createDeliveries } from './fan-out.ts';
import { send, type SendResult } from './send.ts';

/** The maximum number of attempts that this process makes at the same time. */
const MAX_OF_ALL = 64;
/** How often the dispatcher looks for deliveries that have become due, and for those that an ended process did not finish. */
const POLL_MILLIS = 2_000; // 2 s

interface DispatcherOptions {
  events: EventLog;
  unitOf(): UnitOfWork;
  mails: DisabledMails;
  /** Whether URLs may be http to this machine. */
  allowsLoopback: boolean;
  metrics: Metrics;
  log: Logger;
}

/**
 * Sends the events of the feed to webhooks: creates deliveries, sends those that are due, and writes the results. It works at
 * each publication of events, and every 2 seconds. Any number of replicas may do it: a delivery is claimed before it is sent.
 */
export class WebhookDispatcher {
  private readonly options: DispatcherOptions;
  private readonly stopping = new AbortController();
  private readonly poll = setInterval(() => this.wake(), POLL_MILLIS);
  private readonly attempts: Counter<'result'>;
  private readonly stopListening: () => void;
  /** The running attempts. */
  private readonly running = new Set<Promise<void>>();
  private working: Promise<void> | undefined;
  private isWoken = false;
  private failed = false;

  constructor(options: DispatcherOptions) {
    this.options = options;
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event to a webhook, by their result.',
      labelNames: ['result'] as const,
      registers: [options.metrics.registry],
    });
    this.poll.unref();
    this.stopListening = options.events.onPublished(() => this.wake());
    this.wake();
  }

  /** Sends soon what is due. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.isWoken = true;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
  }

  async dispose(): Promise<void> {
    this.stopListening();
    clearInterval(this.poll);
    this.stopping.abort();
    await this.working;
    await Promise.all(this.running);
  }

  private async work(): Promise<void> {
    try {
      while (this.isWoken && !this.stopping.signal.aborted) {
        this.isWoken = false;
        const { unitOf, mails } = this.options;
        while ((await createDeliveries(unitOf())) > 0 && !this.stopping.signal.aborted);
        await this.begin();
        await mails.send(unitOf());
      }
      this.failed = false;
    } catch (error) {
      // The failure is logged once, not at every poll while the database is unreachable.
      if (!this.failed)
        this.options.log.warn({ err: error }, 'webhooks cannot be sent now; each poll tries again');
      this.failed = true;
    }
  }

  /** Begins attempts for the deliveries that are due. */
  private async begin(): Promise<void> {
    const free = MAX_OF_ALL - this.running.size;
    if (free <= 0 || this.stopping.signal.aborted) return;
    for (const delivery of await claimDue(this.options.unitOf(), free)) {
      const attempt = this.attempt(delivery).finally(() => {
        this.running.delete(attempt);
        this.wake(); // for the next event of the subject
      });
      this.running.add(attempt);
    }
  }

  /** Never rejects. */
  private async attempt(delivery: Claimed): Promise<void> {
    const { unitOf, allowsLoopback, log } = this.options;
    const at = new Date();
    const startedAt = performance.now();
    const { signal } = this.stopping;
    try {
      const result: SendResult = delivery.event
        ? await send(delivery.event, { ...delivery, allowsLoopback }, signal)
        : NO_LONGER_KEPT;
      if (signal.aborted && result.error !== undefined) return await release(unitOf(), delivery);
      this.attempts.inc({ result: result.error === undefined ? 'received' : 'failed' });
      const durationMillis = Math.round(performance.now() - startedAt);
      await writeResult(unitOf(), delivery, { ...result, at, durationMillis });
    } catch (error) {
      log.warn(
        { err: error, webhookId: delivery.webhookId },
        'the result of a delivery could not be written; it is sent again',
      );
    }
  }
}

const NO_LONGER_KEPT: SendResult = {
  statusCode: null,
  answer: null,
  error: 'the event is older than 30 days, and no longer kept',
  retryAfterMillis: undefined,
};
