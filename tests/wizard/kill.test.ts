import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { database } from '../../subgraphs/wizard/database.ts';
import { eventually } from '../support/eventually.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { newGym } from './support.ts';

const PROGRAM = path.join(import.meta.dirname, 'programs/killed-wizard.ts');
const ACTIONS = 5; // gym, config, location, admin, open
const REFUSED_ACTIONS = 4; // gym, config, location, admin; the admin's invitation is refused

let platform: TestPlatform;
let clone: ClonedDatabase;
let token: string;
let current: { child: ChildProcess; url: string };
/** The next process. It loads the program while the current one works, to save time: about 20 run in sequence. */
let next: ChildProcess;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  clone = await cloneDatabase(database);
  token = await platform.demo('super@demo.test');
  next = fork(PROGRAM, { execArgv: [], env: environment() });
  current = await live();
});
afterAll(async () => {
  current.child.kill('SIGKILL');
  next.kill('SIGKILL');
  await platform.stop();
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...platform.env,
  DEMO: 'off',
  NODE_COMPILE_CACHE: path.join(platform.dataDir, 'compile-cache'), // shared by all starts
  WIZARD_DEPLOYMENT_LEASE_MILLIS: '200',
  WIZARD_DEPLOYMENT_RETRY_MILLIS: '50',
  TEST_DATABASE: JSON.stringify({ server: clone.server, name: clone.name }),
});

async function live(): Promise<{ child: ChildProcess; url: string }> {
  const child = next;
  next = fork(PROGRAM, { execArgv: [], env: environment() });
  child.send('start');
  const [url] = (await once(child, 'message')) as [string];
  return { child, url };
}

const call = async (method: string, at: string, body?: object) => {
  const response = await fetch(current.url + at, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Untyped;
};

/**
 * Deploys a new session in a process that is killed at this boundary.
 * @returns the session after the next process has finished its deployment
 */
async function deployedDespiteKill(gym: ReturnType<typeof newGym>, killAt: number) {
  const { id } = await call('POST', '/', { kind: 'GYM_SETUP' });
  for (const [step, data] of Object.entries({
    ...gym,
    locations: { locations: gym.locations.locations.slice(0, 1) },
  }))
    await call('PUT', `/${id}`, { step, data });
  const died = once(current.child, 'exit');
  current.child.send(killAt);
  await call('POST', `/${id}/deploy`).catch(() => undefined); // the answer may be lost with the process
  expect((await died)[1]).toBe('SIGKILL');
  current = await live();
  return eventually(async () => {
    const session = await call('GET', `/${id}`);
    return ['DEPLOYED', 'FAILED'].includes(session.status) && session;
  });
}

/** The numbers of rows of a gym in the databases of gym and identity, and whether the session may use its slug. */
async function rowsOf({ basics, admin }: ReturnType<typeof newGym>, sessionId: string) {
  const count = async (statement: string, values: unknown[], service: 'gym' | 'identity' = 'gym') =>
    Number((await platform.sql(service, `select count(*) as count ${statement}`, values))[0].count);
  return {
    gyms: await count('from gym where name = $1', [basics.name]),
    creations: await count("from audit_event where action = 'GYM_CREATED' and details ->> 'slug' = $1", [
      basics.slug,
    ]),
    versions: await count('from gym_config_version where gym_id in (select id from gym where slug = $1)', [
      basics.slug,
    ]),
    locations: await count('from location where gym_id in (select id from gym where slug = $1)', [
      basics.slug,
    ]),
    orphans: await count("from location where name = 'Main hall' and gym_id not in (select id from gym)", []),
    admins: await count('from user_account where email = $1', [admin.email], 'identity'),
    isSlugAvailable: (
      await call('GET', `/check-availability?resource=gym-slug&value=${basics.slug}&sessionId=${sessionId}`)
    ).available,
  };
}

it('a deployment is finished once, whenever the service is killed', async () => {
  // At the last boundary, the last action is already stored, so the next process may repeat nothing.
  for (let killAt = 1; killAt <= ACTIONS * 3; killAt += 1) {
    if (killAt % 3 === 0 && killAt < ACTIONS * 3) continue; // the same stored state as before the next action
    const gym = newGym();
    const session = await deployedDespiteKill(gym, killAt);
    expect([killAt, session.status, session.deployment.status]).toEqual([killAt, 'DEPLOYED', 'DONE']);
    expect(await rowsOf(gym, session.id)).toEqual({
      gyms: 1,
      creations: 1,
      versions: 2,
      locations: 1,
      orphans: 0,
      admins: 1,
      isSlugAvailable: false, // because the gym has it
    });
  }
}, 300_000);

it('a refused deployment is completely undone, whenever the service is killed', async () => {
  for (let killAt = REFUSED_ACTIONS * 3 - 1; killAt <= REFUSED_ACTIONS * 6; killAt += 1) {
    if (killAt % 3 === 0 && killAt < REFUSED_ACTIONS * 6) continue;
    const gym = newGym();
    const taken = await platform.register();
    const session = await deployedDespiteKill(
      { ...gym, admin: { ...gym.admin, email: taken.email } },
      killAt,
    );
    expect([killAt, session.status, session.deployment.status]).toEqual([killAt, 'FAILED', 'UNDONE']);
    expect(session.deployment.actions[3]).toMatchObject({ status: 'FAILED', error: { code: 'CONFLICT' } });
    expect(await rowsOf(gym, session.id)).toEqual({
      gyms: 0,
      creations: 1,
      versions: 0,
      locations: 0,
      orphans: 0,
      admins: 0,
      isSlugAvailable: true, // for this session, which can be corrected
    });
  }
}, 300_000);
