import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { BENCH, hourOf, type Person } from './training-support.ts';

/** The open transactions of content that have read exercises, at each request that content has sent to squad. */
const transactions: number[] = [];
const OPEN_TRANSACTIONS = `
  select count(distinct pid)::int as count from pg_locks join pg_class on pg_class.oid = pg_locks.relation
  where pg_locks.database = (select oid from pg_database where datname = current_database())
    and relname = 'exercise' and pid <> pg_backend_pid()`;

let platform: TestPlatform;
/** Stands at the address of squad. No user takes part in a squad, so it answers with an empty list. */
const squad = http.createServer(async (_req, res) => {
  const [row] = await platform.sql<{ count: number }>('content', OPEN_TRANSACTIONS);
  transactions.push(row?.count ?? -1);
  res.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
});
let [ana, ben]: Person[] = [];
let foreign: string;
let own: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => squad.listen(0, '127.0.0.1', resolve));
  const SQUAD_URL = `http://127.0.0.1:${(squad.address() as AddressInfo).port}`;
  platform = await startPlatform({ services: ['identity', 'content'], env: { SQUAD_URL } });
  [ana, ben] = [await platform.register(), await platform.register()];
  const move = { name: 'Sled Dance', primaryMuscles: ['Glutes'], modality: 'WEIGHT_REPS' };
  foreign = (await rest(ben, 'POST', '/exercises', move)).body.id;
  own = (await rest(ana, 'POST', '/exercises', move)).body.id;
});
afterAll(async () => {
  await platform.stop();
  squad.closeAllConnections();
  squad.close();
});
beforeEach(() => {
  transactions.length = 0;
});

const rest = (
  who: Person | undefined,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) => platform.rest('content', method, path, { token: who?.token ?? '', body, headers });
const ROUTINE = { title: 'Plan', difficulty: 'Beginner', category: 'Strength' };
const using = (...ids: string[]) => [
  { entries: ids.map((exerciseId) => ({ exerciseId, sets: [{ type: 'NORMAL', reps: 5 }] })) },
];
const SET = { reps: 5, weightKg: 60 };

describe('if squad decides whether a caller may use the custom exercise of another user', () => {
  const writes = {
    'a new routine': () => rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(foreign) }),
    'a change of a routine': async () => {
      const { body } = await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(BENCH) });
      return rest(ana, 'PUT', `/workouts/${body.id}`, { exercises: using(BENCH, foreign) });
    },
    'a new training': () => rest(ana, 'POST', '/trainings', hourOf(foreign, [SET])),
    'a change of a training': async () => {
      const { body } = await rest(ana, 'POST', '/trainings', hourOf(BENCH, [SET]));
      return rest(ana, 'PUT', `/trainings/${body.id}`, { entries: hourOf(foreign, [SET]).entries });
    },
    'a new set': async () => {
      const { body } = await rest(ana, 'POST', '/trainings', hourOf(BENCH, [SET]));
      return rest(ana, 'PUT', `/trainings/${body.id}/sets/new`, { ...SET, exerciseId: foreign });
    },
  };
  it.each(Object.entries(writes))('%s asks it once, before its transaction', async (_what, write) => {
    expect((await write()).status).toBe(400);
    expect(transactions).toEqual([0]);
  });

  it('an import asks it once, before its transaction', async () => {
    const csv = `startedAt,title,exerciseId,reps\n2026-03-01T10:00:00Z,Push,${foreign},5`;
    const { body } = await rest(ana, 'POST', '/trainings/import', csv, { 'content-type': 'text/csv' });
    expect(body).toMatchObject({ imported: 0, failed: 1, errors: [{ column: 'exerciseId' }] });
    expect(transactions).toEqual([0]);
  });
});

it('squad is not asked about exercises that a caller owns, or that a routine or training has already', async () => {
  const routine = await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(own, BENCH) });
  const training = await rest(ana, 'POST', '/trainings', hourOf(own, [SET]));
  expect([routine.status, training.status]).toEqual([201, 201]);
  // The exercise now belongs to Ben, so that Ana's routine and training have a foreign exercise.
  await platform.sql('content', 'update exercise set owner_id = $1 where id = $2', [ben?.id, own]);
  for (const [path, body] of [
    [`/workouts/${routine.body.id}`, { exercises: using(BENCH, own) }],
    [`/trainings/${training.body.id}`, { entries: hourOf(own, [SET, SET]).entries }],
    [`/trainings/${training.body.id}/sets/new`, { ...SET, exerciseId: own }],
  ] as const)
    expect(await rest(ana, 'PUT', path, body)).toMatchObject({ status: 200 });
  expect(transactions).toEqual([]);
});
