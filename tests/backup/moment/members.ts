import { createHash, randomUUID } from 'node:crypto';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { pictures } from '../../support/pictures.ts';
import { randomFrom, type Random } from '../../support/graph-doubles/random.ts';
import type { Installation } from '../installation.ts';

/** Members who carry out the actions that the rules check, in an order that the seed decides. */
export interface Members {
  /** How many of the actions of each member are done. */
  readonly done: readonly number[];
  /** Answers that were not expected. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

interface World extends Pick<Installation, 'rest' | 'token'> {
  /** Tokens of accounts of the demo data. */
  readonly maya: string;
  readonly leo: string;
  readonly superAdmin: string;
  readonly exerciseId: string;
  readonly productIds: readonly string[];
  readonly locationId: string;
  /** The newest post. */
  post: string;
}

type Action = (world: World, random: Random) => Promise<void>;

/** On a busy machine a service may not answer in time. The member continues with the next action. */
class TooSlow extends Error {}

const GYM = DEMO_GYMS.ironTemple.id;
const PASSWORD = 'a-long-password-7';
const meal = { foodName: 'Oatmeal', calories: 100, protein: 3, carbs: 18, fats: 2 };

const send = async (
  { rest }: World,
  service: string,
  method: string,
  at: string,
  token?: string,
  body?: unknown,
) => {
  const answer = await rest(service, method, at, {
    ...(token && { token }),
    ...(body !== undefined && { body }),
  });
  if (answer.status === 503 || answer.status === 504) throw new TooSlow();
  // A conflict is an answer of the rules, such as for a product that is sold out.
  if (answer.status >= 300 && answer.status !== 409)
    throw new Error(`${method} /${service}${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** A new account, and its first rows in other services. Some of these accounts are deleted at once. */
const newcomer: Action = async (world, random) => {
  const leaves = random.chance(0.4);
  const email = `${leaves ? 'leaves' : 'stays'}-${randomUUID()}@example.test`;
  const body = { email, password: PASSWORD, displayName: 'Newcomer', gymId: GYM };
  await send(world, 'identity', 'POST', '/auth/register', undefined, body);
  const { token } = await send(world, 'identity', 'POST', '/auth/login', undefined, {
    email,
    password: PASSWORD,
  });
  await Promise.all([
    send(world, 'nutrition', 'POST', '/log', token, meal),
    send(world, 'gym', 'POST', '/posts', token, { text: 'Hello!' }),
    send(world, 'content', 'POST', '/trainings', token, {
      title: 'First',
      startedAt: '2026-11-20T17:00:00Z',
      endedAt: '2026-11-20T17:01:00Z',
      entries: [],
    }),
  ]);
  if (leaves) await send(world, 'identity', 'DELETE', '/users/me', token, { password: PASSWORD });
};

const form = async (field: string, texts: Record<string, string> = {}): Promise<FormData> => {
  const data = new FormData();
  for (const [name, text] of Object.entries(texts)) data.set(name, text);
  const picture = new Uint8Array(await pictures.normal('png'));
  data.set(field, new Blob([picture], { type: 'image/png' }), 'a.png');
  return data;
};

/** Replaces the avatar; the file of the previous one is deleted. */
const avatar: Action = async (world) => {
  await send(world, 'identity', 'POST', '/profile/upload', world.leo, await form('avatar'));
};

/** A post with a picture; some of these posts are deleted together with their pictures. */
const picture: Action = async (world, random) => {
  const post = await send(world, 'gym', 'POST', '/posts', world.maya, await form('image', { text: 'Look!' }));
  if (random.chance(0.5)) await send(world, 'gym', 'DELETE', `/posts/${post.id}`, world.maya);
  else world.post = post.id;
};

const order: Action = async (world, random) => {
  const items = [{ productId: random.pick(world.productIds), quantity: 1 }];
  const answer = await world.rest('gym', 'POST', '/orders', {
    token: world.leo,
    headers: { 'idempotency-key': randomUUID() },
    body: { items },
  });
  if (answer.status === 201 && random.chance(0.8))
    await send(world, 'gym', 'PUT', `/orders/${answer.body.id}`, world.leo, { status: 'CANCELLED' });
};

const keyedMeal: Action = async ({ rest, maya }) => {
  const key = randomUUID();
  const digest = createHash('sha256').update(key).digest('hex');
  const { status } = await rest('nutrition', 'POST', '/log', {
    token: maya,
    headers: { 'idempotency-key': key },
    body: { ...meal, foodName: `keyed ${digest}` },
  });
  if (status === 503) throw new TooSlow();
  if (status !== 201) throw new Error(`a meal with a key: ${status}`);
};

const like: Action = async (world, random) => {
  if (world.post === '') return picture(world, random);
  const method = random.chance(0.6) ? 'PUT' : 'DELETE';
  await send(world, 'gym', method, `/posts/${world.post}/like`, world.leo);
  await send(world, 'gym', 'POST', `/posts/${world.post}/comments`, world.leo, { text: 'Yes' });
};

const visit: Action = async (world) => {
  const { qrCode } = await send(world, 'identity', 'GET', '/users/me', world.leo);
  await send(world, 'gym', 'POST', '/locations/check-in', world.leo, {
    qrCode,
    locationId: world.locationId,
  });
  await send(world, 'gym', 'POST', '/locations/check-out', world.leo, {});
};

/** A squad with a set, whose end makes a training at the content service. */
const squad: Action = async (world) => {
  const token = world.leo;
  const { id } = await send(world, 'squad', 'POST', '/squads', token, {});
  if (!id) return; // one account may have five open squads
  const set = { reps: 5, weightKg: 50 };
  await send(world, 'squad', 'POST', `/squads/${id}/workout`, token, {
    eventId: randomUUID(),
    exerciseIndex: 0,
    setIndex: 0,
    exerciseId: world.exerciseId,
    phase: 'REST',
    set,
  });
  await send(world, 'squad', 'POST', `/squads/${id}/end`, token);
};

/** A new gym by the wizard: a saga over gym and identity. */
const deployment: Action = async (world) => {
  const slug = `moment-${randomUUID().slice(0, 8)}`;
  const { id } = await send(world, 'wizard', 'POST', '/', world.superAdmin, { kind: 'GYM_SETUP' });
  const steps: [string, object][] = [
    ['basics', { name: slug, slug, timezone: 'Europe/Berlin' }],
    ['branding', { theme: { colors: { primary: '#0f766e' } } }],
    ['locations', { locations: [{ name: 'Main hall', capacity: 80 }] }],
    ['features', { features: { nutrition: true, squad: true } }],
    ['admin', { email: `${slug}@example.test`, displayName: 'Nora' }],
    ['review', { confirmed: true }],
  ];
  for (const [step, data] of steps)
    await send(world, 'wizard', 'PUT', `/${id}`, world.superAdmin, { step, data });
  await send(world, 'wizard', 'POST', `/${id}/deploy`, world.superAdmin);
};

/** Each member has some of the actions, so that different actions happen at once. */
const MEMBERS: readonly (readonly Action[])[] = [
  [newcomer],
  [avatar, picture, like],
  [order, keyedMeal, visit],
  [squad],
  [deployment],
];

export async function startMembers(installation: Installation, seed: number): Promise<Members> {
  const { rest } = installation;
  const world = await worldOf(installation);
  const done = MEMBERS.map(() => 0);
  const failures: string[] = [];
  let isStopped = false;
  const live = async (actions: readonly Action[], index: number) => {
    const random = randomFrom(`${seed} ${index}`);
    while (!isStopped) {
      const action = random.pick(actions);
      await action(world, random).catch((error: Error) => {
        if (!(error instanceof TooSlow)) failures.push(error.message);
      });
      done[index] = (done[index] ?? 0) + 1;
    }
  };
  const lives = MEMBERS.map(live);
  return {
    done,
    failures,
    async stop() {
      isStopped = true;
      await Promise.all(lives);
    },
  };

  async function worldOf({ token }: Installation): Promise<World> {
    const maya = await token('maya@iron.test');
    const { body: exercises } = await rest(
      'content',
      'GET',
      '/exercises?limit=1&search=barbell%20back%20squat',
      {
        token: maya,
      },
    );
    const { body: products } = await rest('gym', 'GET', `/gym/${GYM}/products`, { token: maya });
    const { body: locations } = await rest('gym', 'GET', '/locations', { token: maya });
    return {
      ...installation,
      maya,
      leo: await token('leo@iron.test'),
      superAdmin: await token('super@demo.test'),
      exerciseId: exercises[0].id,
      productIds: (products as { productId: string; stock: number | null }[])
        .filter(({ stock }) => stock !== null)
        .map(({ productId }) => productId),
      locationId: locations[0].id,
      post: '',
    };
  }
}
