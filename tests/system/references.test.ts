import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { ExerciseShape } from '../../subgraphs/content/exercises/exercises.shapes.ts';
import type { ProductShape } from '../../subgraphs/content/products/products.shapes.ts';
import type { WorkoutRoutineShape } from '../../subgraphs/content/workouts/workouts.shapes.ts';
import type { GymProductShape, GymProgramShape } from '../../subgraphs/gym/shop/shop.shapes.ts';
import { eventually } from '../support/eventually.ts';
import { isVerification, mailsTo } from '../identity/support.ts';
import { startPlatform, type RestAnswer, type TestPlatform } from '../support/platform.ts';
import { MEMBER_OF } from '../support/platform/test-accounts.ts';

/** How often products are deleted while gyms list them. */
const ROUNDS = Number(process.env.STORM_ROUNDS ?? 3);

const { ironTemple, aquaClub } = DEMO_GYMS;

let platform: TestPlatform;
let superAdmin: string;
let staff: string;
let otherStaff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], gateway: true });
  superAdmin = await platform.demo('super@demo.test');
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterAll(() => platform.stop());

const bar = () => ({
  sku: `BAR-${randomUUID().slice(0, 8)}`,
  name: 'Oat bar',
  kind: 'SUPPLEMENT',
  price: 250,
  currency: 'EUR',
});

