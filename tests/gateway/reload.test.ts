import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gatewaySettingsOf } from '../../gateway/settings.ts';
import { startGateway, type RunningGateway } from '../../gateway/start-gateway.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';

const SERVICES = ['identity', 'gym', 'squad'] as const;
const OCCUPANCY =
  'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people location { name gym { name } } } }';

let platform: TestPlatform;
let gateway: RunningGateway;
let folder: string;
let committed: string;
let maya: string;
let staff: string;
beforeAll(async () => {
  [platform, folder, committed] = await Promise.all([
    startPlatform({ services: SERVICES }),
    mkdtemp(path.join(os.tmpdir(), 'reload-test-')),
    readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8'),
  ]);
  [maya, staff] = await Promise.all([platform.demo('maya@iron.test'), platform.demo('admin@iron.test')]);
  for (const service of SERVICES) committed = at(committed, service, platform.url(service));
  await write(committed);
  gateway = await startGateway(
    gatewaySettingsOf({ ...platform.env, SUPERGRAPH: path.join(folder, 'sdl'), GATEWAY_PORT: '0' }),
  );
});
afterAll(async () => {
  await gateway.stop();
  await platform.stop();
  await rm(folder, { recursive: true });
});

/** The supergraph with another address of one subgraph. */
const at = (sdl: string, service: string, url: string): string =>
  sdl.replace(new RegExp(`(@join__graph\\(name: "${service}", url: )"[^"]*"`), `$1"${url}/graphql"`);
/** Replaces the supergraph file by a rename, as deployments do, so that the gateway never reads half of it. */
async function write(sdl: string): Promise<void> {
  await writeFile(path.join(folder, 'sdl.new'), sdl);
  await rename(path.join(folder, 'sdl.new'), path.join(folder, 'sdl'));
}
async function graph(query: string, variables: object = {}) {
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${maya}` },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, ...((await response.json()) as { data?: any; errors?: unknown[] }) }; // oxlint-disable-line typescript/no-explicit-any -- the expectations below check its shape
}
/** The same graph with another description of `Gym`. */
const marked = (sdl: string, mark: string): string => sdl.replace('A white-labelled gym.', `Gym, ${mark}.`);
/** Waits until the gateway serves the supergraph with this mark. */
async function served(mark: string): Promise<void> {
  for (;;) {
    const { data } = await graph('{ type: __type(name: "Gym") { description } }');
    if (data?.type.description === `Gym, ${mark}.`) return;
  }
}
/** Replaces the supergraph, and waits until the gateway serves it. */
const serve = async (sdl: string): Promise<void> => {
  const mark = randomUUID();
  await write(marked(sdl, mark));
  await served(mark);
};
async function newLocation(): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/locations', {
    token: staff,
    body: { name: `Hall ${randomUUID()}`, timezone: 'UTC', capacity: 4 },
  });
  return body.id;
}
async function checkIn(locationId: string): Promise<void> {
  const member = await platform.register();
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token: member.token });
  await platform.rest('gym', 'POST', '/locations/check-in', {
    token: member.token,
    body: { qrCode: body.qrCode, locationId },
  });
}
const listen = (query: string, variables = {}): Subscription =>
  subscribe(gateway.url, query, variables, maya);
async function peopleBecome(events: Subscription, people: number): Promise<void> {
  for (;;) if ((await events.next()).data?.occupancyChanged.people === people) return;
}

describe('another supergraph', () => {
  it('makes no request fail and ends no subscription: 200 clients while it changes 20 times', async () => {
    const id = await newLocation();
    const subscriptions = Array.from({ length: 20 }, () => listen(OCCUPANCY, { id }));
    await Promise.all(subscriptions.map((events) => events.next()));
    let isOver = false;
    let answers = 0;
    const failures: unknown[] = [];
    const clients = Array.from({ length: 180 }, async (_one, client) => {
      while (!isOver) {
        // Most clients repeat one operation; three send operations that were never planned before.
        const alias = client % 60 === 0 ? `n${answers}` : 'name';
        const { status, data, errors } = await graph(`{ me { displayName gym { ${alias}: name } } }`);
        if (status !== 200 || errors || data.me.gym[alias] !== 'Iron Temple')
          failures.push({ status, errors });
        answers += 1;
        await pause(100); // so that the machine has time for the other 199 clients, and to load the supergraph
      }
    });
    const withoutBio = committed.replace(/\n\s+"""[^"]*"""\n\s+bio: String[^\n]*/, '\n');
    for (let change = 0; change < 20; change += 1) await serve(change % 2 ? committed : withoutBio);
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(200);
    await checkIn(id);
    await Promise.all(subscriptions.map((events) => peopleBecome(events, 1)));
    await Promise.all(subscriptions.map((events) => events.close()));
  });

  it('is refused if it is invalid, and the gateway continues to serve the previous one', async () => {
    await write('type Query { nothing');
    await write('');
    const found = await graph('{ me { displayName } }');
    expect(found).toMatchObject({ status: 200, data: { me: { displayName: 'Maya' } } });
    await serve(committed);
  });

  it('moves subscriptions to the new address of their service', async () => {
    const id = await newLocation();
    const events = listen(OCCUPANCY, { id });
    await events.next();
    const elsewhere = await platform.replica('gym');
    await serve(at(committed, 'gym', elsewhere.url));
    expect((await events.next()).data).toMatchObject({ occupancyChanged: { people: 0 } });
    await checkIn(id);
    await peopleBecome(events, 1);
    await serve(committed);
    await events.close();
  });

  it('ends only the subscriptions that select a removed field, with a code', async () => {
    const id = await newLocation();
    const [continuing, ending] = [
      listen(OCCUPANCY, { id }),
      listen(OCCUPANCY.replace('people', 'people percent'), { id }),
    ];
    await Promise.all([continuing.next(), ending.next()]);
    await serve(committed.replace(/\n\s+"""[^"]*"""\n\s+percent: Int![^\n]*/, ''));
    await expect(ending.next()).rejects.toMatchObject([
      { extensions: { code: 'SUBSCRIPTION_SCHEMA_RELOAD' } },
    ]);
    await checkIn(id);
    await peopleBecome(continuing, 1);
    await serve(committed);
    await Promise.all([continuing.close(), ending.close()]);
  });
});
