import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const ROUTINE = { title: 'Shared', difficulty: 'Beginner', category: 'Strength', exercises: [] };
const favourite = (who: Person, method: 'PUT' | 'DELETE', id: string) =>
  rest(who, method, `/workouts/${id}/favourite`);
const stored = async (who: Person): Promise<number> =>
  (await platform().sql<unknown>('content', 'select 1 from workout_favourite where user_id = $1', [who.id]))
    .length;

/** A routine of the gym that is a favourite of a user, and that this user may then no longer see. */
async function lost(why: 'deleted' | 'hidden', who: Person): Promise<string> {
  const owner = await register();
  const { body } = await rest(owner, 'POST', '/workouts', { ...ROUTINE, visibility: 'GYM' });
  expect((await favourite(who, 'PUT', body.id)).status).toBe(200);
  const path = `/workouts/${body.id}`;
  if (why === 'deleted') await rest(owner, 'DELETE', path);
  else await rest(owner, 'PUT', path, { visibility: 'PRIVATE' });
  expect((await rest(who, 'GET', path)).status).toBe(404);
  return body.id;
}

describe.each(['deleted', 'hidden'] as const)('a favourite whose routine was %s', (why) => {
  it('can be removed by REST and by the graph, which do not return the routine', async () => {
    const ana = await register();
    const [first, second] = [await lost(why, ana), await lost(why, ana)];
    expect(await stored(ana)).toBe(2);
    expect(await favourite(ana, 'DELETE', first)).toMatchObject({ status: 200, body: null });
    const answer = await graph(
      ana,
      'mutation($id: ID!) { setWorkoutFavourite(input: { id: $id, favourite: false }) { title } }',
      { id: second },
    );
    expect(answer).toMatchObject({ data: { setWorkoutFavourite: null } });
    expect(answer.errors).toBeUndefined();
    expect(await stored(ana)).toBe(0);
    expect((await favourite(ana, 'DELETE', first)).status).toBe(404);
    expect((await favourite(ana, 'PUT', first)).status).toBe(404);
  });

  it('does not count towards the maximum of 1,000', async () => {
    const ana = await register();
    const id = await lost(why, ana);
    // The favourites that count: 999 routines for everybody.
    await platform().sql(
      'content',
      `with added as (
         insert into workout_routine (id, title, difficulty, category, target_muscles, equipment, exercises, duration_minutes, created_at, updated_at)
         select gen_random_uuid(), 'Routine ' || n, 'Beginner', 'Strength', '[]', '[]', '[]', 30, now(), now()
         from generate_series(1, 999) as n returning id
       ) insert into workout_favourite (user_id, routine_id, created_at) select $1, id, now() from added`,
      [ana.id],
    );
    const [one, another] = await Promise.all(
      [1, 2].map(async () => (await rest(ana, 'POST', '/workouts', ROUTINE)).body.id as string),
    );
    expect((await favourite(ana, 'PUT', one ?? '')).status).toBe(200);
    expect(await favourite(ana, 'PUT', another ?? '')).toMatchObject({ status: 409 });
    expect((await favourite(ana, 'PUT', one ?? '')).status).toBe(200); // it is one of the 1,000
    expect((await favourite(ana, 'DELETE', id)).status).toBe(200);
    expect(await favourite(ana, 'PUT', another ?? '')).toMatchObject({ status: 409 });
  });
});

it('the removal of what was never a favourite is refused only if the caller may not see the routine', async () => {
  const [ana, ben] = [await register(), await register()];
  const { body: own } = await rest(ana, 'POST', '/workouts', ROUTINE);
  expect(await favourite(ana, 'DELETE', own.id)).toMatchObject({ status: 200, body: { id: own.id } });
  for (const id of [own.id as string, randomUUID(), 'not-an-id'])
    expect([404, 400]).toContain((await favourite(ben, 'DELETE', id)).status);
});