async function newProduct(token = superAdmin, fields: object = {}): Promise<string> {
  const { status, body } = await platform.rest<ProductShape>('content', 'POST', '/products', {
    token,
    body: { ...bar(), ...fields },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

async function newRoutine(token = superAdmin, change: object = {}): Promise<string> {
  const { body: exercises } = await platform.rest<ExerciseShape[]>(
    'content',
    'GET',
    '/exercises?search=push+up&limit=1',
    { token },
  );
  const { status, body } = await platform.rest<WorkoutRoutineShape>('content', 'POST', '/workouts', {
    token,
    body: {
      title: `Legs ${randomUUID().slice(0, 8)}`,
      difficulty: 'Beginner',
      category: 'strength',
      ...change,
      exercises: [{ entries: [{ exerciseId: exercises[0]?.id, sets: [{ reps: 10 }] }] }],
    },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

const listProducts = (ids: readonly string[], token = staff, gym: string = ironTemple.slug) =>
  platform.rest('gym', 'PUT', `/gym/${gym}/products`, {
    token,
    body: { products: ids.map((productId) => ({ productId })) },
  });
const listed = async (gym: string = ironTemple.slug): Promise<string[]> => {
  const { body } = await platform.rest<GymProductShape[]>('gym', 'GET', `/gym/${gym}/products`);
  return body.map(({ productId }) => productId);
};
const deleteProduct = (id: string, token = superAdmin) =>
  platform.rest('content', 'DELETE', `/products/${id}`, { token });

describe('the list of a gym', () => {
  it('is refused if products do not exist or belong to another gym; each is named, and nothing changes', async () => {
    const [ofAll, own, foreign] = [await newProduct(), await newProduct(staff), await newProduct(otherStaff)];
    expect((await listProducts([ofAll, own])).status).toBe(200);
    for (const token of [staff, superAdmin]) {
      const { status, body } = await listProducts([own, randomUUID(), ofAll, foreign], token);
      expect({
        status,
        code: body.code,
        paths: body.errors.map(({ path }: { path: string }) => path),
      }).toEqual({
        status: 400,
        code: 'VALIDATION_FAILED',
        paths: ['products.1.productId', 'products.3.productId'],
      });
    }
    expect(await listed()).toEqual([ofAll, own]);
    expect((await listProducts([foreign], superAdmin, aquaClub.slug)).status).toBe(200);
  });

  it('is refused if a routine does not exist or is private; the routine is named', async () => {
    const routineId = await newRoutine();
    const put = (programs: object[]) =>
      platform.rest('gym', 'PUT', `/gym/${ironTemple.slug}/programs`, { token: staff, body: { programs } });
    const refused = await put([{ routineId }, { routineId: randomUUID() }]);
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'programs.1.routineId']);
    const ownId = await newRoutine(staff, { visibility: 'PRIVATE' }); // staff see it, but no member would
    expect((await put([{ routineId: ownId }])).body.errors[0].path).toBe('programs.0.routineId');
    expect((await put([{ routineId }])).status).toBe(200);
    expect(
      (await platform.rest('content', 'DELETE', `/workouts/${routineId}`, { token: superAdmin })).status,
    ).toBe(204);
    const programs = async () =>
      (await platform.rest<GymProgramShape[]>('gym', 'GET', `/gym/${ironTemple.slug}/programs`)).body;
    expect(await eventually(async () => (await programs()).length === 0)).toBe(true);
  });

  it('is refused with a currency that does not exist', async () => {
    const productId = await newProduct();
    for (const [currency, status] of [
      ['ZZZ', 400],
      ['chf', 200],
    ] as const) {
      const products = [{ productId, price: 100, currency }];
      const { status: answered } = await platform.rest('gym', 'PUT', `/gym/${ironTemple.slug}/products`, {
        token: staff,
        body: { products },
      });
      expect(answered).toBe(status);
    }
    expect(
      (
        await platform.rest('content', 'POST', '/products', {
          token: staff,
          body: { ...bar(), currency: 'ZZZ' },
        })
      ).status,
    ).toBe(400);
  });

  it('loses a deleted product, in REST and in the graph, and keeps the others', async () => {
    const ids = [await newProduct(), await newProduct(), await newProduct()];
    expect((await listProducts(ids)).status).toBe(200);
    expect((await deleteProduct(ids[1] ?? '')).status).toBe(204);
    // Also before the gym service has received the removal, the list is readable, with or without the deleted product.
    const { data, errors } = await platform.graph<{
      gym: { products: { product: { id: string } | null }[] };
    }>('gateway', '{ gym(slug: "iron-temple") { products { product { id name } } } }');
    expect(errors).toBeUndefined();
    const found = data.gym.products.flatMap(({ product }) => product?.id ?? []);
    expect(found).toEqual([ids[0], ids[2]]);
    const kept = await eventually(async () => {
      const now = await listed();
      return now.length === 2 && now;
    });
    expect(kept).toEqual([ids[0], ids[2]]);
  });

  it('loses a product that was deleted while the gym service was down, as soon as it is back', async () => {
    const id = await newProduct();
    expect((await listProducts([id])).status).toBe(200);
    await platform.running('gym').stop();
    expect((await deleteProduct(id)).status).toBe(204);
    await platform.restart('gym');
    expect(await eventually(async () => (await listed()).length === 0)).toBe(true);
  });

  it('contains no deleted product, even if products are deleted while gyms list them', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all(Array.from({ length: 6 }, () => newProduct()));
      const doomed = ids.slice(0, 4);
      const statuses = await Promise.all([
        ...ids.flatMap((_, at) => [
          listProducts(ids.slice(at), staff),
          listProducts(ids.toReversed().slice(at), otherStaff, aquaClub.slug),
        ]),
        ...doomed.map((id) => deleteProduct(id)),
      ]);
      expect(statuses.filter(({ status }) => ![200, 204, 400].includes(status))).toEqual([]);
      const open = 'select count(*)::int as open from saga where finished_at is null';
      await eventually(async () => (await platform.sql<{ open: number }>('content', open))[0]?.open === 0);
      const dangling = await platform.sql('gym', 'select 1 from gym_product where product_id = any($1)', [
        doomed,
      ]);
      expect(dangling).toEqual([]);
    }
  });

  it('cannot contain a product after its removal was reported, even if content still has the product', async () => {
    const id = await newProduct();
    const content = await platform.serviceToken('content');
    const removed = await platform.rest('gym', 'DELETE', `/references/Product/${id}`, { token: content });
    expect(removed.status).toBe(204);
    const { status, body } = await listProducts([id]);
    expect([status, body.errors[0].path]).toEqual([400, 'products.0.productId']);
  });
});

describe('the programme of a gym', () => {
  const listPrograms = (ids: readonly string[]) =>
    platform.rest('gym', 'PUT', `/gym/${ironTemple.slug}/programs`, {
      token: staff,
      body: { programs: ids.map((routineId) => ({ routineId })) },
    });
  const programs = async (): Promise<string[]> =>
    (await platform.rest<GymProgramShape[]>('gym', 'GET', `/gym/${ironTemple.slug}/programs`)).body.map(
      ({ routineId }) => routineId,
    );
  const show = async (token: string, id: string, visibility: 'PRIVATE' | 'GYM') =>
    expect(
      (await platform.rest('content', 'PUT', `/workouts/${id}`, { token, body: { visibility } })).status,
    ).toBe(200);

  it('no longer contains a routine that became private, also a second time; once it is for the gym again, it can be listed at once', async () => {
    const member = await platform.demo('maya@iron.test');
    const [id, other] = [await newRoutine(member, { visibility: 'GYM' }), await newRoutine()];
    for (let time = 0; time < 2; time += 1) {
      expect((await listPrograms([id, other])).status).toBe(200);
      await show(member, id, 'PRIVATE');
      await eventually(async () => (await programs()).join() === other);
      expect((await listPrograms([other])).status).toBe(200);
      await show(member, id, 'GYM');
    }
    expect((await listPrograms([other, id])).status).toBe(200);
    expect(await programs()).toEqual([other, id]);
  });

  it('contains no private routine, even if routines become private while the gym lists them', async () => {
    const member = await platform.demo('maya@iron.test');
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all(
        Array.from({ length: 4 }, () => newRoutine(member, { visibility: 'GYM' })),
      );
      const hidden = ids.slice(0, 3);
      const answers = await Promise.all([
        ...ids.flatMap((_, at) => [listPrograms(ids.slice(at)), listPrograms(ids.toReversed().slice(at))]),
        ...hidden.map((id) => show(member, id, 'PRIVATE')),
      ]);
      expect(
        answers.flatMap((answer) => answer?.status ?? []).filter((one) => ![200, 400].includes(one)),
      ).toEqual([]);
      const open = 'select count(*)::int as open from saga where finished_at is null';
      await eventually(async () => (await platform.sql<{ open: number }>('content', open))[0]?.open === 0);
      expect((await programs()).filter((id) => hidden.includes(id))).toEqual([]);
    }
  });

  it('cannot contain a routine if the gym asked for it before the report that it became private', async () => {
    const member = await platform.demo('maya@iron.test');
    const id = await newRoutine(member, { visibility: 'GYM' });
    // Simulates a report that arrives while the list is written: its record is later than the question to the content
    // service.
    await platform.sql(
      'gym',
      `insert into removed_reference (type_name, id, removed_at) values ('HiddenWorkoutRoutine', $1, now() + interval '1 minute')`,
      [id],
    );
    const { status, body } = await listPrograms([id]);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'programs.0.routineId']);
    await platform.sql('gym', 'update removed_reference set removed_at = now() where id = $1', [id]);
    expect((await listPrograms([id])).status).toBe(200);
  });
});

