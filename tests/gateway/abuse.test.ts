import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'], gateway: true });
});
afterAll(() => platform.stop());

const aliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} }`;

/** Operations of a denial-of-service attack. Each is refused before it is validated. */
const OPERATIONS: [string, string][] = [
  ['a depth of 200', `{ ${'me { '.repeat(200)} id ${'} '.repeat(200)} }`],
  ['10,000 aliases', aliases(10_000)],
  ['31 aliases', aliases(31)],
  ['1,000 directives', `{ me ${'@include(if: true) '.repeat(1_000)} { id } }`],
  ['2,500 equal fields', `{ me { ${'id '.repeat(2_500)} } }`],
  [
    'fragments that double',
    `{ ...f0 } ${Array.from({ length: 40 }, (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`).join(' ')} fragment f40 on Query { a: __typename b: __typename }`,
  ],
  [
    'introspection of 60 levels',
    `{ __schema { types { fields { ${'type { ofType { '.repeat(30)} name ${'} } '.repeat(30)} } } } }`,
  ],
  [
    'several operations, one of them deep',
    `query A { __typename } query B { ${'me { '.repeat(20)} id ${'} '.repeat(20)} }`,
  ],
];

describe('a request with', () => {
  it.each(OPERATIONS)('%s is refused by POST and by GET', async (_what, query) => {
    for (let i = 0; i < 2; i += 1)
      expect(await platform.graph('gateway', query)).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }],
      });
    // The gateway accepts 32 KiB of URL and headers. A longer query is cut here, and is then refused for its syntax.
    const byUrl = await fetch(
      `${platform.url('gateway')}/graphql?query=${encodeURIComponent(query).slice(0, 30_000)}`,
      {
        headers: { 'apollo-require-preflight': 'true' },
      },
    );
    expect(byUrl.status).toBe(400);
  });

  it('a circular fragment is refused as invalid', async () => {
    expect(
      await platform.graph('gateway', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'),
    ).toMatchObject({ status: 400, errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
  });

  it('5 MB of text is refused, and so is a batch of 1,000 operations', async () => {
    expect((await platform.graph('gateway', `{ ${'# comment\n'.repeat(520_000)} me { id } }`)).status).toBe(
      413,
    );
    const { status, body } = await platform.rest('gateway', 'POST', '/graphql', {
      body: Array.from({ length: 1_000 }, () => ({ query: '{ __typename }' })),
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } }] },
    });
  });
});

describe('over the socket', () => {
  it.each(OPERATIONS.slice(0, 4))('an operation with %s is refused', async (_what, query) => {
    const refused = subscribe(platform.url('gateway'), query);
    await expect(refused.next()).rejects.toMatchObject([
      { extensions: { code: 'OPERATION_LIMIT_EXCEEDED' } },
    ]);
  });
});
