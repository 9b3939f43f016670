import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { BENCH, hourOf, trainingLog, type Person } from './training-support.ts';

const { rest, graph, register, platform } = trainingLog();

const ROUTINE = { title: 'Mine', difficulty: 'Beginner', category: 'Strength' };
const MOVE = { name: 'Log Toss', primaryMuscles: ['Glutes'], modality: 'WEIGHT_REPS' };
const using = (exerciseId: string) => [{ entries: [{ exerciseId, sets: [{ reps: 5 }] }] }];

const demo = async (email: Parameters<ReturnType<typeof platform>['demo']>[0]): Promise<Person> => ({
  id: '',
  token: await platform().demo(email),
});
const statuses = async (callers: (Person | undefined)[], path: string) =>
  Promise.all(callers.map(async (who) => (await rest(who, 'GET', path)).status));

describe("a member's routine", () => {
  it('is private by default: nobody else sees it, no staff either; its owner changes and deletes it', async () => {
    const [ana, ben] = [await register(), await register()];
    const { status, body } = await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(BENCH) });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { visibility: 'PRIVATE', ownerId: ana.id, gymId: null, targetMuscles: ['chest'] },
    });
    const path = `/workouts/${body.id}`;
    const others = [ben, await demo('admin@iron.test'), await demo('super@demo.test'), undefined];
    for (const at of [path, `${path}/versions`, `${path}/exercises`, `${path}?version=1`])
      expect(await statuses([ana, ...others], at)).toEqual([200, 404, 404, 404, 404]);
    for (const other of others.slice(0, 3)) {
      const list = await rest(other, 'GET', '/workouts?search=mine&limit=200');
      expect(list.body.map(({ id }: { id: string }) => id)).not.toContain(body.id);
      expect((await rest(other, 'PUT', path, { title: 'Theirs' })).status).toBe(404);
      expect((await rest(other, 'DELETE', path)).status).toBe(404);
      expect((await rest(other, 'POST', `${path}/copy`)).status).toBe(404);
    }
    const { data } = await graph(
      ana,
      '{ workouts(mine: true) { nodes { id visibility ownerId favourite } } }',
    );
    expect(data.workouts.nodes).toEqual([
      { id: body.id, visibility: 'PRIVATE', ownerId: ana.id, favourite: false },
    ]);
    expect(await rest(ana, 'PUT', path, { title: 'Still mine' })).toMatchObject({
      status: 200,
      body: { version: 2, visibility: 'PRIVATE' },
    });
    expect((await rest(ana, 'DELETE', path)).status).toBe(204);
    expect((await rest(undefined, 'GET', '/workouts?mine=true')).status).toBe(401);
  });

  it('is for their gym if its visibility is GYM, and can become private again', async () => {
    const [ana, ben] = [await register(), await register()];
    const zoe = await demo('zoe@aqua.test');
    const created = await rest(ana, 'POST', '/workouts', { ...ROUTINE, visibility: 'GYM' });
    expect(created.body).toMatchObject({ visibility: 'GYM', ownerId: ana.id, gymId: expect.any(String) });
    const path = `/workouts/${created.body.id}`;
    expect(await statuses([ana, ben, zoe, undefined], path)).toEqual([200, 200, 404, 404]);
    expect((await rest(ben, 'PUT', path, { title: 'Theirs' })).status).toBe(403);
    expect((await rest(ben, 'PUT', path, { visibility: 'PRIVATE' })).status).toBe(403);
    const hidden = await rest(ana, 'PUT', path, { visibility: 'PRIVATE' });
    expect(hidden.body).toMatchObject({ visibility: 'PRIVATE', gymId: null, version: 2 });
    // An earlier version was for the gym, but the routine no longer is.
    expect(await statuses([ana, ben], `${path}?version=1`)).toEqual([200, 404]);
  });

  it('is refused if it is for everybody, for another gym, or for a gym although the user has none', async () => {
    const ana = await register();
    const alone = (await platform().register(null)) as Person;
    for (const [who, body, status, code] of [
      [ana, { visibility: 'PUBLIC' }, 403, 'FORBIDDEN'],
      [ana, { gymId: randomUUID() }, 403, 'FORBIDDEN'],
      [alone, { visibility: 'GYM' }, 400, 'GYM_REQUIRED'],
    ] as const)
      expect(await rest(who, 'POST', '/workouts', { ...ROUTINE, ...body })).toMatchObject({
        status,
        body: { code },
      });
    const boss = await demo('super@demo.test');
    expect(await rest(boss, 'POST', '/workouts', { ...ROUTINE, visibility: 'GYM' })).toMatchObject({
      status: 400,
      body: { code: 'GYM_REQUIRED' },
    });
    expect((await rest(boss, 'POST', '/workouts', ROUTINE)).body).toMatchObject({
      visibility: 'PUBLIC',
      ownerId: null,
    });
  });

  it('may name their gym only with the visibility GYM', async () => {
    const ana = await register();
    const { gymId } = (await rest(ana, 'POST', '/workouts', { ...ROUTINE, visibility: 'GYM' })).body;
    expect(await rest(ana, 'POST', '/workouts', { ...ROUTINE, gymId })).toMatchObject({
      status: 400,
      body: {
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'gymId', message: expect.stringContaining('send the visibility GYM') }],
      },
    });
    expect(await rest(ana, 'POST', '/workouts', { ...ROUTINE, gymId, visibility: 'GYM' })).toMatchObject({
      status: 201,
      body: { gymId, ownerId: ana.id },
    });
  });

  it('cannot be made visible to a gym if its owner has no gym, for example a SUPER_ADMIN', async () => {
    const boss = await demo('super@demo.test');
    const own = await rest(boss, 'POST', '/workouts', { ...ROUTINE, visibility: 'PRIVATE' });
    const refused = await rest(boss, 'PUT', `/workouts/${own.body.id}`, { visibility: 'GYM' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'GYM_REQUIRED' } });
    // The body of a change cannot have a gymId, so the message must not ask for one.
    expect(refused.body.detail).not.toContain('gymId');
  });

  it('may be a copy, which later changes of the original do not change', async () => {
    const [ana, admin] = [await register(), await demo('admin@iron.test')];
    const original = await rest(admin, 'POST', '/workouts', { ...ROUTINE, exercises: using(BENCH) });
    expect(original.body).toMatchObject({ visibility: 'GYM', ownerId: null });
    const copy = await rest(ana, 'POST', `/workouts/${original.body.id}/copy`);
    expect(copy).toMatchObject({
      status: 201,
      body: {
        title: 'Mine',
        visibility: 'PRIVATE',
        ownerId: ana.id,
        exercises: original.body.exercises,
        version: 1,
      },
    });
    await rest(admin, 'PUT', `/workouts/${original.body.id}`, { exercises: [] });
    expect((await rest(ana, 'GET', `/workouts/${copy.body.id}`)).body.exercises).toHaveLength(1);
    const byGraph = await graph(
      ana,
      'mutation($id: ID!) { copyWorkout(input: { id: $id, title: "Other" }) { title visibility } }',
      { id: original.body.id },
    );
    expect(byGraph.data.copyWorkout).toEqual({ title: 'Other', visibility: 'PRIVATE' });
  });
});

