import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '#server/http/free-ports.ts';
import { cpuMillisOf, start, type Started } from '../gateway/processes.ts';
import { jsonHeaders, post } from '../platform/people.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const GYM_ID = '01900000-0000-7000-8000-000000000001';
/** The number of locations. A check-in locks its location, so check-ins at only one would mostly wait for each other. */
const HALLS = 8;
export const MEMBERS = 100;

/** Milliseconds of processor time so far. */
export interface Cpu {
  gym: number;
  database: number;
}

/** A gym service in a process of its own, with its own database and its own halls. */
export interface GymStack {
  readonly url: string;
  readonly halls: readonly string[];
  cpu(): Cpu;
}

/** A gym service for each program, and one identity service for all of them. */
export class Stacks {
  readonly identityUrl: string;
  private readonly dataDir: string;
  private readonly started: Started[] = [];
  /** Identity asks the first gym service; the others have the same demo gyms. */
  private readonly firstGymPort: number;
  private members: Promise<string[]> | undefined;

  private constructor(dataDir: string, port: number, firstGymPort: number) {
    this.dataDir = dataDir;
    this.identityUrl = `http://127.0.0.1:${port}`;
    this.firstGymPort = firstGymPort;
  }

  static async open(): Promise<Stacks> {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'bench-webhooks-'));
    const stacks = new Stacks(dataDir, await freePort(), await freePort());
    await stacks.run('identity', ['main.ts', 'identity'], {
      IDENTITY_PORT: new URL(stacks.identityUrl).port,
      GYM_URL: `http://127.0.0.1:${stacks.firstGymPort}`,
    });
    return stacks;
  }

  async gym(name: string, program: readonly string[] = ['main.ts', 'gym']): Promise<GymStack> {
    // Before the first gym service, only identity is started.
    const port = this.started.length > 1 ? await freePort() : this.firstGymPort;
    const url = `http://127.0.0.1:${port}`;
    const process = await this.run(name, program, { GYM_PORT: String(port), GYM_URL: url });
    const [file = ''] = globSync(path.join(this.dataDir, name, '**/postmaster.pid'));
    const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const staff = await this.staff();
    const halls = await Promise.all(
      Array.from({ length: HALLS }, (_, at) =>
        post(`${url}/locations`, staff, { name: `Hall ${at}`, timezone: 'UTC', capacity: 10_000 }),
      ),
    );
    return {
      url,
      halls: halls.map(({ id = '' }) => id),
      cpu: () => ({
        gym: cpuMillisOf(process.pid, postmaster),
        database: cpuMillisOf(postmaster) + endedMillisOf(postmaster),
      }),
    };
  }

  /** A token that is valid for 15 minutes. */
  async staff(): Promise<string> {
    const { token = '' } = await post(`${this.identityUrl}/auth/login`, undefined, {
      email: 'admin@iron.test',
      password: 'demo-password-1',
    });
    return token;
  }

  /** The check-in codes of 100 members. It needs the first gym service. */
  codes(): Promise<string[]> {
    this.members ??= Promise.all(
      Array.from({ length: MEMBERS }, async (_, index) => {
        const { qrCode = '' } = await post(`${this.identityUrl}/auth/register`, undefined, {
          email: `bench-${index}@example.test`,
          password: 'a-long-password-1',
          displayName: 'Bench',
          gymId: GYM_ID,
        });
        return qrCode;
      }),
    );
    return this.members;
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((one) => one.stop()));
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private async run(name: string, args: readonly string[], env: Record<string, string>): Promise<Started> {
    const started = await start(args, {
      cwd: ROOT,
      env: {
        HOST: '127.0.0.1',
        DATA_DIR: path.join(this.dataDir, name),
        DEMO: 'on',
        DEMO_HISTORY: 'off',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'info',
        DRAIN_DELAY_MILLIS: '0',
        SERVICE_SECRET: 'a secret of this measurement only, with 32 characters',
        IDENTITY_URL: this.identityUrl,
        CONTENT_URL: 'http://127.0.0.1:9', // not started
        ...env,
      },
      ready: /service is ready/,
    });
    this.started.push(started);
    return started;
  }
}

/**
 * Check-ins in which each member goes from hall to hall. Except for a member's first one, each check-in ends a visit and
 * opens another one: two events. Consecutive check-ins are in different halls.
 */
export const checkIns = ({ url, halls }: GymStack, codes: readonly string[], token: string) => ({
  url: `${url}/locations/check-in`,
  bodies: halls.flatMap((_, pass) =>
    codes.map((qrCode, member) =>
      JSON.stringify({ qrCode, locationId: halls[(member + pass) % halls.length] }),
    ),
  ),
  headers: jsonHeaders(token),
});

/**
 * Milliseconds of processor time of children that have ended. The kernel counts their user and system time in hundredths of
 * a second (fields 16 and 17 of /proc/<pid>/stat, proc(5)).
 */
function endedMillisOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
