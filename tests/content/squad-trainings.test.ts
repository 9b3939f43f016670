import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { BENCH, PLANK, trainingLog, type Person } from './training-support.ts';

const { rest, register, platform } = trainingLog();

const squad = async (): Promise<Person> => ({ id: '', token: await platform().serviceToken('squad') });
const TIMES = { startedAt: '2026-03-01T10:00:00Z', endedAt: '2026-03-01T10:40:00Z' };
const set = (id: string, reps = 5) => ({ id, exerciseId: BENCH, reps, weightKg: 50 });

it('a participant gets one training for each squad, also if requests are repeated or simultaneous', async () => {
  const ana = await register();
  const service = await squad();
  const path = `/squads/${randomUUID()}/trainings/${ana.id}`;
  const body = { ...TIMES, minutes: 30, sets: [set('a'), set('b')] };
  const answers = await Promise.all(Array.from({ length: 5 }, () => rest(service, 'PUT', path, body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => answer.body.trainingId)).size).toBe(1);
  const { body: trainings } = await rest(ana, 'GET', '/trainings');
  expect(trainings).toMatchObject([
    {
      squadId: path.split('/')[2],
      volumeKg: 500,
      minutes: 30,
      version: 1,
      entries: [{ sets: [{ id: 'a' }, { id: 'b' }] }],
    },
  ]);
  // A later stay adds its sets and its time.
  const later = { startedAt: '2026-03-01T10:50:00Z', endedAt: '2026-03-01T11:00:00Z', minutes: 40 };
  const more = await rest(service, 'PUT', path, { ...later, sets: [...body.sets, set('c')] });
  expect(more.body).toEqual({ trainingId: trainings[0].id, ignoredSets: 0 });
  const { body: read } = await rest(ana, 'GET', `/trainings/${trainings[0].id}`);
  expect(read).toMatchObject({
    startedAt: '2026-03-01T10:00:00.000Z',
    endedAt: '2026-03-01T11:00:00.000Z',
    minutes: 40,
    volumeKg: 750,
    version: 2,
  });
  expect((await rest(ana, 'GET', `/exercises/${BENCH}/records`)).body.volume.value).toBe(750);
});

it('sets that a training cannot have are ignored; if there are no other sets, there is no training', async () => {
  const ana = await register();
  const service = await squad();
  const unusable = [
    { id: 'x', exerciseId: randomUUID(), reps: 5 },
    { id: 'y', exerciseId: PLANK, reps: 5 },
  ];
  const none = await rest(service, 'PUT', `/squads/${randomUUID()}/trainings/${ana.id}`, {
    ...TIMES,
    sets: unusable,
  });
  expect(none).toMatchObject({ status: 200, body: { trainingId: null, ignoredSets: 2 } });
  const some = await rest(service, 'PUT', `/squads/${randomUUID()}/trainings/${ana.id}`, {
    ...TIMES,
    sets: [...unusable, set('z')],
  });
  expect(some.body).toEqual({ trainingId: expect.any(String), ignoredSets: 2 });
  expect((await rest(ana, 'GET', '/trainings')).body).toHaveLength(1);
});

it('only services may write the training of a squad', async () => {
  const ana = await register();
  const path = `/squads/${randomUUID()}/trainings/${ana.id}`;
  expect((await rest(ana, 'PUT', path, { ...TIMES, sets: [] })).status).toBe(403);
  expect((await rest(undefined, 'PUT', path, { ...TIMES, sets: [] })).status).toBe(401);
});
