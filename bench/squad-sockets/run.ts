/**
 * `node scripts/node24.mjs bench/squad-sockets/run.ts [sockets]` (default: 2,000)
 *
 * The members of one gym, each with one socket, go online at the same moment. Measures how long it takes until every
 * member has the whole list, how many bytes are sent, and how one member who stops reading delays the others.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

interface Figures {
  rssMib: number;
  cpuSeconds: number;
  /** The largest number of bytes that wait in the server for one client. */
  waitingBytes: number;
}

const count = Number(process.argv[2] ?? 2_000);
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'squad-bench-'));
const server = fork(path.join(import.meta.dirname, 'server.ts'), [String(count), dataDir], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
const [{ url, tokens }] = (await once(server, 'message')) as [{ url: string; tokens: string[] }];
const figures = async () => {
  server.send('figures');
  return ((await once(server, 'message')) as [Figures])[0];
};
const idle = await figures();

interface Client {
  socket: WebSocket;
  online: Set<string>;
  frames: number;
  bytes: number;
  largest: number;
}
/**
 * All clients are in this one process, so a frame that many of them receive is parsed once. Frames count as equal if their
 * lengths, first 120 bytes and last 200 bytes are equal.
 */
const known = new Map<string, { users: string[] | undefined; full: boolean }>();
function parsed(bytes: Buffer): { users: string[] | undefined; full: boolean } {
  const key = `${bytes.length} ${bytes.toString('latin1', 0, 120)} ${bytes.toString('latin1', bytes.length - 200)}`;
  let update = known.get(key);
  if (!update) {
    const { data } = JSON.parse(bytes.toString('utf8')) as {
      data: { users?: { userId: string }[]; full?: boolean };
    };
    update = { users: data.users?.map(({ userId }) => userId), full: data.full ?? false };
    if (bytes.length > 300) known.set(key, update);
  }
  return update;
}

let complete = 0;
let allComplete = (): void => undefined;
const everyListIsComplete = new Promise<void>((resolve) => (allComplete = resolve));

const clients = await Promise.all(
  tokens.map(async (token) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket`, 'squad.v1', {
      headers: { Authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      skipUTF8Validation: true,
    });
    const client: Client = { socket, online: new Set(), frames: 0, bytes: 0, largest: 0 };
    socket.on('message', (bytes: Buffer) => {
      client.frames += 1;
      client.bytes += bytes.length;
      client.largest = Math.max(client.largest, bytes.length);
      const update = parsed(bytes);
      if (!update.users) return;
      const before = client.online.size;
      if (update.full) client.online.clear();
      for (const userId of update.users) client.online.add(userId);
      if (before < count && client.online.size === count && ++complete === count) allComplete();
    });
    await once(socket, 'open');
    return client;
  }),
);
const connected = await figures();
console.log(`${count} sockets connected: server ${idle.rssMib} -> ${connected.rssMib} MiB`);

const startedAt = performance.now();
for (const { socket } of clients) socket.send('{"event":"user_online","data":{},"id":1}');
await everyListIsComplete;
const seconds = (performance.now() - startedAt) / 1_000;
const after = await figures();
const total = (of: (client: Client) => number) => clients.reduce((sum, client) => sum + of(client), 0);
console.log(`every member has the list of ${count} after ${seconds.toFixed(2)} s`);
console.log(
  `sent: ${(total(({ bytes }) => bytes) / 1_048_576).toFixed(0)} MiB in ${total(({ frames }) => frames)} frames, ${(total(({ frames }) => frames) / count).toFixed(1)} a socket; the largest ${Math.max(...clients.map(({ largest }) => largest))} bytes`,
);
console.log(`server: ${after.rssMib} MiB, ${(after.cpuSeconds - connected.cpuSeconds).toFixed(1)} s of CPU`);

// One member stops reading, another one changes their activity repeatedly; the others measure how long a change takes to
// arrive.
const [slow, changing, ...rest] = clients as [Client, Client, ...Client[]];
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
async function changesTake(rounds: number): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sentAt = performance.now();
    const received = rest.slice(0, 200).map(({ socket }) => once(socket, 'message'));
    changing.socket.send(
      JSON.stringify({ event: 'user_online', data: { activity: `set ${round} ${'x'.repeat(100)}` } }),
    );
    await Promise.all(received);
    took.push(performance.now() - sentAt);
  }
  return median(took);
}
const before = await changesTake(20);
const baseline = await figures();
slow.socket.pause();
/**
 * The operating system keeps some megabytes for a client that does not read, and the server notices nothing. So the client
 * requests whole lists until their bytes wait in the server: more than 256 KiB, from which on the server leaves updates out.
 */
const MOST_REQUESTS = 2_000;
const REQUEST_INTERVAL_MILLIS = 40; // the server closes a socket that keeps sending more than 30 frames per second
const WAITING_BYTES = 256 * 1024;
let waiting = 0;
for (let sent = 0; waiting <= WAITING_BYTES && sent < MOST_REQUESTS; sent += 1) {
  slow.socket.send('{"event":"user_online","data":{},"id":2}');
  await sleep(REQUEST_INTERVAL_MILLIS);
  waiting = (await figures()).waitingBytes;
}
if (waiting <= WAITING_BYTES) throw new Error(`only ${waiting} bytes wait for the client that does not read`);
const withSlowReader = await changesTake(60);
const during = await figures();
console.log(
  `a change reaches 200 others after ${before.toFixed(0)} ms (median); while ${(waiting / 1_024).toFixed(0)} KiB wait for one client that does not read, after ${withSlowReader.toFixed(0)} ms; server ${baseline.rssMib} -> ${during.rssMib} MiB`,
);

for (const { socket } of clients) socket.terminate();
server.disconnect();
await once(server, 'exit');
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
