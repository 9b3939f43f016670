import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
const tokens: Record<string, string | undefined> = {};
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'content'] });
  for (const email of [
    'super@demo.test',
    'admin@iron.test',
    'maya@iron.test',
    'admin@aqua.test',
    'zoe@aqua.test',
  ] as const)
    tokens[email] = await platform.demo(email);
});
afterAll(() => platform.stop());

const as = (who: string) => (tokens[who] ? { token: tokens[who] } : {});
const rest = (
  who: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => platform.rest('content', method, path, { ...as(who), ...(body !== undefined && { body }), headers });
const graph = (who: string, query: string, variables: object = {}) =>
  platform.graph('content', query, variables, as(who));
const unique = () => randomUUID().slice(0, 8);

/** One exercise of the library by its name. */
async function exercise(name: string): Promise<{ id: string; modality: string }> {
  const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(name)}`);
  return body.find((found: { name: string }) => found.name === name);
}
const PRODUCT = { name: 'Bands', kind: 'MERCHANDISE', price: 1_290, currency: 'eur' };
const ROUTINE = { title: 'Routine', difficulty: 'Beginner', category: 'Strength', exercises: [] };
const EXERCISE = { name: 'Sled Dance', primaryMuscles: ['Quadriceps'], modality: 'WEIGHT_DISTANCE' };

describe('who may do what', () => {
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
    '%s: everybody writes as far as the roles go, whatever the body says',
    async (kind, shape) => {
      const body = () => ({ ...shape, ...(kind === 'products' && { sku: unique() }) });
      expect(await rest('anyone', 'POST', `/${kind}`, body())).toMatchObject({ status: 401 });
      expect(await rest('maya@iron.test', 'POST', `/${kind}`, body())).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
      // a GYM_ADMIN's belongs to her gym
      const own = await rest('admin@iron.test', 'POST', `/${kind}`, {
        ...body(),
        gymId: DEMO_GYMS.aquaClub.id,
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
      expect(await statuses(ownPath, 'PUT', { description: 'new' })).toEqual([401, 403, 404, 403, 200, 200]);
      expect(await statuses(globalPath, 'PUT', { description: 'new' })).toEqual([
        401, 403, 403, 403, 403, 200,
      ]);
      expect(await statuses(globalPath, 'DELETE')).toEqual([401, 403, 403, 403, 403, 204]);
      expect(await statuses(globalPath)).toEqual([404, 404, 404, 404, 404, 404]);

      // the graph and `_entities` decide the same
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

describe('routines', () => {
  const sets = async (name: string, set: object) => [
    { entries: [{ exerciseId: (await exercise(name)).id, sets: [set] }] },
  ];

  test.each<[string, object, string | undefined]>([
    ['Barbell Back Squat', { reps: 5, weightKg: 100, rpe: 8, tempo: '3-1-1-0', restSeconds: 120 }, undefined],
    ['Barbell Back Squat', { type: 'DROP', repRange: { min: 8, max: 12 } }, undefined],
    ['Barbell Back Squat', { durationSeconds: 30 }, 'exercises.0.entries.0.sets.0'],
    ['Barbell Back Squat', { reps: 5, repRange: { min: 5, max: 6 } }, 'exercises.0.entries.0.sets.0'],
    ['Barbell Back Squat', { reps: 5, distanceMeters: 10 }, 'exercises.0.entries.0.sets.0.distanceMeters'],
    ['Push-Up', { reps: 10 }, undefined],
    ['Push-Up', { reps: 10, weightKg: 10 }, 'exercises.0.entries.0.sets.0.weightKg'],
    ['Pull-Up', { reps: 5, weightKg: 10 }, undefined],
    ['Plank', { durationSeconds: 60 }, undefined],
    ['Plank', { reps: 10 }, 'exercises.0.entries.0.sets.0'],
    ['Plank', { durationSeconds: 60, tempo: '3-1-1-0' }, 'exercises.0.entries.0.sets.0.tempo'],
    ['Rowing Machine', { distanceMeters: 500, durationSeconds: 120 }, undefined],
    ['Rowing Machine', { durationSeconds: 120, weightKg: 1 }, 'exercises.0.entries.0.sets.0.weightKg'],
    ["Farmer's Walk", { distanceMeters: 40, weightKg: 32 }, undefined],
    ['Push-Up', { reps: 0 }, 'exercises.0.entries.0.sets.0.reps'],
    ['Push-Up', { reps: 5, type: 'SUPER' }, 'exercises.0.entries.0.sets.0.type'],
    ['Push-Up', { reps: 5, colour: 'red' }, 'exercises.0.entries.0.sets.0'],
  ])('%s with the set %j', async (name, set, wrongPath) => {
    const body = { ...ROUTINE, exercises: await sets(name, set) };
    const byRest = await rest('admin@iron.test', 'POST', '/workouts', body);
    const byGraph = await graph(
      'admin@iron.test',
      'mutation($input: CreateWorkoutInput!) { createWorkout(input: $input) { title exercises } }',
      { input: body },
    );
    const wrong: string[] = byRest.body.errors?.map((error: { path: string }) => error.path) ?? [];
    const refused = wrongPath !== undefined;
    expect({ status: byRest.status, named: wrong.includes(wrongPath ?? '') }).toEqual({
      status: refused ? 400 : 201,
      named: refused,
    });
    expect(byGraph.errors?.[0]?.extensions.code ?? byGraph.data.createWorkout.exercises).toEqual(
      refused ? 'VALIDATION_FAILED' : byRest.body.exercises,
    );
  });

  test('muscles, equipment and duration follow from the exercises where nobody says', async () => {
    const { body } = await rest('admin@iron.test', 'POST', '/workouts', {
      ...ROUTINE,
      exercises: await sets('Barbell Back Squat', { reps: 5, restSeconds: 100 }),
    });
    expect(body).toMatchObject({ targetMuscles: ['quadriceps'], equipment: ['barbell'], durationMinutes: 2 });
  });

  test('an exercise that another gym made cannot be used', async () => {
    const { body: foreign } = await rest('admin@aqua.test', 'POST', '/exercises', EXERCISE);
    const body = {
      ...ROUTINE,
      exercises: [{ entries: [{ exerciseId: foreign.id, sets: [{ distanceMeters: 10 }] }] }],
    };
    expect(await rest('admin@iron.test', 'POST', '/workouts', body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'exercises.0.entries.0.exerciseId' }] },
    });
    expect(await rest('super@demo.test', 'POST', '/workouts', body)).toMatchObject({ status: 400 }); // a global routine
    expect(
      await rest('super@demo.test', 'POST', '/workouts', { ...body, gymId: DEMO_GYMS.aquaClub.id }),
    ).toMatchObject({ status: 201 });
  });

  test('every change makes a version; a past session keeps the one that it used, also when the routine is gone', async () => {
    const { body: first } = await rest('admin@iron.test', 'POST', '/workouts', {
      ...ROUTINE,
      title: 'First',
    });
    const path = `/workouts/${first.id}`;
    const second = await rest('admin@iron.test', 'PUT', path, { title: 'Second' }, { 'If-Match': '"1"' });
    expect(second).toMatchObject({ status: 200, body: { title: 'Second', version: 2 } });
    expect(second.headers.get('etag')).toBe('"2"');
    expect(
      await rest('admin@iron.test', 'PUT', path, { title: 'Lost' }, { 'If-Match': '"1"' }),
    ).toMatchObject({ status: 412, body: { code: 'VERSION_CONFLICT' } });
    expect(
      (
        await graph(
          'admin@iron.test',
          'mutation($id: ID!) { updateWorkout(input: { id: $id, title: "Lost", version: 1 }) { id } }',
          { id: first.id },
        )
      ).errors?.[0]?.extensions.code,
    ).toBe('VERSION_CONFLICT');
    expect((await rest('maya@iron.test', 'GET', `${path}?version=1`)).body.title).toBe('First');
    expect(
      (await rest('maya@iron.test', 'GET', `${path}/versions`)).body.map(
        ({ version }: { version: number }) => version,
      ),
    ).toEqual([2, 1]);
    expect((await rest('maya@iron.test', 'GET', `${path}?version=3`)).status).toBe(404);
    expect((await rest('zoe@aqua.test', 'GET', `${path}?version=1`)).status).toBe(404);
    expect((await rest('admin@iron.test', 'DELETE', path)).status).toBe(204);
    expect((await rest('maya@iron.test', 'GET', path)).status).toBe(404);
    const { data } = await graph(
      'maya@iron.test',
      'query($id: ID!) { workout(id: $id, version: 1) { title version } _entities(representations: [{ __typename: "WorkoutRoutine", id: $id, version: 2 }]) { ... on WorkoutRoutine { title } } }',
      { id: first.id },
    );
    expect(data).toEqual({ workout: { title: 'First', version: 1 }, _entities: [{ title: 'Second' }] });
  });

  test('of changes at the same time with the same version, one wins', async () => {
    const { body } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_unused, index) =>
        rest('admin@iron.test', 'PUT', `/workouts/${body.id}`, { title: `Mine ${index}`, version: 1 }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 412),
    ]);
  });

  test.each([
    '/workouts?category=nonsense',
    '/workouts/category/nonsense',
    '/workouts?search=zzzzqqq',
    '/workouts?muscle=nose',
    '/exercises?equipment=spoon',
    '/products?kind=CAR',
    '/exercises?search=%20%20&category=none',
  ])('%s is an empty list', async (path) => {
    expect(await rest('anyone', 'GET', path)).toMatchObject({ status: 200, body: [] });
  });

  test.each([
    '/workouts?limit=0',
    '/workouts?limit=-1',
    '/workouts?limit=many',
    '/workouts?cursor=made-up',
    '/workouts?sort=colour',
    '/products?minPrice=cheap',
  ])('%s is refused', async (path) => {
    expect(await rest('anyone', 'GET', path)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  });

  test.each([
    ['/workouts', 'sort=title'],
    ['/workouts', 'sort=newest'],
    ['/workouts', 'sort=duration'],
    ['/workouts', 'search=strength'],
    ['/exercises', 'search=press'],
    ['/products', 'sort=-price'],
  ])('%s?%s is paged without gaps or repeats', async (path, query) => {
    const whole = (await rest('super@demo.test', 'GET', `${path}?${query}&limit=200`)).body.map(
      ({ id }: { id: string }) => id,
    );
    const ids: string[] = [];
    for (let next: string | undefined = `${path}?${query}&limit=3`; next;) {
      const page = await rest('super@demo.test', 'GET', next);
      ids.push(...page.body.map(({ id }: { id: string }) => id));
      next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual(whole);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the exercise library', () => {
  test('has at least 150 exercises, each complete', async () => {
    const { data } = await graph(
      'anyone',
      '{ exercises(first: 200) { nodes { name primaryMuscles equipment level category modality gymId } } }',
    );
    const library = data.exercises.nodes.filter(({ gymId }: { gymId: string | null }) => gymId === null);
    expect(library.length).toBeGreaterThanOrEqual(150);
    for (const found of library) expect(found.primaryMuscles.length).toBeGreaterThan(0);
  });

  test.each([
    ['bench press', 'Barbell Bench Press'],
    ['benhc pres', 'Barbell Bench Press'],
    ['RDL', 'Romanian Deadlift'],
    ['squats', 'Barbell Back Squat'],
    ['dead', 'Barbell Deadlift'],
    ['pullups', 'Pull-Up'],
    ['press-ups', 'Push-Up'],
    ['skiping', 'Jump Rope'],
    ['deadlfit', 'Barbell Deadlift'],
  ])('a search for "%s" finds %s', async (search, name) => {
    const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}&limit=200`);
    expect(body.map((found: { name: string }) => found.name)).toContain(name);
  });

  test.each([`'; drop table exercise; --`, '(((', ':*', '&|!', 'a'.repeat(200), '%00x', '🏋️'])(
    'a search for %s is harmless',
    async (search) => {
      expect((await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}`)).status).toBe(
        200,
      );
    },
  );

  test.each([
    ['bench press', 'Barbell Bench Press'],
    ['pull up', 'Pull-Up'],
    ['rdl', 'Romanian Deadlift'],
    ['Push-Up', 'Push-Up'],
  ])('whose very name or alias is "%s" comes first', async (search, name) => {
    const { body } = await rest('anyone', 'GET', `/exercises?search=${encodeURIComponent(search)}&limit=1`);
    expect(body[0].name).toBe(name);
  });

  test('filters narrow each other', async () => {
    const { body } = await rest(
      'anyone',
      'GET',
      '/exercises?muscle=Chest&equipment=BARBELL&difficulty=beginner&limit=200',
    );
    expect(body.length).toBeGreaterThan(0);
    for (const found of body) expect(found).toMatchObject({ equipment: 'barbell', level: 'Beginner' });
  });
});

describe.each(['/workouts?maxMinutes=', '/products?maxPrice='])('a list below a number: %s', (path) => {
  test('is the whole one below the largest', async () => {
    const [list = ''] = path.split('?');
    const all = (await rest('anyone', 'GET', list)).body;
    const { status, body } = await rest('anyone', 'GET', path + Number.MAX_SAFE_INTEGER);
    expect({ status, body }).toEqual({ status: 200, body: all });
    expect((await rest('anyone', 'GET', `${path}1`)).body.length).toBeLessThan(all.length);
  });
});

describe('products', () => {
  test('are featured within their window, the highest priority first', async () => {
    const [past, future] = ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00+01:00'];
    const make = async (name: string, more: object) =>
      (
        await rest('super@demo.test', 'POST', '/products', {
          ...PRODUCT,
          sku: unique(),
          name,
          gymId: DEMO_GYMS.aquaClub.id,
          ...more,
        })
      ).body;
    await make('Now', { featuredPriority: 900, featuredFrom: past, featuredUntil: future });
    await make('First', { featuredPriority: 1_000 });
    await make('Over', { featuredPriority: 950, featuredUntil: past });
    await make('Not yet', { featuredPriority: 950, featuredFrom: future });
    await make('Never', {});
    const names = async (who: string) =>
      (await graph(who, '{ featuredProducts { name } }')).data.featuredProducts.map(
        ({ name }: { name: string }) => name,
      );
    expect((await names('zoe@aqua.test')).slice(0, 2)).toEqual(['First', 'Now']);
    for (const name of ['Over', 'Not yet', 'Never']) expect(await names('zoe@aqua.test')).not.toContain(name);
    expect(await names('maya@iron.test')).not.toContain('First');
    expect(
      await rest('super@demo.test', 'POST', '/products', {
        ...PRODUCT,
        sku: unique(),
        featuredFrom: future,
        featuredUntil: past,
      }),
    ).toMatchObject({ status: 400 });
  });

  test('a SKU is unique in its shop, and free again after its product', async () => {
    const sku = unique();
    const first = await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku });
    expect(first).toMatchObject({ status: 201, body: { currency: 'EUR', available: true } });
    expect(
      await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku: sku.toUpperCase() }),
    ).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await rest('admin@aqua.test', 'POST', '/products', { ...PRODUCT, sku })).toMatchObject({
      status: 201,
    });
    await rest('admin@iron.test', 'DELETE', `/products/${first.body.id}`);
    expect(await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku })).toMatchObject({
      status: 201,
    });
  });

  test('are available by the stock of their variants', async () => {
    const variants = [
      { sku: 'S', name: 'S', stock: 0 },
      { sku: 'M', name: 'M', stock: 0 },
    ];
    const { body } = await rest('admin@iron.test', 'POST', '/products', {
      ...PRODUCT,
      sku: unique(),
      stock: 5,
      variants,
    });
    expect(body).toMatchObject({ available: false, variants: [{ price: null }, {}] });
    const listed = async () =>
      (await rest('admin@iron.test', 'GET', '/products?inStock=true&limit=200')).body.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed()).not.toContain(body.id);
    expect(
      await rest('admin@iron.test', 'PUT', `/products/${body.id}`, {
        variants: [{ sku: 'S', name: 'S', stock: 1 }],
      }),
    ).toMatchObject({ body: { available: true } });
    expect(await listed()).toContain(body.id);
  });

  test.each([
    { price: 12.5 },
    { price: -1 },
    { currency: 'euro' },
    { kind: 'CAR' },
    { images: ['javascript:alert(1)'] },
    { stock: -1 },
  ])('%j is refused', async (wrong) => {
    expect(
      await rest('admin@iron.test', 'POST', '/products', { ...PRODUCT, sku: unique(), ...wrong }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ path: expect.stringContaining(Object.keys(wrong)[0] ?? '') }] },
    });
  });
});

describe('pictures', () => {
  const form = (bytes: Buffer) => {
    const data = new FormData();
    data.append('image', new Blob([new Uint8Array(bytes)]), 'photo.jpg');
    return data;
  };
  const photo = () =>
    sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: '#357' } })
      .withExif({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer();

  test('are served in sizes, without metadata, to be kept for ever', async () => {
    const { body: routine } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const uploaded = await rest(
      'admin@iron.test',
      'POST',
      `/workouts/${routine.id}/image`,
      form(await photo()),
    );
    expect(uploaded).toMatchObject({ status: 201, body: { version: 2 } });
    for (const [size, width] of [
      ['', 1_600],
      ['?size=medium', 800],
      ['?size=small', 320],
    ] as const) {
      const { status, headers, body } = await rest('anyone', 'GET', `${uploaded.body.image}${size}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(headers.get('cache-control')).toContain('immutable');
      const metadata = await sharp(body).metadata();
      expect([metadata.width, metadata.height, metadata.exif]).toEqual([width, width / 2, undefined]);
    }
  });

  test('products have several, exercises one, the graph takes them too', async () => {
    const { body: product } = await rest('admin@iron.test', 'POST', '/products', {
      ...PRODUCT,
      sku: unique(),
    });
    await rest('admin@iron.test', 'POST', `/products/${product.id}/images`, form(await photo()));
    const operations = new FormData();
    operations.append(
      'operations',
      JSON.stringify({
        query:
          'mutation($id: ID!, $image: Upload!) { uploadProductImage(input: { id: $id, image: $image }) { images } }',
        variables: { id: product.id, image: null },
      }),
    );
    operations.append('map', JSON.stringify({ 0: ['variables.image'] }));
    operations.append('0', new Blob([new Uint8Array(await photo())]), 'photo.jpg');
    const { body } = await rest('admin@iron.test', 'POST', '/graphql', operations, {
      'Apollo-Require-Preflight': 'true',
    });
    expect(body.data.uploadProductImage.images).toHaveLength(2);
  });

  test('are refused from who may not write, and where they are none', async () => {
    const { body: routine } = await rest('admin@iron.test', 'POST', '/workouts', ROUTINE);
    const path = `/workouts/${routine.id}/image`;
    expect((await rest('anyone', 'POST', path, form(await photo()))).status).toBe(401);
    expect((await rest('maya@iron.test', 'POST', path, form(await photo()))).status).toBe(403);
    expect((await rest('admin@aqua.test', 'POST', path, form(await photo()))).status).toBe(404);
    expect(
      (await rest('admin@iron.test', 'POST', path, form(Buffer.from('<svg onload="alert(1)"/>')))).status,
    ).toBe(415);
    for (const file of ['../../etc/passwd', 'x.webp', `${randomUUID()}.webp`])
      expect((await rest('anyone', 'GET', `/media/${encodeURIComponent(file)}`)).status).toBe(404);
  });
});
