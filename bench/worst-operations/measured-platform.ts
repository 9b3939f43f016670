import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startProcess } from '../../tests/support/process.ts';
import { freePort } from '#server/http/free-ports.ts';

const PASSWORD = 'demo-password-1';

export type Caller = 'member' | 'anonymous';

/** One GraphQL request. */
export interface Operation {
  readonly query: string;
  readonly variables?: Record<string, unknown> | undefined;
  /** The service to whose own graph it is sent. Default: the gateway. */
  readonly service?: ServiceName | undefined;
}

export interface Answer {
  readonly status: number;
  /** The code of the first error, or an empty text. */
  readonly code: string;
  readonly bytes: number;
  /** Processor time of the gateway and all services together, without PostgreSQL, until they are idle. */
  readonly millis: number;
}

/** The whole platform in one process, whose processor time is read from `/proc`. */
export interface MeasuredPlatform {
  send(operation: Operation, caller: Caller): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts the platform on a database of its own, with demo data and without rate limits. */
export async function measuredPlatform(): Promise<MeasuredPlatform> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-worst-'));
  const ports = new Map<string, number>();
  for (const name of ['gateway', ...SERVICE_NAMES]) ports.set(name, await freePort());
  const started = startProcess([], {
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    RATE_LIMITS: 'off',
    DEMO: 'on',
    DEMO_HISTORY: 'off',
    ...Object.fromEntries([...ports].map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)])),
  });
  await started.printed(/Ready after/);
  const pid = started.child.pid ?? 0;
  const urlOf = (name: string): string => `http://127.0.0.1:${ports.get(name)}`;
  const token = await logIn(urlOf('identity'));
  await settled(pid);
  return {
    async send({ query, variables, service }, caller) {
      const before = processorMillis(pid); // the process has been idle since the last operation
      const response = await fetch(`${urlOf(service ?? 'gateway')}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(caller === 'member' && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query, variables }),
      });
      const text = await response.text();
      const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
      const millis = Math.round((await settled(pid)) - before);
      return { status: response.status, code, bytes: text.length, millis };
    },
    async stop() {
      await started.end();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function logIn(identity: string): Promise<string> {
  const response = await fetch(`${identity}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'maya@iron.test', password: PASSWORD }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** The processor time of all threads of the process, without its children, in milliseconds; `schedstat` has nanoseconds. */
function processorMillis(pid: number): number {
  let nanos = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanos += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return nanos / 1e6;
}

/** Waits until the process is idle, which is at most 3 ms of processor time in 40 ms. Returns its processor time so far. */
async function settled(pid: number): Promise<number> {
  for (let before = processorMillis(pid); ;) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    const now = processorMillis(pid);
    if (now - before <= 3) return now;
    before = now;
  }
}