describe('favourites', () => {
  it('are of one user, and a repeated request changes nothing', async () => {
    const [ana, ben] = [await register(), await register()];
    const [routine] = (await rest(ana, 'GET', '/workouts?limit=1')).body;
    const path = `/workouts/${routine.id}/favourite`;
    for (let time = 0; time < 2; time += 1)
      expect(await rest(ana, 'PUT', path)).toMatchObject({ status: 200, body: { id: routine.id } });
    const favourites = async (who: Person) =>
      (await rest(who, 'GET', '/workouts?favourite=true')).body.map(({ id }: { id: string }) => id);
    expect([await favourites(ana), await favourites(ben)]).toEqual([[routine.id], []]);
    const { data } = await graph(
      ben,
      'mutation($id: ID!) { setWorkoutFavourite(input: { id: $id, favourite: true }) { favourite } }',
      { id: routine.id },
    );
    expect(data.setWorkoutFavourite.favourite).toBe(true);
    for (let time = 0; time < 2; time += 1) expect((await rest(ana, 'DELETE', path)).status).toBe(200);
    expect([await favourites(ana), await favourites(ben)]).toEqual([[], [routine.id]]);
    expect((await rest(ana, 'PUT', `/workouts/${randomUUID()}/favourite`)).status).toBe(404);
  });
});

