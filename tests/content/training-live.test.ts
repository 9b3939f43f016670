import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { BENCH, hourOf, hoursAgo, PULL_UP, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const begun = async (who: Person): Promise<string> => {
  const { body } = await rest(who, 'POST', '/trainings', { startedAt: hoursAgo(0.5) });
  expect(body).toMatchObject({ endedAt: null, minutes: null, entries: [] });
  return `/trainings/${body.id}`;
};

interface Entry {
  exerciseId: string;
  sets: { id: string; reps: number }[];
}
const idsOf = (entries: Entry[]) => entries.map(({ sets }) => sets.map(({ id }) => id));

describe('a running training', () => {
  it('gets its sets one by one; a set that is sent again changes nothing', async () => {
    const ana = await register();
    const path = await begun(ana);
    const set = { exerciseId: BENCH, reps: 5, weightKg: 80 };
    const first = await rest(ana, 'PUT', `${path}/sets/a`, set);
    expect(first).toMatchObject({
      status: 200,
      body: {
        version: 2,
        volumeKg: 400,
        entries: [{ exerciseId: BENCH, sets: [{ id: 'a', type: 'NORMAL' }] }],
      },
    });
    expect(Math.abs(Date.parse(first.body.entries[0].sets[0].completedAt) - Date.now())).toBeLessThan(60_000);
    const again = await rest(ana, 'PUT', `${path}/sets/a`, set);
    expect(again.body).toEqual(first.body);
    const corrected = await rest(ana, 'PUT', `${path}/sets/a`, { ...set, reps: 6 });
    expect(corrected.body).toMatchObject({ version: 3, volumeKg: 480 });
    expect(corrected.body.entries[0].sets).toHaveLength(1);
    const byGraph = await graph(
      ana,
      'mutation($input: LogTrainingSetInput!) { logTrainingSet(input: $input) { version entries { sets { id reps } } } }',
      { input: { trainingId: path.slice(11), setId: 'b', exerciseId: BENCH, reps: 4 } },
    );
    expect(byGraph.data.logTrainingSet).toEqual({
      version: 4,
      entries: [
        {
          sets: [
            { id: 'a', reps: 6 },
            { id: 'b', reps: 4 },
          ],
        },
      ],
    });
    const ended = await rest(ana, 'PUT', path, { endedAt: new Date().toISOString() });
    expect(ended.body).toMatchObject({ minutes: 30, restEndsAt: null });
  });

  it('keeps all sets of simultaneous requests, each once', async () => {
    const ana = await register();
    const path = await begun(ana);
    const ids = Array.from({ length: 8 }, () => randomUUID());
    const answers = await Promise.all(
      [...ids, ...ids].map((id) =>
        rest(ana, 'PUT', `${path}/sets/${id}`, { exerciseId: BENCH, reps: 5, weightKg: 10 }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await rest(ana, 'GET', path);
    expect(idsOf(body.entries)[0]?.toSorted()).toEqual(ids.toSorted());
    expect(body).toMatchObject({ volumeKg: 400, version: 9 });
  });

  it('puts sets that arrive late in the order in which they were completed', async () => {
    const ana = await register();
    const path = await begun(ana);
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    for (const [id, exerciseId, minutes] of [
      ['c', BENCH, 5],
      ['a', BENCH, 15],
      ['x', PULL_UP, 3],
      ['b', BENCH, 10],
    ] as const)
      await rest(ana, 'PUT', `${path}/sets/${id}`, { exerciseId, reps: 5, completedAt: at(minutes) });
    const { body } = await rest(ana, 'GET', path);
    expect(idsOf(body.entries)).toEqual([['a', 'b', 'c'], ['x']]);
    // A set that was logged for the wrong exercise moves to the right one.
    const moved = await rest(ana, 'PUT', `${path}/sets/x`, { exerciseId: BENCH, reps: 5 });
    expect(idsOf(moved.body.entries)).toEqual([['a', 'b', 'c', 'x']]);
  });

  it('counts the rest by the clock of the server, also for a device whose clock is ahead', async () => {
    const ana = await register();
    const path = await begun(ana);
    const set = { exerciseId: BENCH, reps: 5, restSeconds: 90, completedAt: hoursAgo(-3) };
    const before = Date.now();
    const { body } = await rest(ana, 'PUT', `${path}/sets/a`, set);
    const completedAt = Date.parse(body.entries[0].sets[0].completedAt);
    expect(completedAt).toBeGreaterThanOrEqual(before - 1_000);
    expect(completedAt).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(body.restEndsAt)).toBe(completedAt + 90_000);
    const again = await rest(ana, 'PUT', `${path}/sets/a`, set);
    expect(again.body).toEqual(body);
    // A set without a rest ends the timer.
    const next = await rest(ana, 'PUT', `${path}/sets/b`, { exerciseId: BENCH, reps: 5 });
    expect(next.body.restEndsAt).toBeNull();
  });

  it('has the rest after its last set also if the set was imported', async () => {
    const ana = await register();
    const path = await begun(ana);
    await rest(ana, 'PUT', `${path}/sets/a`, { exerciseId: BENCH, reps: 5, restSeconds: 90 });
    const { startedAt } = (await rest(ana, 'GET', path)).body;
    const imported = async (setId: string, restSeconds: number | string) => {
      const completedAt = new Date().toISOString();
      const csv = [
        'trainingId,startedAt,exerciseId,setId,reps,restSeconds,completedAt',
        [path.split('/')[2], startedAt, BENCH, setId, 5, restSeconds, completedAt].join(','),
      ].join('\n');
      const { body } = await rest(ana, 'POST', '/trainings/import', csv, { 'content-type': 'text/csv' });
      expect(body).toMatchObject({ imported: 1, trainings: 0, failed: 0 });
      return Date.parse(completedAt);
    };
    const completedAt = await imported('b', 40);
    const { body } = await rest(ana, 'GET', path);
    expect(Date.parse(body.restEndsAt)).toBe(completedAt + 40_000);
    await imported('c', '');
    expect((await rest(ana, 'GET', path)).body).toMatchObject({ endedAt: null, restEndsAt: null });
  });

  it('has no rest any more when a squad ends it', async () => {
    const ana = await register();
    const squad = { id: '', token: await platform().serviceToken('squad') };
    const write = (id: string) =>
      rest(squad, 'PUT', `/squads/${squadId}/trainings/${ana.id}`, {
        startedAt: hoursAgo(0.5),
        endedAt: hoursAgo(0),
        sets: [{ id, exerciseId: BENCH, reps: 5 }],
      });
    const squadId = randomUUID();
    const path = `/trainings/${(await write('a')).body.trainingId}`;
    await rest(ana, 'PUT', path, { endedAt: null });
    const running = await rest(ana, 'PUT', `${path}/sets/b`, { exerciseId: BENCH, reps: 5, restSeconds: 90 });
    expect(running.body).toMatchObject({ endedAt: null, restEndsAt: expect.any(String) });
    expect((await write('c')).status).toBe(200);
    expect((await rest(ana, 'GET', path)).body).toMatchObject({
      endedAt: expect.any(String),
      restEndsAt: null,
    });
  });

  it('that was forgotten is ended after a day: with its last set, or at its beginning if it has none', async () => {
    const ana = await register();
    const [forgotten, empty] = [await begun(ana), await begun(ana)];
    await rest(ana, 'PUT', `${forgotten}/sets/a`, {
      exerciseId: BENCH,
      reps: 5,
      completedAt: hoursAgo(0.25),
    });
    const ids = [forgotten, empty].map((path) => path.slice(11));
    const startedAt = hoursAgo(25);
    const completedAt = new Date(Date.parse(startedAt) + 30 * 60_000).toISOString();
    await platform().sql(
      'content',
      `update training set started_at = $2, entries = jsonb_set(entries, '{0,sets,0,completedAt}', to_jsonb($3::text)) where id = any($1::uuid[])`,
      [ids, startedAt, completedAt],
    );
    await runScheduled(platform(), 'content', 'end_forgotten_trainings');
    const ended = async (path: string) => {
      const { body } = await rest(ana, 'GET', path);
      return body.endedAt !== null && body;
    };
    expect(await eventually(() => ended(empty))).toMatchObject({ minutes: 0, restEndsAt: null });
    const body = await eventually(() => ended(forgotten));
    expect(body).toMatchObject({ endedAt: completedAt, minutes: 30, version: 3 });
    expect((await rest(ana, 'GET', `/exercises/${BENCH}/last`)).body.trainingId).toBe(body.id);
  });

  it('refuses a set without a usable exercise, and a set that does not go with it', async () => {
    const ana = await register();
    const path = await begun(ana);
    for (const [id, set, at] of [
      ['a', { reps: 5 }, 'exerciseId'],
      ['a', { exerciseId: randomUUID(), reps: 5 }, 'exerciseId'],
      ['a', { exerciseId: BENCH, durationSeconds: 5 }, ''],
      ['a', { exerciseId: BENCH, reps: 5, completedAt: '2020-01-01T00:00:00Z' }, 'completedAt'],
      [encodeURIComponent('a b'), { exerciseId: BENCH, reps: 5 }, 'setId'],
      ['a'.repeat(65), { exerciseId: BENCH, reps: 5 }, 'setId'],
    ] as const)
      expect(await rest(ana, 'PUT', `${path}/sets/${id}`, set)).toMatchObject({
        status: 400,
        body: { errors: expect.arrayContaining([expect.objectContaining({ path: at })]) },
      });
    const { errors } = await graph(
      ana,
      'mutation ($input: LogTrainingSetInput!) { logTrainingSet(input: $input) { id } }',
      { input: { trainingId: path.split('/')[2], setId: 'a b', exerciseId: BENCH, reps: 5 } },
    );
    expect(errors?.[0]?.extensions.errors).toEqual([expect.objectContaining({ path: 'setId' })]);
    expect((await rest(ana, 'GET', path)).body.version).toBe(1);
  });
});

describe('a set of a training that has ended, without a time of its own', () => {
  const SET = { id: 'a', reps: 5, weightKg: 60 };
  const logged = async (who: Person, began: number) => {
    const { body } = await rest(who, 'POST', '/trainings', hourOf(BENCH, [SET], began));
    expect(body.entries[0].sets).toMatchObject([{ id: 'a', completedAt: null }]);
    return `/trainings/${body.id}`;
  };

  it('keeps having none when it is corrected, however old the training is', async () => {
    const ana = await register();
    for (const began of [20, 72]) {
      const path = await logged(ana, began);
      const corrected = await rest(ana, 'PUT', `${path}/sets/a`, { reps: 6, weightKg: 60 });
      expect(corrected).toMatchObject({
        status: 200,
        body: { version: 2, entries: [{ sets: [{ id: 'a', reps: 6, completedAt: null }] }] },
      });
      const again = await rest(ana, 'PUT', `${path}/sets/a`, { reps: 6, weightKg: 60 });
      expect(again.body).toEqual(corrected.body);
    }
  });

  it('can be added to an old training', async () => {
    const ana = await register();
    const path = await logged(ana, 72);
    const { status, body } = await rest(ana, 'PUT', `${path}/sets/b`, {
      exerciseId: BENCH,
      reps: 4,
      weightKg: 60,
    });
    expect([status, body.entries?.[0].sets[1]]).toEqual([
      200,
      expect.objectContaining({ id: 'b', completedAt: null }),
    ]);
  });
});

it('the times of sets move with their training by whole days of its time zone', async () => {
  const ana = await register();
  const times = (start: string, end: string) => ({
    startedAt: start,
    endedAt: end,
    timezone: 'Europe/Berlin',
  });
  const { body } = await rest(ana, 'POST', '/trainings', {
    ...times('2026-03-10T07:00:00Z', '2026-03-10T08:00:00Z'),
    entries: [{ exerciseId: BENCH, sets: [{ reps: 5, weightKg: 60, completedAt: '2026-03-10T07:10:00Z' }] }],
  });
  const moved = async (start: string, end: string) =>
    (await rest(ana, 'PUT', `/trainings/${body.id}`, times(start, end))).body.entries[0].sets[0].completedAt;
  expect(await moved('2026-03-10T19:00:00Z', '2026-03-10T20:00:00Z')).toBe('2026-03-10T07:10:00.000Z');
  expect(await moved('2026-03-11T05:00:00Z', '2026-03-11T06:00:00Z')).toBe('2026-03-11T07:10:00.000Z');
  expect(await moved('2026-03-12T05:00:00Z', '2026-03-12T06:00:00Z')).toBe('2026-03-12T07:10:00.000Z');
});

it('whatever sets a training has gathered one by one, its entries can be written back as they are', async () => {
  const ana = await register();
  const sets = Array.from({ length: 102 }, () => ({ reps: 5, weightKg: 60 }));
  const { body } = await rest(ana, 'POST', '/trainings', hourOf(BENCH, sets));
  const { entries } = (await rest(ana, 'GET', `/trainings/${body.id}`)).body;
  expect(entries[0].sets).toHaveLength(102);
  expect((await rest(ana, 'PUT', `/trainings/${body.id}`, { entries })).status).toBe(200);
});
