import type { MikroORM } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import type { DatabaseServer } from '../database/database-server.ts';
import { listenTo, type Notifications } from '../database/notifications.ts';
import { measureOutbox } from './outbox-metrics.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { Logger } from '../observability/logger.ts';
import { undeclaredFields } from '../undeclared-fields.ts';
import type { AnyEventType } from './event-types.ts';
import { EventPublisher } from './publisher.ts';
import { WaitingReaders } from './waiting-readers.ts';

/** The shapes of the data of the events that a service writes. */
export type EventShapes = Readonly<Partial<Record<AnyEventType, z.ZodType>>>;

/** What `recordEvents` needs of a service's event log. */
export interface EventOutbox {
  /** Publishes the events that were committed. */
  wake(): void;
  /** @throws Error for a type that the service does not declare; in tests, also for data of another shape */
  check(type: AnyEventType, data: object): void;
}

interface EventLogOptions {
  service: string;
  orm: MikroORM;
  address: { server: DatabaseServer; name: string };
  shapes: EventShapes;
  metrics: Metrics;
  /** Checks the data of every event against its declared shape; for tests. */
  verifies: boolean;
  log: Logger;
}

const CHANNEL = 'events';

/** The events of a service: their publication, and the requests that wait for them. */
export class EventLog implements EventOutbox {
  /** The name of the service whose feed this is. */
  readonly service: string;
  readonly waiting = new WaitingReaders();
  private readonly shapes: EventShapes;
  private readonly verifies: boolean;
  private readonly publisher: EventPublisher;
  private readonly notifications: Notifications;

  private constructor(options: EventLogOptions, notifications: Notifications) {
    this.service = options.service;
    this.shapes = options.shapes;
    this.verifies = options.verifies;
    this.publisher = new EventPublisher(options.orm, options.log);
    this.notifications = notifications;
    measureOutbox(options);
    notifications.on(CHANNEL, (gyms) => {
      this.waiting.wake(gyms);
      // The connection was lost and is restored; a publication may have failed in between.
      if (gyms === undefined) this.publisher.wake();
    });
  }

  static async open(options: EventLogOptions): Promise<EventLog> {
    const { server, name } = options.address;
    return new EventLog(options, await listenTo(server, name, [CHANNEL], options.log));
  }

  wake(): void {
    this.publisher.wake();
  }

  /** Publishes everything that is committed now. */
  publish(): Promise<void> {
    return this.publisher.publish();
  }

  /** Calls `listener` when events may have been published, until the returned function is called. */
  onPublished(listener: () => void): () => void {
    return this.notifications.on(CHANNEL, () => listener());
  }

  check(type: AnyEventType, data: object): void {
    const shape = this.shapes[type];
    if (!shape) throw new Error(`The ${this.service} service does not declare the event ${type}.`);
    if (!this.verifies) return;
    shape.parse(data);
    const undeclared = undeclaredFields(shape, JSON.parse(JSON.stringify(data)));
    if (undeclared.length > 0)
      throw new Error(`the data of ${type} has undeclared fields: ${undeclared.join(', ')}`);
  }

  /** Answers all waiting requests; later ones do not wait. */
  drain(): void {
    this.waiting.end();
  }

  async stop(): Promise<void> {
    this.drain();
    await this.publisher.stop();
    await this.notifications.close();
  }
}
