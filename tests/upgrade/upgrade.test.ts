import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { socketDirOf } from '#server/embedded-postgres/embedded-postgres.ts';
import { startInstallation, type Installation } from '../backup/installation.ts';
import { eventually } from '../support/eventually.ts';
import { httpClient, type HttpClient } from '../support/platform/http-client.ts';
import { ANY_PORTS, startProcess, type StartedProcess } from '../support/process.ts';
import { subscribe } from '../support/subscribe.ts';
import { unpackRelease, whyWithoutRelease, type Release } from './released.ts';

/**
 * The services of the last release beside those of this one, on one database that this one has migrated, as during an upgrade:
 * identity is upgraded first, and squad's journals in files have one process only.
 */
const OLD_SERVICES = ['gym', 'content', 'nutrition'];
const VERSIONS = ['old', 'new'] as const;
type Version = (typeof VERSIONS)[number];

const HOUR = { startedAt: '2026-11-20T17:00:00Z', endedAt: '2026-11-20T18:00:00Z', entries: [] };

const READS = [
  ['gym', '/locations'],
  ['gym', '/challenges'],
  ['gym', '/announcements'],
  ['gym', '/classes'],
  ['gym', '/orders'],
  ['gym', '/webhooks'],
  ['gym', '/audit'],
  ['content', '/workouts'],
  ['content', '/exercises?search=squat'],
  ['content', '/trainings'],
  ['nutrition', '/foods?search=oat'],
  ['identity', '/users/all'],
  ['squad', '/squads'],
] as const;

const HOME_QUERY = `{
  me { displayName gym { name locations { name occupancy { people } } } nutritionDay { totals { calories } } presence { online } }
  workouts(first: 1) { nodes { title durationMinutes } }
}`;

const describeUpgrade = whyWithoutRelease ? describe.skip : describe;
if (whyWithoutRelease) console.warn(`tests/upgrade are skipped: ${whyWithoutRelease}`);

let folder: string;
let release: Release;
let present: Installation;
let tokens: { maya: string; admin: string };
const processes: StartedProcess[] = [];
/** For each version a client of its gateway, and through this of the services. */
const platforms = new Map<Version, HttpClient<string>>();
const gateways = new Map<Version, string>();
const at = (version: Version): HttpClient<string> => platforms.get(version)!;

const urlIn = async (process: StartedProcess, pattern: RegExp): Promise<string> =>
  (await process.printed(pattern))[1] ?? '';

/** Starts the gateway and some services of the release; the other services are those of this version. */
async function startOld(dataDir: string): Promise<HttpClient<string>> {
  const urls: Record<string, string> = {};
  for (const name of ['identity', 'squad', 'wizard', ...OLD_SERVICES])
    urls[`${name.toUpperCase()}_URL`] = await urlIn(
      present.process,
      new RegExp(`^ {2}${name} +(http://\\S+)`, 'm'),
    );
  const start = (name: string) => {
    const env = {
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://postgres@/postgres?host=${socketDirOf(path.join(dataDir, 'postgres'))}`,
      RATE_LIMITS: 'off',
      SERVICE_SECRET: secret,
      ...ANY_PORTS,
      ...urls,
    };
    const process = startProcess([name], env, release.program);
    processes.push(process);
    return urlIn(process, /is ready: (http:\/\/[^\s/]+)/);
  };
  const secret = (await readFile(path.join(dataDir, 'secrets/service-secret'), 'utf8')).trim();
  const started = await Promise.all(OLD_SERVICES.map(async (name) => [name, await start(name)] as const));
  for (const [name, url] of started) urls[`${name.toUpperCase()}_URL`] = url;
  const gateway = await start('gateway');
  gateways.set('old', gateway);
  return httpClient((service: string) => (service === 'gateway' ? gateway : `${gateway}/${service}`));
}

