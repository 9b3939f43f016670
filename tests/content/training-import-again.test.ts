import { describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { MEMBER_OF } from '../support/platform/test-accounts.ts';
import { BENCH, hourOf, trainingLog, type Person } from './training-support.ts';

const { rest, register, platform } = trainingLog();

const MOVE = { name: 'Sled Dance', primaryMuscles: ['Glutes'], modality: 'WEIGHT_REPS' };
const importCsv = async (who: Person, csv: string) => {
  const { status, body } = await rest(who, 'POST', '/trainings/import', csv, { 'content-type': 'text/csv' });
  expect(status).toBe(200);
  return body;
};
const exportOf = async (who: Person): Promise<string> =>
  (await rest(who, 'GET', '/trainings/export.csv')).body;
const customOf = async (who: Person): Promise<string[]> =>
  (await rest(who, 'GET', '/exercises?mine=true')).body.map(({ name }: { name: string }) => name);

/** A training with two sets of an exercise, and an entry of another exercise without sets. */
async function trained(who: Person, exerciseId: string, withoutSets: string): Promise<void> {
  const training = hourOf(exerciseId, [
    { reps: 5, weightKg: 60 },
    { reps: 4, weightKg: 65 },
  ]);
  training.entries.push({ exerciseId: withoutSets, sets: [] });
  expect((await rest(who, 'POST', '/trainings', training)).status).toBe(201);
}

describe('an import of sets that the training log has already', () => {
  it('adds nothing if their exercises were deleted', async () => {
    const ana = await register();
    const ids: string[] = [];
    for (const name of ['Sled Dance', 'Sled Walk'])
      ids.push((await rest(ana, 'POST', '/exercises', { ...MOVE, name })).body.id);
    const [dance = '', walk = ''] = ids;
    await trained(ana, dance, walk);
    const before = await exportOf(ana);
    for (const id of ids) expect((await rest(ana, 'DELETE', `/exercises/${id}`)).status).toBe(204);
    for (const csv of [before, await exportOf(ana)])
      expect(await importCsv(ana, csv)).toMatchObject({
        lines: 3,
        duplicates: 3,
        imported: 0,
        failed: 0,
        created: [],
      });
    expect(await customOf(ana)).toEqual([]);
    expect((await rest(ana, 'GET', '/trainings')).body).toMatchObject([{ version: 1 }]);
  });

  it('adds new sets to a deleted exercise that the user has trained, and not to a new one of the same name', async () => {
    const ana = await register();
    const { id } = (await rest(ana, 'POST', '/exercises', MOVE)).body;
    await trained(ana, id, BENCH);
    await rest(ana, 'DELETE', `/exercises/${id}`);
    const csv = `startedAt,title,exerciseId,exercise,reps,weightKg\n2026-03-01T10:00:00Z,Push,${id},Sled Dance,5,70`;
    expect(await importCsv(ana, csv)).toMatchObject({ imported: 1, failed: 0, created: [] });
    expect((await rest(ana, 'GET', `/exercises/${id}/records`)).body.heaviest).toMatchObject({ value: 70 });
  });

  it('adds nothing if the file names the exercises only by names, and these were deleted', async () => {
    const ana = await register();
    const csv = [
      'Date,Workout Name,Exercise Name,Set Order,Weight,Reps',
      '2026-03-01 18:00:00,Evening,Moon Press,1,40,8',
      '2026-03-01 18:00:00,Evening,Moon Press,2,40,7',
    ].join('\n');
    const { created } = await importCsv(ana, csv);
    expect((await rest(ana, 'DELETE', `/exercises/${created[0].id}`)).status).toBe(204);
    expect(await importCsv(ana, csv)).toMatchObject({ duplicates: 2, failed: 0, created: [] });
    // Another set of this name needs an exercise.
    const more = `${csv}\n2026-03-01 18:00:00,Evening,Moon Press,3,40,6`;
    expect(await importCsv(ana, more)).toMatchObject({
      duplicates: 2,
      imported: 1,
      created: [{ name: 'Moon Press' }],
    });
  });

  it('adds nothing, and reports no error, if the user has moved to another gym since', async () => {
    const account = await platform().register();
    const staff = { id: '', token: await platform().demo('admin@iron.test') };
    const ids: string[] = [];
    for (const name of ['Iron Toss', 'Iron Walk'])
      ids.push((await rest(staff, 'POST', '/exercises', { ...MOVE, name })).body.id);
    const [toss = '', walk = ''] = ids;
    await trained(account, toss, walk);
    const before = await exportOf(account);
    await platform().sql('identity', MEMBER_OF, [DEMO_GYMS.aquaClub.id, account.id]);
    const moved = { id: account.id, token: await platform().login(account.email, account.password) };
    expect((await rest(moved, 'GET', `/exercises/${toss}`)).status).toBe(404);
    for (const csv of [before, await exportOf(moved)])
      expect(await importCsv(moved, csv)).toMatchObject({
        lines: 3,
        duplicates: 3,
        imported: 0,
        failed: 0,
        errors: [],
        created: [],
      });
  });
});