describe('a removal', () => {
  it('can be reported only by the owner of the type', async () => {
    const remove = async (token: string | undefined, type = 'Product') =>
      (await platform.rest('gym', 'DELETE', `/references/${type}/${randomUUID()}`, token ? { token } : {}))
        .status;
    expect(await remove(undefined)).toBe(401);
    expect(await remove(superAdmin)).toBe(403);
    expect(await remove(await platform.serviceToken('identity'))).toBe(403);
    const content = await platform.serviceToken('content');
    expect(await remove(content, 'constructor')).toBe(404);
    expect([await remove(content), await remove(content)]).toEqual([204, 204]);
  });

  it('of a gym leaves its users without a gym, mails them, and content no longer returns its products', async () => {
    const gym = await platform.serviceToken('gym');
    const gymId = randomUUID();
    const member = await platform.register(null);
    await platform.sql('identity', MEMBER_OF, [gymId, member.id]);
    const token = await platform.login(member.email, member.password);
    const [product] = await platform.sql(
      'content',
      `insert into product (id, gym_id, sku, name, kind, price, currency, images, variants, version, created_at, updated_at)
       values (gen_random_uuid(), $1, 'GONE', 'Gone', 'SUPPLEMENT', 1, 'EUR', '[]', '[]', 1, now(), now()) returning id`,
      [gymId],
    );
    for (const service of ['identity', 'content'] as const)
      expect(
        (await platform.rest(service, 'DELETE', `/references/Gym/${gymId}`, { token: gym })).status,
      ).toBe(204);
    expect((await platform.rest('identity', 'GET', '/users/me', { token })).status).toBe(401); // a token with the old gym
    const again = await platform.login(member.email, member.password);
    expect((await platform.rest('identity', 'GET', '/users/me', { token: again })).body.gymId).toBeNull();
    const mails = await eventually(async () => {
      const notices = (await mailsTo(platform, member.email)).filter((mail) => !isVerification(mail));
      return notices.length > 0 && notices; // a job sends them
    });
    expect(mails).toHaveLength(1);
    expect(
      (await platform.rest('content', 'GET', `/products/${product.id}`, { token: superAdmin })).status,
    ).toBe(404);
  });
});

