import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { SquadClient } from '../../../subgraphs/squad/client/squad-client.socket.ts';
import type { Person } from '../workload/people.ts';

/** A client that listens to the messages of one squad, and connects again as the protocols say. */
export interface Listener {
  squadId: string;
  /** When each message arrived first, by its number. */
  arrivedAt: Map<number, number>;
  /** Close codes of the connections that were lost. */
  closeCodes: number[];
  /** Resolves when it is connected for the first time. */
  connected: Promise<void>;
  close(): Promise<void>;
}

interface Listening {
  url: string;
  person: Person;
  squadId: string;
}

/** One connection: resolves with the close code when it has ended. */
type Connection = (state: {
  fromMessage: number;
  onOpen(): void;
  onMessage(seq: number): void;
  onSocket(socket: { terminate(): void }): void;
}) => Promise<number>;

const RETRY_MILLIS = 100;

function keepListening(squadId: string, connect: Connection): Listener {
  const arrivedAt = new Map<number, number>();
  const closeCodes: number[] = [];
  let isClosed = false;
  let last = 0;
  let socket: { terminate(): void } | undefined;
  let onOpen = (): void => undefined;
  const connected = new Promise<void>((resolve) => (onOpen = resolve));
  const running = (async () => {
    while (!isClosed) {
      const code = await connect({
        fromMessage: last,
        onOpen,
        onMessage(seq) {
          if (!arrivedAt.has(seq)) arrivedAt.set(seq, performance.now());
          last = Math.max(last, seq);
        },
        onSocket: (opened) => (socket = opened),
      }).catch(() => 0);
      if (isClosed) return;
      closeCodes.push(code);
      if (code !== 1001) await sleep(RETRY_MILLIS);
    }
  })();
  return {
    squadId,
    arrivedAt,
    closeCodes,
    connected,
    async close() {
      isClosed = true;
      socket?.terminate();
      await running;
    },
  };
}

/** A raw socket of squad, through the gateway. */
export const rawListener = ({ url, person, squadId }: Listening): Listener =>
  keepListening(squadId, async ({ fromMessage, onOpen, onMessage, onSocket }) => {
    const client = await SquadClient.connect({ url: `${url}/squad`, token: person.token });
    onSocket(client.socket);
    client.on('squad_message', ({ message }) => void (message.squadId === squadId && onMessage(message.seq)));
    await client.send('join_squad', { squadId, fromMessage });
    onOpen();
    return (await client.closed).code;
  });

const MESSAGES = `subscription ($squadId: ID!, $fromSeq: Int) { squadMessageAdded(squadId: $squadId, fromSeq: $fromSeq) { seq } }`;

/** A subscription over GraphQL over WebSocket, at the gateway. */
export const graphListener = ({ url, person, squadId }: Listening): Listener =>
  keepListening(squadId, ({ fromMessage, onOpen, onMessage, onSocket }) => {
    const ended = Promise.withResolvers<number>();
    const client = createClient({
      url: `${url.replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${person.token}` },
      retryAttempts: 0,
      on: {
        connected(socket) {
          onSocket(socket as WebSocket);
          onOpen();
        },
        closed: (event) => ended.resolve((event as { code?: number }).code ?? 0),
        error: () => ended.resolve(0),
      },
    });
    client.subscribe<{ squadMessageAdded: { seq: number } }>(
      { query: MESSAGES, variables: { squadId, fromSeq: fromMessage } },
      {
        next({ data }) {
          if (data?.squadMessageAdded) onMessage(data.squadMessageAdded.seq);
        },
        error: () => {
          ended.resolve(0);
          void client.dispose();
        },
        complete: () => {
          ended.resolve(0);
          void client.dispose();
        },
      },
    );
    return ended.promise;
  });
