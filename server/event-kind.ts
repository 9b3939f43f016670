/**
 * How an event depends on earlier ones. The gateway needs it to let equal subscriptions share one: `whole` is the complete
 * state, which is enough for a subscriber that joins later; `partial` changes the last `whole` event; `next` belongs to a
 * sequence that began for one subscriber, for example with the events that they missed, so a subscriber that joins later
 * needs a sequence of their own.
 */
export type EventKind = 'whole' | 'partial' | 'next';

/** The kind, as a property of an event. An event without it makes sense by itself. */
export const EVENT_KIND = Symbol('kind of event');

export const kindOf = (event: unknown): EventKind | undefined =>
  typeof event === 'object' && event !== null && EVENT_KIND in event
    ? (event[EVENT_KIND] as EventKind)
    : undefined;
