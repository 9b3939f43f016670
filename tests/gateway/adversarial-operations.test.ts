import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'nutrition', 'content'], gateway: true });
  token = await platform.demo('maya@iron.test');
});
afterAll(() => platform.stop());

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

/** Fragments that each spread the next one twice, so that `last` is expanded 2 to the power of `count` times. */
const bomb = (count: number, last: string, on = 'User'): string =>
  `${times(count, (i) => `fragment F${i} on ${on} { ...F${i + 1} ...F${i + 1} }`)} fragment F${count} on ${on} { ${last} }`;

const REFUSED: readonly (readonly [string, string, object?])[] = [
  ['fragments that double 20 times', `{ me { ...F0 } } ${bomb(20, 'id')}`],
  ['fragments that double 60 times', `{ me { ...F0 } } ${bomb(60, 'id')}`],
  [
    'fragments that double with fields of lists whose size is a variable',
    `query ($n: Int) { me { ...F0 } } ${bomb(18, 'foodLogs(first: $n) { nodes { id } }')}`,
    { n: 1 },
  ],
  ['fragments that double over protected fields', `{ me { ...F0 } } ${bomb(18, 'nutritionDay { date }')}`],
  ['fragments that double over cached fields', `{ muscles { ...F0 } } ${bomb(18, 'name', 'Facet')}`],
  [
    'fragments that double at the root',
    `{ ...F0 } ${bomb(18, 'me { nutritionDay { date } } muscles { name }', 'Query')}`,
  ],
  ['31 aliases', `{ ${times(31, (i) => `a${i}: __typename`)} }`],
  ['21 directives', `{ me { ${times(21, () => 'id @include(if: true)')} } }`],
  ['a comment of 1 MB', `{ __typename } #${'x'.repeat(1_000_000)}`],
  ['a text value of 100 KB', `{ foods(search: "${'x'.repeat(100_000)}") { nodes { id } } }`],
  [
    'an input object of 600 levels',
    `mutation { register(input: ${'{a: '.repeat(600)}1${'}'.repeat(600)}) { id } }`,
  ],
  [
    'a list of 20,000 objects in a variable',
    'mutation ($i: LogMealInput!) { logMeal(input: $i) { entries { id } } }',
    { i: { entries: Array.from({ length: 20_000 }, () => ({ foodName: 'x', calories: 1 })) } },
  ],
  [
    'ten series of ten years',
    `{ me { ${times(10, (i) => `s${i}: nutritionSeries(from: "2016-11-25", to: "2026-11-22") { __typename }`)} } }`,
  ],
  ['20 charts', `{ me { ${times(20, (i) => `c${i}: nutritionChart(bucket: MONTH)`)} } }`],
  [
    '20 log-ins',
    `mutation { ${times(20, (i) => `a${i}: login(input: { email: "a@b.test", password: "wrong" }) { token }`)} }`,
  ],
  ['20 exports', `{ ${times(20, (i) => `a${i}: exportMyAccount`)} }`],
  [
    'introspection of types of fields of types of fields',
    `{ __schema { types { ${times(20, (i) => `a${i}: fields { type { fields { type { name } } } }`)} } } }`,
  ],
];

/** The processor time of this process. The gateway and the services of this test run in it. */
async function cpuMillisOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

let texts = 0;
/** A text that the gateway has not received before. */
const fresh = (query: string): string => `# ${(texts += 1)}\n${query}`;

/**
 * For comparison, the processor time of a plain query over four services that is planned each time. It is the least of five,
 * because the machine may be busy.
 */
async function plainMillis(): Promise<number> {
  const query =
    '{ me { displayName gym { name locations { name occupancy { people } } } nutritionDay { totals { calories } } } workouts(first: 3) { nodes { title } } }';
  const measured: number[] = [];
  for (let i = 0; i < 5; i += 1)
    measured.push(await cpuMillisOf(() => platform.graph('gateway', fresh(query), {}, { token })));
  return Math.max(5, Math.min(...measured)); // below 5 ms the clock is too coarse
}

/** A refused operation costs at most as much as this number of plain queries, whichever check refuses it. */
const REFUSAL_RATIO = 30;

