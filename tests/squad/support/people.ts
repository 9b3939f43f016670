import { createClient, type Client } from 'graphql-ws';
import { WebSocket } from 'ws';
import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import type { TestPlatform } from '../../support/platform.ts';
import { onThisMachine } from '../../support/slow-machine.ts';

/** A member with their access token. */
export interface Person {
  id: string;
  token: string;
}

/** The events of a subscription. */
export interface Received<Data> {
  readonly events: Data[];
  /** Resolves to the first event that fits, which may have arrived before the call. */
  next(fits: (data: Data) => boolean): Promise<Data>;
  /** Resolves when the server has ended the subscription; rejects if the server refuses it or ends it with an error. */
  readonly done: Promise<void>;
  stop(): void;
}

/** A client for GraphQL over WebSocket, as a front end uses it. */
export function graphClient(url: string, token: string): Client {
  return createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
  });
}

/** Subscribes. Resolves once the service has accepted the subscription; rejects if the service refuses it. */
export async function subscribed<Data>(
  client: Client,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Received<Data>> {
  const events: Data[] = [];
  const waiting = new Set<() => void>();
  let stop = (): void => undefined;
  const done = new Promise<void>((resolve, reject) => {
    stop = client.subscribe<Data>(
      { query, variables },
      {
        next({ data, errors }) {
          if (errors) return reject(Object.assign(new Error(errors[0]?.message), { errors }));
          events.push(data as Data);
          for (const wake of waiting) wake();
        },
        error: (error) =>
          reject(error instanceof Error ? error : Object.assign(new Error('refused'), { errors: error })),
        complete: () => resolve(),
      },
    );
  });
  done.catch(() => undefined);
  // Messages of one socket are handled in order, so the subscription has begun when this query is answered.
  await new Promise<void>(
    (resolve) =>
      void client.subscribe(
        { query: '{ __typename }' },
        { next: () => resolve(), error: () => resolve(), complete: () => resolve() },
      ),
  );
  // The refusal of a rule may arrive after this answer.
  const refused = await Promise.race([
    done.then(
      () => undefined,
      (error: Error) => error,
    ),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), onThisMachine(50))),
  ]);
  if (refused) throw refused;
  return {
    events,
    done,
    stop,
    next: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** An authenticated raw socket of this user. */
export const socketOf = (
  platform: TestPlatform,
  person: Person,
  url = platform.url('squad'),
): Promise<SquadClient> => SquadClient.connect({ url, token: person.token });

/** An exercise of the library with this modality. */
export async function exerciseOf(
  platform: TestPlatform,
  modality: string = 'WEIGHT_REPS',
): Promise<{ id: string; name: string }> {
  const { body } = await platform.rest('content', 'GET', '/exercises?limit=200');
  const found = (body as { id: string; name: string; modality: string }[]).find(
    (exercise) => exercise.modality === modality,
  );
  if (!found) throw new Error(`the library has no exercise of modality ${modality}`);
  return found;
}
