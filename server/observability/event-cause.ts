import { AsyncLocalStorage } from 'node:async_hooks';
import { isJsonObject } from '../json-object.ts';
import { FastHistogram } from './fast-histogram.ts';
import type { Metrics } from './metrics.ts';
import { activeTraceparent } from './tracing.ts';

/** The change that an event of a subscription reports. */
export interface EventCause {
  /** When it happened, in milliseconds since 1970. */
  readonly at: number;
  /** Its trace context, if its request is sampled. */
  readonly traceparent?: string | undefined;
}

/** The cause of a change that another process has reported, while this process calls the listeners of the change. */
const reported = new AsyncLocalStorage<EventCause>();

/** Calls listeners of a change that another process has reported. */
export const causedBy = <Result>(cause: EventCause | undefined, work: () => Result): Result =>
  cause ? reported.run(cause, work) : work();

/** The cause of the events that the running work sends: the reported change, or what this process does now. */
export const presentCause = (): EventCause =>
  reported.getStore() ?? { at: Date.now(), traceparent: activeTraceparent() };

const causes = new WeakMap<object, EventCause>();

/** Notes the cause of an event that is sent to subscribers. */
export function noteCause(event: unknown): void {
  if (typeof event === 'object' && event !== null) causes.set(event, presentCause());
}

export const causeOf = (event: unknown): EventCause | undefined =>
  typeof event === 'object' && event !== null ? causes.get(event) : undefined;

/** Between the payload of a report and its cause; no payload contains it. */
const SEPARATOR = ' @';

/** What is added to the payload of a report to other processes, so that they know its cause. */
export function causeSuffix(): string {
  const { at, traceparent } = presentCause();
  return traceparent ? `${SEPARATOR}${at} ${traceparent}` : `${SEPARATOR}${at}`;
}

/** The payload of a report without the suffix, and its cause. A report without a suffix has no known cause. */
export function withoutCause(text: string): { payload: string; cause: EventCause | undefined } {
  const at = text.lastIndexOf(SEPARATOR);
  if (at === -1) return { payload: text, cause: undefined };
  const [millis = '', traceparent] = text.slice(at + SEPARATOR.length).split(' ', 2);
  return { payload: text.slice(0, at), cause: { at: Number(millis), traceparent } };
}

/** The first character of a notification that only names the cause of the next one; no payload begins with it. */
const CAUSE_FIRST = '@';

/**
 * SQL for the list of a SELECT: notifies the replicas, at commit, of a change and of its cause. The cause is a notification
 * of its own, before that of the change: a replica of the previous release ignores a payload that it does not know.
 * @param payload an SQL expression of type text
 */
export const notifying = (payload: string): string =>
  `pg_notify(?, '${CAUSE_FIRST}' || ${payload} || ?), pg_notify(?, ${payload})`;

/** The values of `notifying`. If `payload` has values of its own, they belong after the first and again after the third one. */
export const notifyingValues = (channel: string): [string, string, string] => [
  channel,
  causeSuffix(),
  channel,
];

/** Finds the causes of one connection's notifications, which arrive in the order in which a transaction sent them. */
export class NotificationCauses {
  private next: { payload: string; cause: EventCause | undefined } | undefined;

  /** Undefined for a notification that names the cause of the next one. */
  read(text: string): { payload: string; cause: EventCause | undefined } | undefined {
    if (text.startsWith(CAUSE_FIRST)) {
      this.next = withoutCause(text.slice(CAUSE_FIRST.length));
      return undefined;
    }
    const cause = this.next?.payload === text ? this.next.cause : undefined;
    this.next = undefined;
    return { payload: text, cause };
  }
}

/** A cause may be older if a subscriber was without a connection; its age then says nothing about the delivery. */
const MOST_SECONDS = 60;

/** The age of a cause, between 0 (the clock of another machine may be ahead) and a minute. */
export const secondsSince = ({ at }: EventCause): number =>
  Math.min(MOST_SECONDS, Math.max(0, (Date.now() - at) / 1_000));

/** The cause in a message of another server; undefined if it has none. */
export function causeIn(value: unknown): (EventCause & { readonly subscription: string }) | undefined {
  if (!isJsonObject(value)) return undefined;
  const { at, subscription, traceparent } = value;
  if (typeof at !== 'number' || typeof subscription !== 'string') return undefined;
  return { at, subscription, ...(typeof traceparent === 'string' && { traceparent }) };
}

/** The buckets of the delay of events, in seconds; one bound is the objective of 200 ms. */
const DELAY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10];

/** The delay of events, from the change to the message to each client. */
export type EventDelays = FastHistogram<'subscription'>;

/** Adds the metric to those of a server; to be called once. */
export const eventDelays = ({ registry }: Metrics): EventDelays =>
  new FastHistogram({
    name: 'event_to_viewer_seconds',
    help: 'Time from a change at a service until its event is written to the socket of a client, for each client, by the field of the subscription or the event of the socket.',
    labelNames: ['subscription'],
    buckets: DELAY_BUCKETS,
    registers: [registry],
  });

/** The attributes of the spans of an event. @param subscription the field of the subscription */
export const eventOf = (subscription: string) => ({
  'messaging.operation.name': 'deliver',
  'messaging.operation.type': 'process',
  'messaging.destination.name': subscription,
});