describe('an operation of a denial-of-service attack', () => {
  it.each(REFUSED)(
    '(%s) is refused at little cost, over HTTP and, if it is small enough, over the socket',
    async (_what, query, variables = {}) => {
      const plain = await plainMillis();
      let answer: Awaited<ReturnType<TestPlatform['graph']>> | undefined;
      const byHttp = await cpuMillisOf(async () => {
        answer = await platform.graph('gateway', query, variables, { token });
      });
      expect(answer).toMatchObject({ status: 400 });
      expect(answer?.errors?.[0]?.extensions.code).toMatch(
        /OPERATION_LIMIT_EXCEEDED|GRAPHQL_VALIDATION_FAILED/,
      );
      expect(byHttp).toBeLessThan(REFUSAL_RATIO * plain);
      if (query.length + JSON.stringify(variables).length > 200_000) return; // the socket accepts at most 256 KiB
      const bySocket = await cpuMillisOf(async () => {
        const refused = subscribe(
          platform.url('gateway'),
          query,
          variables as Record<string, unknown>,
          token,
        );
        const answered = await refused.next().then(
          ({ errors }) => errors,
          (error: unknown) => error,
        );
        expect(answered).toMatchObject([
          {
            extensions: { code: expect.stringMatching(/OPERATION_LIMIT_EXCEEDED|GRAPHQL_VALIDATION_FAILED/) },
          },
        ]);
        await refused.close();
      });
      expect(bySocket).toBeLessThan(REFUSAL_RATIO * plain);
    },
  );

  it.each([
    [
      'fragments in a chain of 100',
      `{ me { ...F0 } } ${times(100, (i) => `fragment F${i} on User { gym { id name } ${i < 99 ? `...F${i + 1}` : ''} }`)}`,
    ],
    ['250 equal fields', `{ me { ${times(250, () => 'gym { id name }')} } }`],
    ['equal fields at three levels', `{ ${times(18, () => `me { ${times(18, () => 'gym { id }')} }`)} }`],
    ['1,000 fields that do not exist', `{ me { ${times(1_000, (i) => `displaynme${i}`)} } }`],
    [
      'nested conditions',
      `query (${times(6, (i) => `$v${i}: Boolean = true`)}) { me { ${times(6, (i) => `... @include(if: $v${i}) { gym { name } nutritionDay { date }`)} ${'}'.repeat(6)} } }`,
    ],
    ['the usual introspection', getIntrospectionQuery()],
    [
      'a search of 780,000 characters',
      'query ($s: String) { foods(search: $s) { nodes { id } } workouts(search: $s) { nodes { id } } }',
      { s: 'chikken brst '.repeat(60_000) },
    ],
    ['a comment of 60 KB', `{ me { id } } #${'x'.repeat(60_000)}`],
  ] as [string, string, object?][])(
    '(%s) is answered, or refused, at a bounded cost',
    async (_what, query, variables = {}) => {
      const plain = await plainMillis();
      const measured: number[] = [];
      // The least of three, because jobs and other background work of the platform run in this process, too.
      for (let i = 0; i < 3; i += 1) {
        let status = 0;
        measured.push(
          await cpuMillisOf(async () => {
            ({ status } = await platform.graph('gateway', fresh(query), variables, { token }));
          }),
        );
        expect([200, 400]).toContain(status);
      }
      expect(Math.min(...measured)).toBeLessThan(60 * plain);
    },
  );
});

describe("at a service's own port", () => {
  const ENTITIES =
    'query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { id displayName } } }';
  const representations = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      __typename: 'User',
      id: `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    }));

  it('1,000 representations are answered and more are refused, also if several aliases share them', async () => {
    const answer = await platform.graph('identity', ENTITIES, { r: representations(1_000) }, { token });
    expect(answer.data._entities).toHaveLength(1_000);
    const aliases = `query ($r: [_Any!]!) { ${times(3, (i) => `a${i}: _entities(representations: $r) { __typename }`)} }`;
    const inText = `{ _entities(representations: [${times(1_001, () => '{__typename: "User", id: "1"}')}]) { __typename } }`;
    for (const [query, variables] of [
      [ENTITIES, { r: representations(1_001) }],
      [ENTITIES, { r: representations(9_000) }],
      [aliases, { r: representations(400) }],
      [inText, {}],
    ] as const)
      expect(await platform.graph('identity', query, variables, { token })).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }],
      });
  });

  it('an operation that costs too much is refused, over HTTP and over the socket', async () => {
    const query = `{ ${times(30, (i) => `a${i}: exercises(first: 200) { nodes { id } }`)} }`;
    expect(await platform.graph('content', query)).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringContaining('costs'), extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } },
      ],
    });
    const gyms = `{ ${times(60, () => `gyms { locations { occupancyHistory { peak } } }`)} }`;
    await expect(subscribe(platform.url('gym'), gyms, {}, token).next()).rejects.toMatchObject([
      { extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } },
    ]);
  });
});

describe('a gateway under attack', () => {
  /** A metric, added up over its labels. The cache of tokens is left out: the texts of operations do not fill it. */
  const figure = async (name: string): Promise<number> => {
    const text = await (await fetch(`${platform.url('gateway')}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && !line.includes('verified_tokens'))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  };

  it('has caches of bounded size, also if it gets many different texts, valid or not', async () => {
    const before = await figure('cache_bytes');
    for (let i = 0; i < 300; i += 1) {
      await platform.graph('gateway', `{ __typename } # ${i} ${'x'.repeat(60_000)}`);
      await platform.graph('gateway', `{ __nothing } # ${i} ${'x'.repeat(60_000)}`);
    }
    expect((await figure('cache_bytes')) - before).toBeLessThan(80 * 1024 * 1024);
  });

  it('answers 100 subscriptions over one socket at a bounded cost, and keeps the socket open', async () => {
    const client = createClient({
      url: `${platform.url('gateway').replace(/^http/, 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: `Bearer ${token}` },
    });
    const location = (await platform.graph('gateway', '{ locations { id } }', {}, { token })).data
      .locations[0].id;
    const plain = await plainMillis();
    const millis = await cpuMillisOf(async () => {
      const streams = Array.from({ length: 100 }, (_, i) =>
        client.iterate({
          query: `subscription S${i % 10} { occupancyChanged(locationId: "${location}") { people location { name } } }`,
        }),
      );
      for (const stream of streams)
        expect((await stream.next()).value).toMatchObject({ data: expect.anything() });
      for (const stream of streams) await stream.return?.();
    });
    expect(millis).toBeLessThan(300 * plain);
    expect((await client.iterate({ query: '{ me { id } }' }).next()).value).toMatchObject({
      data: { me: expect.anything() },
    });
    await client.dispose();
  });
});
