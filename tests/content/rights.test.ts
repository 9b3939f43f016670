import { describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { contentService, EXERCISE, PRODUCT, ROUTINE, unique } from './support.ts';

const { rest, graph } = contentService();

const UNKNOWN_GYM = '01900000-0000-7000-8000-00000000dead';

describe('rights', () => {
  const READERS = ['anyone', 'maya@iron.test', 'admin@iron.test', 'super@demo.test'] as const;
  const LISTS = [
    '/workouts',
    '/workouts/category/strength',
    '/products',
    '/products/featured',
    '/exercises',
    '/exercises/categories',
    '/muscles',
    '/equipment',
  ];
  test.each(READERS.flatMap((who) => LISTS.map((path) => [who, path] as const)))(
    '%s reads %s',
    async (who, path) => {
      const { status, body } = await rest(who, 'GET', path);
      expect(status).toBe(200);
      expect(body.length).toBeGreaterThan(0);
    },
  );

  const THINGS = [
    ['workouts', ROUTINE],
    ['products', PRODUCT],
    ['exercises', EXERCISE],
  ] as const;

  test.each(THINGS)(
    'the role and gym of a user decide who may add, change and delete %s; a body that names another gym is refused',
    async (kind, shape) => {
      const body = () => ({ ...shape, ...(kind === 'products' && { sku: unique() }) });
      expect(await rest('anyone', 'POST', `/${kind}`, body())).toMatchObject({ status: 401 });
      // A member adds routines and exercises for themselves, and may add no products.
      const byMember = {
        products: { status: 403, body: { code: 'FORBIDDEN' } },
        workouts: { status: 201, body: { visibility: 'PRIVATE', gymId: null } },
        exercises: { status: 201, body: { custom: true, gymId: null } },
      }[kind];
      expect(await rest('maya@iron.test', 'POST', `/${kind}`, body())).toMatchObject(byMember);
      for (const gymId of [DEMO_GYMS.aquaClub.id, UNKNOWN_GYM, null])
        expect(await rest('admin@iron.test', 'POST', `/${kind}`, { ...body(), gymId })).toMatchObject({
          status: 403,
          body: { code: 'FORBIDDEN' },
        });
      const own = await rest('admin@iron.test', 'POST', `/${kind}`, {
        ...body(),
        gymId: DEMO_GYMS.ironTemple.id,
      });
      expect(own).toMatchObject({ status: 201, body: { gymId: DEMO_GYMS.ironTemple.id, version: 1 } });
      const global = await rest('super@demo.test', 'POST', `/${kind}`, body());
      expect(global).toMatchObject({ status: 201, body: { gymId: null } });
      expect(
        await rest('super@demo.test', 'POST', `/${kind}`, { ...body(), gymId: DEMO_GYMS.aquaClub.id }),
      ).toMatchObject({ status: 201, body: { gymId: DEMO_GYMS.aquaClub.id } });

      const [ownPath, globalPath] = [`/${kind}/${own.body.id}`, `/${kind}/${global.body.id}`];
      const statuses = async (path: string, method = 'GET', change?: object) => {
        const answered: number[] = [];
        for (const who of [
          'anyone',
          'zoe@aqua.test',
          'admin@aqua.test',
          'maya@iron.test',
          'admin@iron.test',
          'super@demo.test',
        ])
          answered.push((await rest(who, method, path, change)).status);
        return answered;
      };
      expect(await statuses(ownPath)).toEqual([404, 404, 404, 200, 200, 200]);
      expect(await statuses(globalPath)).toEqual([200, 200, 200, 200, 200, 200]);
      // Members may change their own routines and exercises, so what another gym has added does not exist for them.
      const unseen = kind === 'products' ? 403 : 404;
      expect(await statuses(ownPath, 'PUT', { description: 'new' })).toEqual([
        401,
        unseen,
        404,
        403,
        200,
        200,
      ]);
      expect(await statuses(globalPath, 'PUT', { description: 'new' })).toEqual([
        401, 403, 403, 403, 403, 200,
      ]);
      expect(await statuses(globalPath, 'DELETE')).toEqual([401, 403, 403, 403, 403, 204]);
      expect(await statuses(globalPath)).toEqual([404, 404, 404, 404, 404, 404]);

      // The graph and `_entities` have the same rights.
      const type = { workouts: 'WorkoutRoutine', products: 'Product', exercises: 'Exercise' }[kind];
      const entity = async (who: string) =>
        (
          await graph(
            who,
            `query($id: ID!) { _entities(representations: [{ __typename: "${type}", id: $id }]) { ... on ${type} { id } } }`,
            { id: own.body.id },
          )
        ).data._entities[0];
      expect(await Promise.all(['anyone', 'zoe@aqua.test', 'admin@aqua.test'].map(entity))).toEqual([
        null,
        null,
        null,
      ]);
      expect(await Promise.all(['maya@iron.test', 'admin@iron.test', 'super@demo.test'].map(entity))).toEqual(
        [{ id: own.body.id }, { id: own.body.id }, { id: own.body.id }],
      );
      const field = { workouts: 'workout', products: 'product', exercises: 'exercise' }[kind];
      expect(
        (await graph('zoe@aqua.test', `query($id: ID!) { ${field}(id: $id) { id } }`, { id: own.body.id }))
          .data[field],
      ).toBeNull();
      const list = await rest('zoe@aqua.test', 'GET', `/${kind}?limit=200`);
      expect(list.body.map((thing: { id: string }) => thing.id)).not.toContain(own.body.id);
      const remove = { workouts: 'deleteWorkout', products: 'deleteProduct', exercises: 'deleteExercise' }[
        kind
      ];
      const deleteByGraph = (who: string) =>
        graph(who, `mutation($id: ID!) { ${remove}(input: { id: $id }) }`, { id: own.body.id });
      expect((await deleteByGraph('maya@iron.test')).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
      expect((await deleteByGraph('admin@iron.test')).data[remove]).toBe(true);
      expect((await rest('admin@iron.test', 'GET', ownPath)).status).toBe(404);
    },
  );
});
