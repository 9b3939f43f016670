/**
 * What an event is to a subscriber who comes later, for the gateway, which lets equal subscriptions share one:
 * `whole` holds the whole state, which is all they need; `partial` adds to the whole one before it; `next` is one of a
 * sequence that began for this subscription, as with what they had missed: another needs a sequence of their own.
 */
export type EventKind = 'whole' | 'partial' | 'next';

/** On an event of a subscription: its kind. Where it does not say, who comes later hears what follows. */
export const EVENT_KIND = Symbol('kind of event');

export const kindOf = (event: unknown): EventKind | undefined =>
  typeof event === 'object' && event !== null && EVENT_KIND in event
    ? (event[EVENT_KIND] as EventKind)
    : undefined;
