/**
 * The CPU time that one operation takes at the gateway and in all services together, for the worst operations that the
 * limits let through: `npm run bench:worst`. Each text is sent as one that the gateway has not seen, because planning
 * counts. `URL` and `PID` measure a platform that runs already; `ONLY` picks candidates by a part of their name.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startProcess } from '../../tests/support/process.ts';
import { freePort } from '../gateway/processes.ts';
import { CANDIDATES, type Candidate } from './candidates.ts';

const SERVICES = ['gym', 'nutrition', 'content', 'squad', 'wizard', 'identity'];
const PASSWORD = 'demo-password-1';
const ROUNDS = 3;
let sent = 0;

const { url, pid, stop } = await platform();
try {
  const token = await logIn();
  const rows: (Answer & { name: string; count: number; caller: string; millis: number })[] = [];
  const chosen = CANDIDATES.filter(({ name }) => name.includes(process.env.ONLY ?? ''));
  for (const caller of ['member', 'anonymous'] as const)
    for (const candidate of chosen) {
      const callerToken = caller === 'member' ? token : undefined;
      const count = await largestAllowed(candidate, callerToken);
      const millis: number[] = [];
      let answer: Answer | undefined;
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = await settled();
        answer = await send(candidate, count, callerToken);
        millis.push((await settled()) - before);
      }
      if (answer) rows.push({ name: candidate.name, count, caller, ...answer, millis: median(millis) });
    }
  rows.sort((a, b) => b.millis - a.millis);
  for (const { name, count, caller, status, code, bytes, millis } of rows)
    console.log(
      `${String(millis).padStart(5)} ms  ${caller.padEnd(9)}  ${name} x ${count}  (${status} ${code}, ${bytes} bytes)`,
    );
} finally {
  await stop();
}

/** How often the candidate may ask for its thing before the limits refuse it. */
async function largestAllowed(candidate: Candidate, token: string | undefined): Promise<number> {
  let [allowed, refused] = [0, candidate.most + 1];
  for (let count = candidate.most; refused - allowed > 1; count = Math.floor((allowed + refused) / 2)) {
    const { code } = await send(candidate, count, token);
    if (code === 'OPERATION_LIMIT_EXCEEDED') refused = count;
    else allowed = count;
  }
  return Math.max(1, allowed);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** User and system time of the process without its children, the database among them, in milliseconds (proc(5)). */
function cpuMillisOf(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10; // clock ticks of 10 ms
}

/** The CPU time of the process once it has nothing left to do. */
async function settled(): Promise<number> {
  for (let before = cpuMillisOf(pid); ;) {
    await new Promise((resolve) => setTimeout(resolve, 120));
    const now = cpuMillisOf(pid);
    if (now - before <= 10) return now;
    before = now;
  }
}

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly bytes: number;
}

async function send(
  { query, variables, service }: Candidate,
  count: number,
  token: string | undefined,
): Promise<Answer> {
  sent += 1;
  const response = await fetch(`${url}${service ? `/${service}` : ''}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query: query(count, `N${sent}x${Date.now()}`), variables: variables?.(count) }),
  });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
  return { status: response.status, code, bytes: text.length };
}

async function logIn(): Promise<string> {
  const response = await fetch(`${url}/identity/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'maya@iron.test', password: PASSWORD }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function platform(): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  if (process.env.URL && process.env.PID)
    return { url: process.env.URL, pid: Number(process.env.PID), stop: async () => undefined };
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-worst-'));
  const gatewayPort = await freePort();
  const ports = await Promise.all(
    SERVICES.map(async (name) => [`${name.toUpperCase()}_PORT`, String(await freePort())] as const),
  );
  const started = startProcess([], {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    RATE_LIMITS: 'off',
    DEMO: 'on',
    GATEWAY_PORT: String(gatewayPort),
    ...Object.fromEntries(ports),
  });
  await started.printed(/Ready after/);
  return {
    url: `http://127.0.0.1:${gatewayPort}`,
    pid: started.child.pid ?? 0,
    async stop() {
      await started.end();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