describe('a custom exercise', () => {
  it('is seen by its owner, and by those who may see a routine that uses it', async () => {
    const [ana, ben] = [await register(), await register()];
    const staff = [await demo('admin@iron.test'), await demo('super@demo.test')];
    const { status, body } = await rest(ana, 'POST', '/exercises', MOVE);
    expect({ status, body }).toMatchObject({ status: 201, body: { custom: true, gymId: null } });
    const path = `/exercises/${body.id}`;
    expect(await statuses([ana, ben, ...staff, undefined], path)).toEqual([200, 404, 404, 404, 404]);
    const found = async (who: Person) =>
      (await rest(who, 'GET', '/exercises?search=log%20toss&limit=200')).body.map(
        ({ id }: { id: string }) => id,
      );
    expect([(await found(ana)).includes(body.id), (await found(ben)).includes(body.id)]).toEqual([
      true,
      false,
    ]);
    expect((await rest(ana, 'GET', '/exercises?mine=true')).body).toMatchObject([{ id: body.id }]);
    expect((await rest(ben, 'POST', '/trainings', hourOf(body.id, [{ reps: 5 }]))).status).toBe(400);
    expect((await rest(ana, 'POST', '/trainings', hourOf(body.id, [{ reps: 5, weightKg: 20 }]))).status).toBe(
      201,
    );

    const routine = await rest(ana, 'POST', '/workouts', { ...ROUTINE, exercises: using(body.id) });
    expect(await statuses([ben], path)).toEqual([404]);
    await rest(ana, 'PUT', `/workouts/${routine.body.id}`, { visibility: 'GYM' });
    expect(await statuses([ana, ben, undefined], path)).toEqual([200, 200, 404]);
    expect((await rest(ben, 'GET', `/workouts/${routine.body.id}/exercises`)).body).toMatchObject([
      { id: body.id },
    ]);
    expect((await rest(ben, 'POST', '/trainings', hourOf(body.id, [{ reps: 5 }]))).status).toBe(201);
    expect((await rest(ben, 'PUT', path, { name: 'Theirs' })).status).toBe(404);

    expect((await rest(ana, 'PUT', path, { name: 'Log Throw' })).body).toMatchObject({
      version: 2,
      custom: true,
    });
    expect((await rest(ana, 'DELETE', path)).status).toBe(204);
  });

  it('is added by staff only on request, and never names a gym', async () => {
    const admin = await demo('admin@iron.test');
    expect((await rest(admin, 'POST', '/exercises', MOVE)).body.custom).toBe(false);
    expect((await rest(admin, 'POST', '/exercises', { ...MOVE, custom: true })).body).toMatchObject({
      custom: true,
      gymId: null,
    });
    const ana = await register();
    const gymId = (await rest(admin, 'POST', '/exercises', MOVE)).body.gymId as string;
    expect((await rest(ana, 'POST', '/exercises', { ...MOVE, gymId })).status).toBe(403);
    expect((await rest(ana, 'POST', '/exercises', { ...MOVE, custom: true, gymId })).status).toBe(400);
  });
});