describe('a gym that does not exist', () => {
  const nowhere = () => randomUUID();
  const someone = () => ({
    email: `${randomUUID()}@example.test`,
    displayName: 'Somebody',
    password: 'a-good-password',
  });

  it.each([
    ['registration', 'identity', 'POST', '/auth/register', someone],
    ['an invitation', 'identity', 'POST', '/invitations', () => ({ ...someone(), password: undefined })],
    ['a new product', 'content', 'POST', '/products', bar],
    [
      'a new exercise',
      'content',
      'POST',
      '/exercises',
      () => ({ name: `Jump ${randomUUID()}`, primaryMuscles: ['quadriceps'], modality: 'BODYWEIGHT_REPS' }),
    ],
  ] as const)('is refused by %s, with the path gymId', async (_what, service, method, at, fields) => {
    const token = at === '/auth/register' ? undefined : superAdmin;
    const call = (gymId: string): Promise<RestAnswer> =>
      platform.rest(service, method, at, { ...(token && { token }), body: { ...fields(), gymId } });
    const { status, body } = await call(nowhere());
    expect([status, body.errors?.[0].path]).toEqual([400, 'gymId']);
    expect((await call(ironTemple.id)).status).toBe(201);
  });

  it('is refused if a user is moved into it, and the user stays in their gym', async () => {
    const { id } = await platform.register();
    const move = (gymId: string | null): Promise<RestAnswer> =>
      platform.rest('identity', 'PUT', `/users/${id}/gym`, { token: superAdmin, body: { gymId } });
    const { status, body } = await move(nowhere());
    expect([status, body.errors[0].path]).toEqual([400, 'gymId']);
    const stays = await platform.rest('identity', 'GET', `/users/${id}`, { token: superAdmin });
    expect(stays.body.gymId).toBe(ironTemple.id);
    expect((await move(aquaClub.id)).body.gymId).toBe(aquaClub.id);
    expect((await move(null)).body.gymId).toBeNull();
  });

  it('cannot be detected while the gym service is down: a registration is then 503, and creates no account', async () => {
    await platform.running('gym').stop();
    try {
      const person = { ...someone(), gymId: ironTemple.id };
      const { status, headers } = await platform.rest('identity', 'POST', '/auth/register', { body: person });
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(
        await platform.sql('identity', 'select 1 from user_account where email = $1', [person.email]),
      ).toEqual([]);
      const { gymId: _gymId, ...alone } = person;
      expect((await platform.rest('identity', 'POST', '/auth/register', { body: alone })).status).toBe(201);
    } finally {
      await platform.restart('gym');
    }
  });
});
