import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { canHang, hangPostgres, whyNoHang } from '../support/hang.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';

const started: StartedProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.end('SIGKILL')));
  await Promise.all(
    folders
      .splice(0)
      .map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })),
  );
});

/** Starts the gym service with its own database. */
async function startGym(
  env: Record<string, string> = {},
): Promise<{ gym: StartedProcess; url: string; dataDir: string }> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'platform-stop-'));
  folders.push(dataDir);
  const gym = startProcess(['gym'], { HOST: '127.0.0.1', ...ANY_PORTS, DATA_DIR: dataDir, ...env });
  started.push(gym);
  const [, url = ''] = await gym.printed(/Gym service is ready: (http:\S+)/);
  return { gym, url, dataDir };
}

const secondsOf = async (work: Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work;
  return (performance.now() - startedAt) / 1_000;
};

(canHang ? describe : describe.skip)(`a service whose PostgreSQL hangs${whyNoHang}`, () => {
  it('ends on SIGTERM within its grace period plus 5 s', async () => {
    const { gym, url, dataDir } = await startGym({ STOP_GRACE_PERIOD_MILLIS: '500' });
    const postgres = hangPostgres(dataDir);
    const requests = Promise.allSettled([1, 2, 3].map(() => fetch(`${url}/gym/config/iron-temple`)));
    const seconds = await secondsOf(gym.end('SIGTERM'));
    postgres.resume();
    await requests;
    // The limit is 5.5 s; the other seconds are for a busy machine.
    expect(seconds).toBeLessThan(10);
    expect(gym.output()).toContain('Stopping ...');
  });

  it('ends at once on a second signal', async () => {
    const { gym, dataDir } = await startGym({ STOP_GRACE_PERIOD_MILLIS: '60000' });
    const postgres = hangPostgres(dataDir);
    gym.child.kill('SIGTERM');
    await gym.printed(/Stopping/);
    expect(await gym.end('SIGTERM')).toBe(130);
    postgres.resume();
  });
});

describe.each(['exception', 'rejection'])('an unhandled %s', (kind) => {
  it('is logged once, and everything is closed before the process ends with 1', async () => {
    const server = startProcess([kind], {}, 'tests/system/programs/unhandled-error.ts');
    started.push(server);
    expect(await server.ended).toBe(1);
    expect(server.output()).toMatch(/"level":"fatal".*without a handler/);
    expect(server.output().match(/fatal/g)).toHaveLength(1);
    expect(server.output()).toMatch(/Stopping \.\.\.\s+everything is closed\s+Stopped\./);
  });
});

describe('a start in production without settings', () => {
  it.each([
    ['the platform', [], ['DATABASE_URL']],
    ['one service', ['gym'], ['DATABASE_URL', 'SERVICE_SECRET']],
    ['the gateway', ['gateway'], ['SERVICE_SECRET']],
  ])('fails with the names of the missing variables (%s)', async (_what, args, names) => {
    const server = startProcess(args, { NODE_ENV: 'production', ...ANY_PORTS });
    started.push(server);
    expect(await server.ended).toBe(1);
    for (const name of names) expect(server.output()).toContain(`${name}: `);
    expect(server.output()).not.toMatch(/\n\s+at /);
  });
});