describeUpgrade('the last release beside this one', () => {
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'platform-upgrade-'));
    [release, present] = await Promise.all([unpackRelease(), startInstallation(folder)]);
    platforms.set('new', present);
    gateways.set('new', await urlIn(present.process, /^ {2}gateway +(http:\/\/\S+)/m));
    platforms.set('old', await startOld(folder));
    tokens = { maya: await present.token('maya@iron.test'), admin: await present.token('admin@iron.test') };
  });
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.end('SIGTERM')));
    await present?.process.end('SIGTERM');
    await release?.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  describe.each(VERSIONS)('%s services', (version) => {
    it('answer a query over five services', async () => {
      const { data, errors } = await at(version).graph('gateway', HOME_QUERY, {}, { token: tokens.maya });
      expect(errors).toBeUndefined();
      expect(data.me).toMatchObject({ displayName: 'Maya', gym: { name: 'Iron Temple' } });
      expect(data.workouts.nodes).toHaveLength(1);
    });

    it.each(READS)('answer GET %s%s', async (service, where) => {
      const { status } = await at(version).rest(service, 'GET', where, { token: tokens.admin });
      expect(status).toBe(200);
    });
  });

  describe.each([
    ['old', 'new'],
    ['new', 'old'],
  ] as const)('what %s services write', (writer, reader) => {
    it(`is read by ${reader} ones, through REST and the graph`, async () => {
      const { rest, graph } = at(writer);
      const mark = `${writer} ${randomUUID()}`;
      const { maya: token } = tokens;
      const post = await graph(
        'gateway',
        'mutation ($text: String!) { createPost(input: { text: $text }) { id } }',
        { text: mark },
        { token },
      );
      expect(post.errors).toBeUndefined();
      const food = await rest('nutrition', 'POST', '/log', {
        token,
        body: { foodName: mark, calories: 100, protein: 1, carbs: 1, fats: 1 },
      });
      const training = await rest('content', 'POST', '/trainings', { token, body: { title: mark, ...HOUR } });
      const other = at(reader);
      const read = async (service: string, where: string) =>
        (await other.rest(service, 'GET', where, { token })).body;
      expect(await read('gym', `/posts/${post.data.createPost.id}`)).toMatchObject({ text: mark });
      expect(await read('nutrition', `/log/${food.body.id}`)).toMatchObject({ foodName: mark });
      expect(await read('content', `/trainings/${training.body.id}`)).toMatchObject({ title: mark });
    });

    it(`reaches the feed of ${reader} ones: a visit's beginning, and its end at the other version`, async () => {
      const { body: latest } = await at(reader).rest('gym', 'GET', '/events?after=latest', {
        token: tokens.admin,
      });
      const { body: me } = await present.rest('identity', 'GET', '/users/me', { token: tokens.maya });
      const { body: locations } = await at(writer).rest('gym', 'GET', '/locations', { token: tokens.maya });
      const visit = await at(writer).rest('gym', 'POST', '/locations/check-in', {
        token: tokens.maya,
        body: { qrCode: me.qrCode, locationId: locations[0].id },
      });
      expect(visit.status).toBe(201);
      const end = await at(reader).rest('gym', 'POST', '/locations/check-out', {
        token: tokens.maya,
        body: {},
      });
      expect(end.status).toBe(200);
      await eventually(async () => {
        const { body } = await at(reader).rest('gym', 'GET', `/events?after=${latest.next}`, {
          token: tokens.admin,
        });
        const events = body.events as { type: string; subject: string }[];
        const types = events
          .filter(({ subject }) => subject === `check-in/${visit.body.id}`)
          .map(({ type }) => type);
        return types.join() === 'check_in.opened,check_in.closed';
      });
    });

    it(`reaches subscribers of ${reader} ones: the occupancy of a location`, async () => {
      const token = tokens.maya;
      const { body: me } = await present.rest('identity', 'GET', '/users/me', { token });
      const { body: locations } = await at(writer).rest('gym', 'GET', '/locations', { token });
      const locationId = locations[0].id;
      const occupancy = subscribe(
        gateways.get(reader)!,
        'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
        { id: locationId },
        token,
      );
      try {
        const people = async () => (await occupancy.next()).data?.occupancyChanged.people as number;
        const before = await people();
        await at(writer).rest('gym', 'POST', '/locations/check-in', {
          token,
          body: { qrCode: me.qrCode, locationId },
        });
        expect(await people()).toBe(before + 1);
        await at(writer).rest('gym', 'POST', '/locations/check-out', { token, body: {} });
        expect(await people()).toBe(before);
      } finally {
        await occupancy.close();
      }
    });

    it(`is not repeated by ${reader} ones: an Idempotency-Key is known to both`, async () => {
      const request = {
        token: tokens.maya,
        headers: { 'idempotency-key': randomUUID() },
        body: { foodName: 'Oatmeal', calories: 158, protein: 5, carbs: 27, fats: 3 },
      };
      const first = await at(writer).rest('nutrition', 'POST', '/log', request);
      const second = await at(reader).rest('nutrition', 'POST', '/log', request);
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.id).toBe(first.body.id);
    });
  });

  it('the gateways of both versions are ready', async () => {
    for (const version of VERSIONS)
      expect((await at(version).rest('gateway', 'GET', '/health/ready')).status).toBe(200);
  });
});
