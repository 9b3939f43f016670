/**
 * `node scripts/node24.mjs bench/subscriptions/run.ts [subscribers] [client processes] [online] [doors]`
 *
 * Clients of one gym subscribe to `onlineUsersUpdated` at one gateway process; the whole platform is in another process.
 * Measures how long an event takes to reach all clients, and the memory and CPU of a subscriber, for each door (`socket`,
 * `sse`, `multipart`) with a new gateway process. The limit of open files (`ulimit -n`) must be above the number of
 * subscribers. Defaults: 10,000 subscribers, 3 processes, 20 members online, all doors.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '#server/http/free-ports.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { Door, ClientSettings, Received } from './clients.ts';

const subscribers = Number(process.argv[2] ?? 10_000);
const clientProcesses = Number(process.argv[3] ?? 3);
const ROUNDS = 20;
/** Members of the gym who subscribe. All of them are online, and each event contains all of them. */
const MEMBERS = Number(process.argv[4] ?? 20);
const doors = (process.argv[5] ?? 'socket,sse,multipart').split(',') as Door[];
const QUERY =
  'subscription { onlineUsersUpdated { users { status activity user { displayName gym { name } } } } }';

const root = path.join(import.meta.dirname, '../..');
const dataDir = await mkdtemp(path.join(os.tmpdir(), 'subscriptions-bench-'));
const started: ChildProcess[] = [];

async function start(args: string[], env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['main.ts', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (text: Buffer) => {
      output += String(text);
      if (/gateway.*http/i.test(output)) resolve();
    });
    child.once('exit', () => reject(new Error(`The process did not start:\n${output}`)));
  });
  return child;
}
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await ended;
  started.splice(started.indexOf(child), 1);
}

const services = SERVICE_NAMES.map((name) => name.toUpperCase());
const env: Record<string, string> = {
  HOST: '127.0.0.1',
  DATA_DIR: dataDir,
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'error',
  DEMO: 'on',
  NODE_ENV: 'production',
};
for (const service of services) {
  const port = await freePort();
  env[`${service}_PORT`] = String(port);
  env[`${service}_URL`] = `http://127.0.0.1:${port}`;
}
await start([], { ...env, GATEWAY_PORT: String(await freePort()) });
const gatewayPort = await freePort();
const supergraphFile = path.join(dataDir, 'supergraph.graphql');
const supergraph = (await readFile(path.join(root, 'schema/supergraph.graphql'), 'utf8')).replace(
  /(@join__graph\(name: "(\w+)", url: )"[^"]*"/g,
  (_all, begin: string, name: string) => `${begin}"${env[`${name.toUpperCase()}_URL`]}/graphql"`,
);
await writeFile(supergraphFile, supergraph);
const startGateway = () =>
  start(['gateway', '--supergraph', supergraphFile], {
    ...env,
    GATEWAY_PORT: String(gatewayPort),
    DRAIN_DELAY_MILLIS: '0',
  });
const first = await startGateway();
const gateway = `http://127.0.0.1:${gatewayPort}`;

