import { mergedParts, type PartsMessage } from '../../support/parts.ts';
import type { Untyped } from '../../support/platform/http-client.ts';

export interface GraphOperation {
  query: string;
  variables?: Record<string, unknown>;
}

/** The result of an operation as its client reports it. */
export interface ClientResult {
  readonly data: Untyped;
  /** The codes of the errors. */
  readonly codes: readonly unknown[];
}

export interface ClientEvents {
  /** Waits for the next event. */
  next(): Promise<Untyped>;
  close(): void;
}

/** A published client, with as little code of ours as an application would write. */
export interface GraphClient {
  readonly name: string;
  /** Sends a query or mutation with the token that is valid now. */
  send(operation: GraphOperation): Promise<ClientResult>;
  /** Sends a query by GET. Absent if the client cannot do so. */
  get?(operation: GraphOperation): Promise<ClientResult>;
  /** Sends a mutation whose variable `file` is the file. Absent if the client has no uploads. */
  upload?(operation: GraphOperation, file: Blob): Promise<ClientResult>;
  /**
   * Sends a query with `@defer`. Returns the data that the client has after each message. Absent if the client cannot read
   * answers in parts.
   */
  readParts?(operation: GraphOperation): Promise<Untyped[]>;
  /** Subscribes, and does so again whenever the connection is lost. Absent if the client has no subscriptions. */
  subscribe?(operation: GraphOperation): ClientEvents;
}

/** @param token returns the access token that is valid now; undefined before the log-in */
export type MakeClient = (url: string, token: () => string | undefined) => GraphClient;

export const authorizationOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** The data and the error codes of a GraphQL answer. */
export const resultOf = ({
  data,
  errors = [],
}: {
  data?: unknown;
  errors?: readonly { extensions?: Record<string, unknown> }[];
}): ClientResult => ({ data, codes: errors.map(({ extensions }) => extensions?.code) });

/**
 * The data after each message of an answer in parts, for clients that pass the messages on to the application. It throws if
 * the messages break a rule of their form.
 */
export function statesOf(messages: readonly PartsMessage[]): Untyped[] {
  const whole = mergedParts(messages).data;
  return messages.length > 1 ? [messages[0]?.data, whole] : [whole];
}

/** Collects the events that a client passes to a callback. */
export function eventsOf(start: (push: (event: Untyped) => void) => () => void): ClientEvents {
  const events: Untyped[] = [];
  let wake: () => void = () => undefined;
  const close = start((event) => {
    events.push(event);
    wake();
  });
  return {
    close,
    async next() {
      while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return events.shift();
    },
  };
}

/** How long a client waits before it connects again. */
export const RETRY_MILLIS = 100;
