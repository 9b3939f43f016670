/**
 * A process with many clients, each with its own connection. It receives its `ClientSettings` and sends its results over IPC.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { WebSocket } from 'ws';

/** The protocols of a subscription; for a stream, its `Accept` and the text with which each result begins. */
export const DOORS = {
  socket: undefined,
  sse: { accept: 'text/event-stream', result: 'data: {' },
  multipart: { accept: 'multipart/mixed;subscriptionSpec=1.0', result: '{"payload":{' },
} as const;
export type Door = keyof typeof DOORS;

export interface ClientSettings {
  door: Door;
  /** Of the gateway. */
  url: string;
  tokens: string[];
  count: number;
  query: string;
}
/** When the first and the last of this process's clients received a round's event, in milliseconds since 1970. */
export interface Received {
  round: string;
  first: number;
  last: number;
  /** The size of one client's message. */
  bytes: number;
}

const [settings] = (await once(process, 'message')) as [ClientSettings];
const rounds = new Map<string, { clients: number; first: number }>();
let connected = 0;

function onEvent(frame: Buffer): void {
  const at = frame.indexOf('round ');
  if (at < 0) return;
  const round = /round \d+/.exec(frame.toString('latin1', at, at + 12))?.[0] ?? '';
  const known = rounds.get(round) ?? { clients: 0, first: Date.now() };
  known.clients += 1;
  rounds.set(round, known);
  if (known.clients === settings.count)
    process.send?.({ round, first: known.first, last: Date.now(), bytes: frame.length } satisfies Received);
}

const authorizationOf = (number: number): string =>
  `Bearer ${settings.tokens[number % settings.tokens.length]}`;

/**
 * A subscription over HTTP. It uses no HTTP client: unlike the client of a WebSocket, an HTTP client would take more
 * processor time than the gateway.
 */
function connectStream(
  number: number,
  { accept, result }: { accept: string; result: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(settings.url);
    const socket = createConnection({ host: hostname, port: Number(port) });
    const body = JSON.stringify({ query: settings.query });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${hostname}\r\nAccept: ${accept}\r\nAuthorization: ${authorizationOf(number)}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed')));
    let hasState = false;
    socket.on('data', (bytes: Buffer) => {
      if (hasState) return onEvent(bytes);
      if (!bytes.includes(result)) return;
      hasState = true;
      resolve();
    });
  });
}

function connectSocket(number: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${settings.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      perMessageDeflate: false,
      skipUTF8Validation: true,
    });
    const authorization = authorizationOf(number);
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } })),
    );
    socket.on('error', reject);
    socket.on('close', (code, reason) => reject(new Error(`closed: ${code} ${String(reason)}`)));
    let hasState = false;
    socket.on('message', (frame: Buffer) => {
      if (hasState) return onEvent(frame);
      const { type, payload } = JSON.parse(frame.toString()) as { type: string; payload: unknown };
      if (type === 'connection_ack')
        socket.send(JSON.stringify({ id: 's', type: 'subscribe', payload: { query: settings.query } }));
      else if (type === 'next') {
        hasState = true;
        resolve();
      } else if (type === 'error') reject(new Error(JSON.stringify(payload)));
    });
  });
}

const stream = DOORS[settings.door];
const connect = (number: number): Promise<void> =>
  stream ? connectStream(number, stream) : connectSocket(number);
const waiting = Array.from({ length: settings.count }, (_one, number) => number);
// A hundred at a time, because the gateway's listen queue is finite.
await Promise.all(
  Array.from({ length: 100 }, async () => {
    for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
      await connect(number);
      connected += 1;
    }
  }),
);
process.send?.({ connected });
process.on('disconnect', () => process.exit(0));
