import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import { RedisJournals } from '../../subgraphs/squad/storage/journal.redis.ts';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { RedisConnections } from '../../subgraphs/squad/storage/redis-connections.ts';
import { violations } from './invite-interleavings/violations.ts';
import { gymId, log, World, type Act } from './invite-interleavings/world.ts';

/**
 * A case is one order of the journal steps of sending, answering, revoking, blocking, leaving, ending, joining and kicking; a
 * seed determines it. `INVITE_INTERLEAVINGS` is the number of cases for each storage, `INVITE_SEED` the first seed.
 */
const COUNT = Number(process.env.INVITE_INTERLEAVINGS ?? 150);
const FIRST_SEED = Number(process.env.INVITE_SEED ?? 1);

async function explore(
  instances: readonly Journals[],
  afterEach: (world: World) => Promise<void>,
): Promise<Figures> {
  const figures: Figures = { acts: 0, steps: 0, accepted: 0, revoked: 0, entered: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
    const world = new World(seed, instances);
    await world.open();
    await world.act();
    const found = await violations(world);
    if (found.length > 0) {
      const acts = world.acts.map(
        ({ name, by, to, from, until, code }) => `${by} ${name} ${to} [${from}, ${until}] ${code ?? 'done'}`,
      );
      throw new Error([`seed ${seed}`, ...found, ...acts, ...world.scheduler.steps].join('\n'));
    }
    const countOf = (name: Act['name']) =>
      world.acts.filter((act) => act.name === name && act.code === undefined).length;
    figures.acts += world.acts.length;
    figures.steps += world.scheduler.now;
    figures.accepted += countOf('accept');
    figures.revoked += countOf('revoke');
    figures.entered += countOf('join');
    await afterEach(world);
  }
  return figures;
}

interface Figures {
  acts: number;
  steps: number;
  accepted: number;
  revoked: number;
  entered: number;
}

/** Checks that there were enough outcomes of every kind. */
function expectExplored(figures: Figures): void {
  if (process.env.SHOW_FIGURES) process.stdout.write(`${COUNT} interleavings: ${JSON.stringify(figures)}\n`);
  expect(figures.steps).toBeGreaterThan(COUNT * 10);
  expect(figures.accepted).toBeGreaterThan(COUNT / 10);
  expect(figures.revoked).toBeGreaterThan(COUNT / 20);
  expect(figures.entered).toBeGreaterThan(COUNT / 10);
}

describe('in every order of steps an accepted invite lets its receiver join until the right ends', () => {
  test('at one instance, with files', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-interleavings-'));
    const journals = new FileJournals({ folder, log });
    expectExplored(await explore([journals], async () => undefined));
    await journals.close();
    await rm(folder, { recursive: true });
  }, 3_600_000);

  const { REDIS_URL } = process.env;
  (REDIS_URL ? describe : describe.skip)(
    `at two instances, with Redis${REDIS_URL ? '' : ' (skipped: REDIS_URL is not set)'}`,
    () => {
      let connections: RedisConnections[];
      beforeAll(async () => {
        connections = [];
        for (let count = 0; count < 2; count += 1)
          connections.push(await RedisConnections.open(REDIS_URL as string, log));
      });
      afterAll(() => connections.forEach((one) => one.close()));

      test('it does with the actors spread over both instances', async () => {
        const cleaner = await createClient({ url: REDIS_URL as string }).connect();
        const instances = connections.map((one) => new RedisJournals(one, log));
        expectExplored(
          await explore(instances, async ({ ids, squadId }) => {
            const names = [`{squads:${squadId}}`, ...[...ids.values()].map((id) => `{users:${id}}`)];
            await cleaner.del(
              names.flatMap((name) => [`squad:journal:${name}`, `squad:journal:${name}:meta`]),
            );
          }),
        );
        await cleaner.del([`squad:journal:{gyms:${gymId}}`, `squad:journal:{gyms:${gymId}}:meta`]);
        cleaner.destroy();
      }, 3_600_000);
    },
  );
});
