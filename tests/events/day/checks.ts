import type { Replay, ShownDelivery } from './crm.ts';
import type { PublicEvent, Received } from './receiver.ts';
import type { Acknowledged } from './turnstile.ts';

/** What the integrators have seen. */
export interface Seen {
  acknowledged: readonly Acknowledged[];
  feed: readonly PublicEvent[];
  received: readonly Received[];
  deliveries: readonly ShownDelivery[];
  replays: readonly Replay[];
  /** The number of requests to the address to which the receiver has redirected. */
  followed: number;
}

/** The broken promises of the platform; empty if it has kept all of them. */
export function violations(seen: Seen): string[] {
  return [
    ...feedViolations(seen),
    ...requestViolations(seen),
    ...agreementViolations(seen),
    ...orderViolations(seen),
    ...replayViolations(seen),
  ];
}

const keyOf = ({ subject, type }: Acknowledged): string => `${type} of ${subject}`;

/** Only the turnstiles and the office cause these events, each by a request with an idempotency key. */
const REQUESTED = new Set(['check_in.opened', 'check_in.closed', 'order.changed']);

function feedViolations({ acknowledged, feed }: Seen): string[] {
  const known = new Set(feed.map(keyOf));
  const requested = new Set(acknowledged.map(keyOf));
  const unrequested = feed.filter((one) => REQUESTED.has(one.type) && !requested.has(keyOf(one)));
  const ids = new Set<string>();
  const twice = feed.filter(({ id }) => ids.size === ids.add(id).size);
  return [
    ...acknowledged.filter((one) => !known.has(keyOf(one))).map((one) => `the feed has no ${keyOf(one)}`),
    ...unrequested.map((one) => `${keyOf(one)} is a second effect of a request`),
    ...twice.map((one) => `the feed has twice: ${keyOf(one)}`),
    ...wrongFirstEvents(feed, 'in the feed'),
  ];
}

/** A visit is opened before it is closed, and a member joins before they are updated. */
function wrongFirstEvents(events: readonly PublicEvent[], where: string): string[] {
  return [...Map.groupBy(events, ({ subject }) => subject)].flatMap(([subject, [first]]) =>
    first && ['check_in.closed', 'member.updated'].includes(first.type)
      ? [`${subject} begins with ${first.type} ${where}`]
      : [],
  );
}

function requestViolations({ received, feed, followed }: Seen): string[] {
  const events = new Map(feed.map((event) => [event.id, JSON.stringify(event)]));
  return [
    ...(followed > 0 ? [`${followed} redirects were followed`] : []),
    ...received.flatMap(({ problem, event }) => (problem ? [`${keyOf(event)}: ${problem}`] : [])),
    ...received.flatMap(({ event }) =>
      events.get(event.id) === JSON.stringify(event)
        ? []
        : [`${keyOf(event)} was sent, but is not in the feed`],
    ),
  ];
}

/** The feed, what the receiver has accepted, and what the platform shows as delivered are the same events. */
function agreementViolations({ feed, received, deliveries }: Seen): string[] {
  const accepted = new Set(received.filter((one) => one.acceptedAs).map(({ event }) => event.id));
  const delivered = new Map(deliveries.map(({ eventId, status }) => [eventId, status]));
  return [
    ...feed.flatMap((event) => [
      ...(accepted.has(event.id) ? [] : [`${keyOf(event)} was not received`]),
      ...(delivered.get(event.id) === 'DELIVERED'
        ? []
        : [`${keyOf(event)} is shown as ${delivered.get(event.id) ?? 'unknown'}`]),
    ]),
    ...(deliveries.length === feed.length
      ? []
      : [`${deliveries.length} deliveries of ${feed.length} events are shown`]),
  ];
}

/** No event of a subject is sent before the previous one was accepted. */
function orderViolations({ feed, received }: Seen): string[] {
  const firstSent = new Map<string, number>();
  const firstAccepted = new Map<string, number>();
  for (const { event, arrivedAs, acceptedAs = Infinity } of received) {
    firstSent.set(event.id, Math.min(arrivedAs, firstSent.get(event.id) ?? Infinity));
    firstAccepted.set(event.id, Math.min(acceptedAs, firstAccepted.get(event.id) ?? Infinity));
  }
  const found: string[] = [];
  for (const events of Map.groupBy(feed, ({ subject }) => subject).values())
    events.forEach((event, index) => {
      const previous = events[index - 1];
      const sent = firstSent.get(event.id);
      if (!previous || sent === undefined) return;
      if (sent < (firstAccepted.get(previous.id) ?? Infinity))
        found.push(`${keyOf(event)} was sent before ${previous.type} was accepted`);
    });
  return found;
}

/** Each event of a replay is accepted again after the request for it. */
function replayViolations({ replays, received }: Seen): string[] {
  const lastAccepted = new Map<string, number>();
  for (const { event, acceptedAs = 0 } of received)
    lastAccepted.set(event.id, Math.max(acceptedAs, lastAccepted.get(event.id) ?? 0));
  return replays.flatMap(({ eventIds, requestedAs }) =>
    eventIds
      .filter((id) => (lastAccepted.get(id) ?? 0) <= requestedAs)
      .map((id) => `the event ${id} was replayed, but not accepted again`),
  );
}
