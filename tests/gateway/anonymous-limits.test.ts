import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], gateway: true });
  token = await platform.demo('maya@iron.test');
});
afterAll(() => platform.stop());

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

const REFUSED = { extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } };

/** Operations that are within the limits of a caller with a token, but not of one without. */
const LARGE: readonly (readonly [string, string, Record<string, unknown>?])[] = [
  ['71 objects', `{ gym(slug: "iron-temple") { ${times(70, () => 'config { version }')} } }`],
  ['601 selections', `{ gym(slug: "iron-temple") { ${times(600, () => 'name')} } }`],
  ['1,030 tokens', `{ gym(slug: "iron-temple") { ${times(170, () => '... on Gym { name }')} } }`],
  [
    'eight nested conditions',
    `query (${times(8, (i) => `$v${i}: Boolean = true`)}) { ${times(8, (i) => `... @include(if: $v${i}) { a${i}: gyms { config { version } }`)} ${'}'.repeat(8)} }`,
  ],
  [
    'a cost of 2,800',
    '{ a: exercises(first: 200) { nodes { id } } b: exercises(first: 200) { nodes { id } } }',
  ],
  [
    'a cost of 2,800 by a variable',
    'query ($n: Int) { a: exercises(first: $n) { nodes { id } } b: exercises(first: $n) { nodes { id } } }',
    { n: 200 },
  ],
];

describe('an operation beyond the limits of a caller without a token', () => {
  it.each(LARGE)(
    '(%s) is answered with a token and refused without one, over HTTP',
    async (_what, query, variables = {}) => {
      expect(await platform.graph('gateway', query, variables)).toMatchObject({
        status: 400,
        errors: [REFUSED],
      });
      // The fast path handles at least the last two requests, because the operation is prepared by then.
      for (let time = 1; time <= 3; time += 1)
        expect((await platform.graph('gateway', query, variables, { token })).errors).toBeUndefined();
      expect(await platform.graph('gateway', query, variables)).toMatchObject({
        status: 400,
        errors: [REFUSED],
      });
    },
  );

  it.each(LARGE)(
    '(%s) is answered with a token and refused without one, over the socket',
    async (_what, query, variables = {}) => {
      const allowed = subscribe(platform.url('gateway'), query, variables, token);
      expect((await allowed.next()).errors).toBeUndefined();
      await allowed.close();
      const refused = subscribe(platform.url('gateway'), query, variables);
      const answered = await refused.next().then(
        ({ errors }) => errors,
        (error: unknown) => error,
      );
      expect(answered).toMatchObject([REFUSED]);
      await refused.close();
    },
  );

  it('is also refused if it is sent by its hash or in a batch', async () => {
    for (const [_what, query, variables = {}] of LARGE) {
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      const extensions = { persistedQuery: { version: 1, sha256Hash } };
      const post = (body: unknown, authorization?: string) =>
        platform.rest('gateway', 'POST', '/graphql', {
          body,
          ...(authorization && { token: authorization }),
        });
      expect(await post({ query, extensions, variables }, token)).toMatchObject({ status: 200 });
      expect(await post({ extensions, variables }, token)).toMatchObject({ status: 200 });
      expect(await post({ extensions, variables })).toMatchObject({
        status: 400,
        body: { errors: [REFUSED] },
      });
      expect((await post([{ query, variables }])).status).toBe(400);
    }
  });
});

describe('a caller without a token', () => {
  it.each([
    ['the workouts of the start page', '{ workouts(first: 3) { nodes { title difficulty } } }'],
    [
      'a page of exercises',
      '{ exercises(first: 50) { nodes { id name primaryMuscles } pageInfo { endCursor } } }',
    ],
    ['the largest page of exercises', '{ exercises(first: 200) { nodes { id name } } }'],
    ['a page of products', '{ products(first: 50) { nodes { id name variants { sku price } } } }'],
    [
      'gyms with their branding',
      '{ gyms { id name config { theme assets features } programs { __typename } } }',
    ],
    [
      'a log-in',
      'mutation { login(input: { email: "maya@iron.test", password: "demo-password-1" }) { token user { displayName } } }',
    ],
    ['the usual introspection query', getIntrospectionQuery({ descriptions: true })],
    ['30 aliases', `{ ${times(10, (i) => `a${i}: gym(slug: "iron-temple") { b${i}: name c${i}: id }`)} }`],
  ])('may ask for %s', async (_what, query) => {
    const { status, errors } = await platform.graph('gateway', query);
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  });
});

describe("a service's own graph", () => {
  const ENTITIES = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }';
  const representations = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      __typename: 'Gym',
      id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    }));
  const large: readonly (readonly [string, string, Record<string, unknown>])[] = [
    ['251 representations', ENTITIES, { r: representations(251) }],
    ['3,125 tokens', `{ gyms { ${times(520, () => '... on Gym { id }')} } }`, {}],
    ['a cost of 5,800', `{ ${times(58, (i) => `a${i}: gyms { config { version } }`)} }`, {}],
  ];

  it('returns its SDL once, and refuses to return it many times in one answer', async () => {
    expect((await platform.graph('gym', '{ _service { sdl } }')).data._service.sdl).toContain('type Gym');
    const many = `{ _service { ${times(20, (i) => `a${i}: sdl`)} } }`;
    expect(await platform.graph('gym', many, {}, { token })).toMatchObject({
      status: 400,
      errors: [REFUSED],
    });
  });

  it.each(large)(
    'answers %s over HTTP with a token, and refuses it over HTTP and over the socket without one',
    async (_what, query, variables) => {
      expect(await platform.graph('gym', query, variables, { token })).toMatchObject({ status: 200 });
      expect(await platform.graph('gym', query, variables)).toMatchObject({
        status: 400,
        errors: [REFUSED],
      });
      const refused = subscribe(platform.url('gym'), query, variables);
      await expect(refused.next()).rejects.toMatchObject([REFUSED]);
      await refused.close();
    },
  );
});
