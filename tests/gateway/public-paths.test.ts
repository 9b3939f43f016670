import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceName } from '#server/settings.ts';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';
import { pictures } from '../support/pictures.ts';

let platform: TestPlatform;
let routineId: string;
let exerciseId: string;
let productId: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content', 'squad'], gateway: true });
  const picture = await pictures.normal('png');
  const token = await platform.demo('admin@iron.test');
  const upload = (service: Called, path: string, field: string, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append(field, new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png');
    return platform.rest(service, 'POST', path, { token, body });
  };
  const make = async (path: string, body: object): Promise<string> =>
    (await platform.rest('content', 'POST', path, { token, body })).body.id;
  exerciseId = await make('/exercises', {
    name: 'Path press',
    primaryMuscles: ['Quadriceps'],
    modality: 'WEIGHT_DISTANCE',
  });
  routineId = await make('/workouts', {
    title: 'Path routine',
    difficulty: 'Beginner',
    category: 'Strength',
    exercises: [],
  });
  productId = await make('/products', {
    sku: 'PATH-1',
    name: 'Path shirt',
    kind: 'MERCHANDISE',
    price: 100,
    currency: 'EUR',
  });
  // Some uploads are sent to the gateway and some to the services: the stored path must not depend on it.
  await upload('gateway', '/identity/profile/upload', 'avatar');
  await upload('gym', '/posts', 'image', { text: 'With a picture' });
  await upload('gateway', `/content/workouts/${routineId}/image`, 'image');
  const later = { token, body: { title: 'Path routine, with another title' } };
  await platform.rest('content', 'PUT', `/workouts/${routineId}`, later);
  await upload('content', `/exercises/${exerciseId}/image`, 'image');
  await upload('gateway', `/content/products/${productId}/images`, 'image');
});
afterAll(() => platform.stop());

// oxlint-disable-next-line no-explicit-any -- the expectations check its shape
type Body = any;

interface Picture {
  of: string;
  service: ServiceName;
  /** The path in REST whose answer names the picture, without the prefix of the service. */
  path: () => string;
  /** The path of the picture in this answer. */
  inRest: (body: Body) => string;
  /** The query whose answer names the picture. */
  query: () => string;
  inGraph: (data: Body) => string;
}

const PICTURES: Picture[] = [
  {
    of: 'a person',
    service: 'identity',
    path: () => '/users/me',
    inRest: ({ avatar }) => avatar,
    query: () => '{ me { avatar } }',
    inGraph: ({ me }) => me.avatar,
  },
  {
    of: 'a post',
    service: 'gym',
    path: () => '/posts',
    inRest: ([post]) => post.image,
    query: () => '{ posts(first: 1) { nodes { image } } }',
    inGraph: ({ posts }) => posts.nodes[0].image,
  },
  {
    of: 'a routine',
    service: 'content',
    path: () => `/workouts/${routineId}`,
    inRest: ({ image }) => image,
    query: () => `{ workout(id: "${routineId}") { image } }`,
    inGraph: ({ workout }) => workout.image,
  },
  {
    of: 'an earlier version of a routine',
    service: 'content',
    path: () => `/workouts/${routineId}?version=2`,
    inRest: ({ image }) => image,
    query: () => `{ workout(id: "${routineId}", version: 2) { image } }`,
    inGraph: ({ workout }) => workout.image,
  },
  {
    of: 'an exercise in a list',
    service: 'content',
    path: () => '/exercises?search=Path%20press',
    inRest: ([exercise]) => exercise.image,
    query: () => '{ exercises(search: "Path press", first: 1) { nodes { image } } }',
    inGraph: ({ exercises }) => exercises.nodes[0].image,
  },
  {
    of: 'a product',
    service: 'content',
    path: () => `/products/${productId}`,
    inRest: ({ images }) => images[0],
    query: () => `{ product(id: "${productId}") { images } }`,
    inGraph: ({ product }) => product.images[0],
  },
];

describe.each(PICTURES)('the picture of $of', ({ service, path, inRest, query, inGraph }) => {
  const statusOf = async (called: Called, picture: string) =>
    (await platform.rest(called, 'GET', picture)).status;
  const token = () => platform.demo('admin@iron.test');

  it("can be fetched from the service's own port if its path was read there", async () => {
    const { body } = await platform.rest(service, 'GET', path(), { token: await token() });
    expect(await statusOf(service, inRest(body))).toBe(200);
    const { data } = await platform.graph(service, query(), {}, { token: await token() });
    expect(await statusOf(service, inGraph(data))).toBe(200);
  });

  it('can be fetched from the gateway if its path was read there by REST', async () => {
    const { body } = await platform.rest('gateway', 'GET', `/${service}${path()}`, { token: await token() });
    expect(await statusOf('gateway', inRest(body))).toBe(200);
  });

  it('can be fetched from the gateway if its path was read there by GraphQL, the first time and again', async () => {
    for (let times = 0; times < 2; times += 1) {
      const { data } = await platform.graph('gateway', query(), {}, { token: await token() });
      expect(await statusOf('gateway', inGraph(data))).toBe(200);
    }
  });
});

it("squad's feed has the path of a picture of the gym service with the prefix of the gym service", async () => {
  const { body } = await platform.rest('gateway', 'GET', '/squad/feed', {
    token: await platform.demo('admin@iron.test'),
  });
  const post = body.find(({ image }: { image: string | null }) => image);
  expect(post.image).toMatch(/^\/gym\/media\//);
  expect((await platform.rest('gateway', 'GET', post.image)).status).toBe(200);
});

it("a request may contain a path with the gateway's prefix, which is stored without the prefix", async () => {
  const token = await platform.demo('admin@iron.test');
  const read = (called: Called, path: string) => platform.rest(called, 'GET', path, { token });
  const before = (await read('gateway', `/content/products/${productId}`)).body.images;
  expect(before[0]).toMatch(/^\/content\/media\//);
  const images = [...before, 'https://example.test/media/elsewhere.png'];
  const { status } = await platform.rest('gateway', 'PUT', `/content/products/${productId}`, {
    token,
    body: { images },
  });
  expect(status).toBe(200);
  expect((await read('gateway', `/content/products/${productId}`)).body.images).toEqual(images);
  expect((await read('content', `/products/${productId}`)).body.images).toEqual([
    before[0].slice('/content'.length),
    'https://example.test/media/elsewhere.png',
  ]);
});
