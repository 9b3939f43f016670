import type { MikroORM } from '@mikro-orm/postgresql';
import { activeSpan, SpanKind, withoutSpan, type Span } from '../observability/tracing.ts';
import type { Logger } from '../observability/logger.ts';

/** Events that one call of the database function moves. */
const BATCH = 2_000;
/** How long a publication waits after a commit, so that it also publishes the events of the next transactions. */
const DEBOUNCE_MILLIS = 25;
/** How many sampled requests get a span for one publication at most. */
const MAX_SPANS = 100;
const PRODUCER = {
  kind: SpanKind.producer,
  attributes: {
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'events',
  },
};
/** The pause after a publication that failed. */
const RETRY_MILLIS = 2_000; // 2 s

/**
 * Moves committed events from the outbox to the feed: soon after each commit in this process, and before each read of the
 * feed. The timers here only make publication fast; the job `publish_events` makes sure that no event is left. Any number of
 * replicas may publish at once; the migration `20261123210000_events` explains the order of the events.
 */
export class EventPublisher {
  private readonly orm: MikroORM;
  private readonly log: Logger;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  /** The run that begins after the running one. It publishes everything that was committed before the run was requested. */
  private next: Promise<void> | undefined;
  /** The spans of the requests whose events are published next. */
  private spans: Span[] = [];
  private failed = false;
  private isStopped = false;

  constructor(orm: MikroORM, log: Logger) {
    this.orm = orm;
    this.log = log;
  }

  /** Publishes soon. Never rejects: if it fails, it is tried again. */
  wake(afterMillis = DEBOUNCE_MILLIS): void {
    if (this.isStopped) return;
    const span = activeSpan();
    if (span && this.spans.length < MAX_SPANS) this.spans.push(span);
    // Without a span, because the timer publishes the events of requests with different traces.
    this.timer ??= withoutSpan(() =>
      setTimeout(() => {
        this.timer = undefined;
        void this.publishOrRetry();
      }, afterMillis),
    );
  }

  private async publishOrRetry(): Promise<void> {
    try {
      await this.publish();
      this.failed = false;
    } catch (error) {
      // The failure is logged once, not at every attempt while the database is unreachable.
      if (!this.failed) this.log.warn({ err: error }, 'events could not be published; it is tried again');
      this.failed = true;
      this.wake(RETRY_MILLIS);
    }
  }

  /** Publishes everything that is committed now. */
  publish(): Promise<void> {
    if (!this.running) return this.start();
    this.next ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.start();
      });
    return this.next;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.next?.catch(() => undefined);
    await this.running?.catch(() => undefined);
  }

  private start(): Promise<void> {
    const spans = this.spans.splice(0).map((span) => span.child('publish events', PRODUCER));
    this.running = withoutSpan(() => this.moveAll()).finally(() => {
      this.running = undefined;
      for (const span of spans) span.end();
    });
    return this.running;
  }

  private async moveAll(): Promise<void> {
    for (;;) {
      const [row] = await this.orm.em
        .fork()
        .execute<{ moved: number }[]>(`select publish_events(${BATCH}) as moved`);
      if ((row?.moved ?? 0) < BATCH || this.isStopped) return;
    }
  }
}