async function graph<Data>(query: string, token?: string): Promise<Data> {
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
const login = async (email: string, password: string): Promise<string> =>
  (
    await graph<{ login: { token: string } }>(
      `mutation { login(input: {email: "${email}", password: "${password}"}) { token } }`,
    )
  ).login.token;
const {
  me: { gymId },
} = await graph<{ me: { gymId: string } }>(
  '{ me { gymId } }',
  await login('maya@iron.test', 'demo-password-1'),
);
const tokens = await Promise.all(
  Array.from({ length: MEMBERS }, async (_one, number) => {
    const [email, password] = [`bench-${number}@example.test`, `pass ${crypto.randomUUID()}`];
    await graph(
      `mutation { register(input: {email: "${email}", password: "${password}", displayName: "Member ${number}", gymId: "${gymId}"}) { id } }`,
    );
    return login(email, password);
  }),
);
const announce = (activity: string, token = tokens[0]) =>
  graph(`mutation { goOnline(input: {activity: "${activity}"}) { online } }`, token);

async function figures(): Promise<Record<string, number>> {
  const text = await (await fetch(`${gateway}/metrics`)).text();
  const figure = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+]+)`, 'm').exec(text)?.[1]);
  return {
    rss: figure('process_resident_memory_bytes'),
    heap: figure('nodejs_heap_size_used_bytes'),
    cpu: figure('process_cpu_seconds_total'),
    upstreams: figure('gateway_subscription_upstreams'),
    executions: figure('gateway_subscription_executions_total'),
  };
}

await Promise.all(tokens.map((token) => announce('here', token)));
await end(first);
for (const door of doors) {
  const gatewayProcess = await startGateway();
  console.log(`\n${door}`);
  await measure(door);
  await end(gatewayProcess);
}
for (const child of started.toReversed()) await end(child);
await rm(dataDir, { recursive: true, force: true });
process.exit(0);

async function measure(door: Door): Promise<void> {
  // The first requests load and compile code, whose memory is not that of subscribers.
  await Promise.all(tokens.map((token) => announce('here', token)));
  const idle = await figures();
  const connectingSince = performance.now();
  const clients = startClients(door);
  await Promise.all(clients.map((client) => once(client, 'message')));
  const connected = await figures();
  console.log(
    `${subscribers} subscribers in ${((performance.now() - connectingSince) / 1_000).toFixed(1)} s, ${((((connected.cpu ?? 0) - (idle.cpu ?? 0)) * 1_000_000) / subscribers).toFixed(0)} µs of CPU each; upstream subscriptions: ${connected.upstreams}`,
  );
  const perSubscriber = (name: 'rss' | 'heap') =>
    ((connected[name] ?? 0) - (idle[name] ?? 0)) / subscribers / 1_024;
  console.log(
    `gateway: ${((connected.rss ?? 0) / 1_048_576).toFixed(0)} MiB resident; a subscriber ${perSubscriber('rss').toFixed(1)} KiB resident, ${perSubscriber('heap').toFixed(1)} KiB of heap`,
  );
  await measureEvents(clients, connected);
  await measureReload(clients);
  for (const client of clients) await end(client);
}

function startClients(door: Door): ChildProcess[] {
  return Array.from({ length: clientProcesses }, (_one, number) => {
    const child = fork(path.join(import.meta.dirname, 'clients.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const count =
      Math.floor((subscribers * (number + 1)) / clientProcesses) -
      Math.floor((subscribers * number) / clientProcesses);
    child.send({ door, url: gateway, tokens, count, query: QUERY } satisfies ClientSettings);
    started.push(child);
    return child;
  });
}

async function change(clients: readonly ChildProcess[], round: string): Promise<Received[]> {
  const received = clients.map((client) => once(client, 'message') as Promise<[Received]>);
  await announce(round);
  return (await Promise.all(received)).map(([one]) => one);
}

async function measureEvents(
  clients: readonly ChildProcess[],
  connected: Record<string, number>,
): Promise<void> {
  const took: { first: number; last: number }[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(250); // Squad sends presence at most every 200 ms; without the pause this interval would be measured, too.
    const since = Date.now();
    const all = await change(clients, `round ${round}`);
    bytes = all[0]?.bytes ?? 0;
    took.push({
      first: Math.min(...all.map(({ first: at }) => at)) - since,
      last: Math.max(...all.map(({ last }) => last)) - since,
    });
  }
  const after = await figures();
  const sorted = (name: 'first' | 'last') => took.map((one) => one[name]).toSorted((a, b) => a - b);
  console.log(
    `an event of ${(bytes / 1_024).toFixed(1)} KiB reaches the first after ${sorted('first')[ROUNDS / 2]} ms, all after ${sorted('last')[ROUNDS / 2]} ms (median of ${ROUNDS}), at worst ${sorted('last').at(-1)} ms`,
  );
  console.log(
    `gateway: ${((((after.cpu ?? 0) - (connected.cpu ?? 0)) * 1_000) / ROUNDS).toFixed(0)} ms of CPU per event, ${((after.executions ?? 0) - (connected.executions ?? 0)) / ROUNDS} executions per event; ${((after.rss ?? 0) / 1_048_576).toFixed(0)} MiB resident`,
  );
}

/** A reload of the supergraph: the longest time that a request waits meanwhile, and whether all subscriptions continue. */
async function measureReload(clients: readonly ChildProcess[]): Promise<void> {
  const description = `A gym with its own branding ${crypto.randomUUID()}.`;
  await writeFile(`${supergraphFile}.new`, supergraph.replace('A white-labelled gym.', description));
  await rename(`${supergraphFile}.new`, supergraphFile);
  let longest = 0;
  for (let isServed = false; !isServed;) {
    const since = performance.now();
    const { type } = await graph<{ type: { description: string } }>(
      '{ type: __type(name: "Gym") { description } }',
    );
    longest = Math.max(longest, performance.now() - since);
    isServed = type.description === description;
  }
  await change(clients, `round ${ROUNDS}`);
  console.log(
    `reload of the supergraph: a request waited for at most ${longest.toFixed(0)} ms, and all ${subscribers} subscribers received the next event`,
  );
}
