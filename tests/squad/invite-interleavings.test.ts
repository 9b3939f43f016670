import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FileJournals } from '../../subgraphs/squad/storage/journal.file.ts';
import type { Journals } from '../../subgraphs/squad/storage/journal.ts';
import { violations } from './invite-interleavings/violations.ts';
import { log, World, type Act } from './invite-interleavings/world.ts';
import { databaseStore } from './journals/stores.ts';

/**
 * A case is one order of the journal steps of sending, answering, revoking, blocking, leaving, starting, ending,
 * joining and kicking; a seed determines it. `INVITE_INTERLEAVINGS` is the number of cases with files (with
 * PostgreSQL a fifth of it), `INVITE_SEED` the first seed.
 */
const COUNT = Number(process.env.INVITE_INTERLEAVINGS ?? 150);
const FIRST_SEED = Number(process.env.INVITE_SEED ?? 1);

async function testInterleavings(instances: readonly Journals[], count: number): Promise<Figures> {
  const figures: Figures = { count, acts: 0, steps: 0, accepted: 0, revoked: 0, entered: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed += 1) {
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
  }
  return figures;
}

interface Figures {
  count: number;
  acts: number;
  steps: number;
  accepted: number;
  revoked: number;
  entered: number;
}

/** Checks that invites were accepted and revoked, and users joined, often enough. */
function expectEveryOutcome(figures: Figures): void {
  if (process.env.SHOW_FIGURES)
    process.stdout.write(`${figures.count} interleavings: ${JSON.stringify(figures)}\n`);
  expect(figures.steps).toBeGreaterThan(figures.count * 10);
  expect(figures.accepted).toBeGreaterThan(figures.count / 10);
  expect(figures.revoked).toBeGreaterThan(figures.count / 20);
  expect(figures.entered).toBeGreaterThan(figures.count / 10);
}

describe('in random orders of steps an accepted invite lets its receiver join until they leave, are kicked or blocked, or the squad ends', () => {
  test('at one instance, with files', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'squad-interleavings-'));
    const journals = new FileJournals({ folder, log });
    expectEveryOutcome(await testInterleavings([journals], COUNT));
    await journals.close();
    await rm(folder, { recursive: true });
  }, 3_600_000);

  test('at two instances, with PostgreSQL and without reports of changes', async () => {
    const store = await databaseStore([undefined, undefined]);
    expectEveryOutcome(await testInterleavings(store.instances, Math.ceil(COUNT / 5)));
    await store.close();
  }, 3_600_000);
});
