import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { DEMO_GYMS, DEMO_PASSWORD } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

/** How often the platform is killed. */
const KILLS = Number(process.env.EVENTS_KILLS ?? 3);

const gymId = DEMO_GYMS.ironTemple.id;
let running: StartedProcess | undefined;
afterAll(() => running?.end('SIGKILL'));

async function start(dataDir: string) {
  running = startProcess([], {
    ...ANY_PORTS,
    DATA_DIR: dataDir,
    DEMO: 'on',
    RATE_LIMITS: 'off',
    HOST: '127.0.0.1',
  });
  const [, url = ''] = await running.printed(/Open (http:\/\/\S+)/);
  const call = async (method: string, at: string, body?: object, token?: string) => {
    const answer = await fetch(`${url}${at}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line no-explicit-any -- the callers know the shapes
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const login = await call('POST', '/identity/auth/login', {
    email: 'admin@iron.test',
    password: DEMO_PASSWORD,
  });
  return { call, token: login.body.token as string };
}

it('kill -9 of the whole platform loses no event, neither in the feed nor at a receiver', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'events-kill-'));
  const receiver = await startReceiver();
  let platform = await start(dataDir);
  const created = await platform.call(
    'POST',
    '/gym/webhooks',
    { url: receiver.url, types: ['member.joined'] },
    platform.token,
  );
  expect(created.status).toBe(201);
  const joined: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    let isOver = false;
    const { call } = platform;
    const register = async () => {
      while (!isOver) {
        const account = {
          email: `${randomUUID()}@kill.test`,
          password: `pass-${randomUUID()}`,
          displayName: 'Ada',
          gymId,
        };
        const { status, body } = await call('POST', '/identity/auth/register', account).catch(() => ({
          status: 0,
          body: undefined,
        }));
        if (status === 201) joined.push(body.id as string);
      }
    };
    const registering = Promise.all(Array.from({ length: 4 }, register));
    const before = joined.length;
    await eventually(async () => joined.length >= before + 5 + kill);
    running?.child.kill('SIGKILL');
    isOver = true;
    await registering;
    await running?.ended;
    platform = await start(dataDir);
  }
  const ids: string[] = [];
  let after = '';
  await eventually(async () => {
    const { body } = await platform.call(
      'GET',
      `/gym/events?types=member.joined&limit=200${after && `&after=${encodeURIComponent(after)}`}`,
      undefined,
      platform.token,
    );
    ids.push(...(body.events as { data: { id: string } }[]).map(({ data }) => data.id));
    after = body.next as string;
    return joined.every((id) => ids.includes(id));
  });
  expect(new Set(ids).size).toBe(ids.length);
  await eventually(async () => {
    const received = new Set(receiver.requests.map(({ event }) => event.data.id));
    return joined.every((id) => received.has(id));
  });
  await running?.end();
  await receiver.stop();
  await rm(dataDir, { recursive: true, force: true });
});
