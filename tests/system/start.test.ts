import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD, demoPerson } from '#server/demo-ids.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';

const started: StartedProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.end('SIGKILL')));
  // After kill -9, the database server still writes, until it has detected the end of the platform.
  await Promise.all(
    folders
      .splice(0)
      .map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })),
  );
});

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'platform-start-'));
  folders.push(folder);
  return folder;
}

function start(args: readonly string[], env: Record<string, string>): StartedProcess {
  const process = startProcess(args, { HOST: '127.0.0.1', DEMO_HISTORY: 'off', ...ANY_PORTS, ...env });
  started.push(process);
  return process;
}

/** An address of this machine besides the usual one; only Linux has more than one without set-up. */
const OWN_HOST = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';

const urlOf = async (process: StartedProcess, part: string): Promise<string> =>
  (await process.printed(new RegExp(`^ {2}${part} +(http://\\S+)`, 'm')))[1] ?? '';

async function post(url: string, body: unknown, token?: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const logIn = async (identity: string) =>
  String(
    (await post(`${identity}/auth/login`, { email: 'maya@iron.test', password: DEMO_PASSWORD })).body.token,
  );

describe('npm start', () => {
  it('starts the whole platform at the address HOST, answers a query over five services, and stops cleanly on SIGTERM', async () => {
    const platform = start([], { DATA_DIR: await dataFolder(), HOST: OWN_HOST, DEMO_HISTORY: 'on' });
    await platform.printed(/Ready after/);
    const gateway = await urlOf(platform, 'gateway');
    expect(new URL(gateway).hostname).toBe(OWN_HOST);
    const login = await post(`${gateway}/graphql`, {
      query: `mutation { login(input: { email: "maya@iron.test", password: "${DEMO_PASSWORD}" }) { token } }`,
    });
    const { token } = (login.body as unknown as { data: { login: { token: string } } }).data.login;
    const home = await post(`${gateway}/graphql`, { query: HOME_QUERY }, token);
    expect(home.body).toEqual({
      data: {
        me: {
          displayName: 'Maya',
          role: 'MEMBER',
          gym: {
            name: 'Iron Temple',
            config: {
              theme: expect.objectContaining({
                colors: expect.objectContaining({ primary: expect.stringMatching(/^#/) }),
              }),
              features: expect.objectContaining({ nutrition: true }),
            },
            locations: expect.arrayContaining([
              {
                name: 'Forge',
                capacity: 80,
                occupancy: { people: expect.any(Number), level: expect.stringMatching(/^(OK|BUSY|FULL)$/) },
              },
            ]),
          },
          nutritionDay: { totals: { calories: expect.any(Number) } },
          presence: { online: false },
        },
        workouts: {
          nodes: [1, 2, 3].map(() => ({
            title: expect.any(String),
            difficulty: expect.stringMatching(/^(Beginner|Intermediate|Advanced)$/),
          })),
        },
      },
    });
    expect(await platform.end('SIGTERM')).toBe(0);
    expect(platform.output()).toMatch(/^Stopped\.$/m);
    expect(platform.output()).not.toMatch(/"level":"(error|fatal)"/);
  });

  it('loses no acknowledged food log entry after kill -9, and starts again on the same data', async () => {
    const DATA_DIR = await dataFolder();
    const first = start([], { DATA_DIR, RATE_LIMITS: 'off' });
    await first.printed(/Ready after/);
    const [identity, nutrition] = [await urlOf(first, 'identity'), await urlOf(first, 'nutrition')];
    const token = await logIn(identity);
    const acknowledged: string[] = [];
    const writers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const { status, body } = await post(
          `${nutrition}/log`,
          { foodName: `oats ${randomUUID()}`, calories: 100, protein: 3, carbs: 18, fats: 2 },
          token,
        );
        if (status !== 201) throw new Error(`POST /log answered ${status}`);
        acknowledged.push(String(body.id));
        if (acknowledged.length === 150) first.child.kill('SIGKILL');
      }
    });
    await Promise.allSettled(writers);
    await first.ended;
    expect(acknowledged.length).toBeGreaterThanOrEqual(150);

    const second = start([], { DATA_DIR, RATE_LIMITS: 'off' });
    await second.printed(/Ready after/);
    const newToken = await logIn(await urlOf(second, 'identity'));
    const stored = new Set<string>();
    let page: string | undefined = `/history/${demoPerson('maya@iron.test').id}?limit=200`;
    while (page) {
      const response: Response = await fetch((await urlOf(second, 'nutrition')) + page, {
        headers: { authorization: `Bearer ${newToken}` },
      });
      expect(response.status).toBe(200);
      for (const { id } of (await response.json()) as { id: string }[]) stored.add(id);
      page = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  it('refuses a second start on the same data with advice, and the first platform continues', async () => {
    const DATA_DIR = await dataFolder();
    const first = start([], { DATA_DIR });
    await first.printed(/Ready after/);
    const second = start([], { DATA_DIR });
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/DATA_DIR/);
    expect(second.output()).not.toMatch(/\n\s+at /);
    expect((await fetch(`${await urlOf(first, 'gym')}/health/ready`)).status).toBe(200);
  });

  it('names the port that is in use and the variable that changes it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const usedPort = (other.address() as AddressInfo).port;
    const platform = start([], { DATA_DIR: await dataFolder(), CONTENT_PORT: String(usedPort) });
    expect(await platform.ended).toBe(1);
    expect(platform.output()).toContain(`Port ${usedPort} is in use`);
    expect(platform.output()).toContain('CONTENT_PORT');
    other.close();
  });

  it('names an invalid setting', async () => {
    const platform = start([], { DATA_DIR: await dataFolder(), GYM_PORT: 'gym' });
    expect(await platform.ended).toBe(1);
    expect(platform.output()).toContain('GYM_PORT: expected a port number from 0 to 65535; got "gym"');
  });

  it('lists what can be started if the argument is unknown', async () => {
    const platform = start(['gim'], {});
    expect(await platform.ended).toBe(1);
    expect(platform.output()).toMatch(/no "gim".*gym/s);
  });

  it('starts one service alone', async () => {
    const gym = start(['gym'], { DATA_DIR: await dataFolder(), HOST: OWN_HOST });
    const [, url = ''] = await gym.printed(/Gym service is ready: (http:\S+)/);
    expect(new URL(url).hostname).toBe(OWN_HOST);
    expect(await (await fetch(`${url}/gym/config/iron-temple`)).json()).toMatchObject({
      theme: { colors: {} },
    });
    expect(await gym.end('SIGINT')).toBe(0);
  });
});

const HOME_QUERY = `query Home {
  me {
    displayName role
    gym { name config { theme features } locations { name capacity occupancy { people level } } }
    nutritionDay { totals { calories } }
    presence { online }
  }
  workouts(first: 3) { nodes { title difficulty } }
}`;
