import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

type Service = 'identity' | 'gym' | 'content' | 'nutrition';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content', 'nutrition'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

const ask = (service: Service, query: string) => platform.graph(service, query, {}, { token: staff });
const firstError = async (service: Service, query: string) => {
  const { errors } = await ask(service, query);
  return { message: errors?.[0]?.message, ...errors?.[0]?.extensions };
};

const CONNECTIONS = [
  ['identity', 'users'],
  ['gym', 'gymAudit'],
  ['gym', 'bookings'],
  ['content', 'exercises'],
  ['nutrition', 'foods'],
] as const;

describe.each(CONNECTIONS)('the connection %s %s', (service, field) => {
  it('names its own arguments in errors', async () => {
    const size = 'expected a whole number of at least 0, got -1';
    expect(await firstError(service, `{ ${field}(first: -1) { nodes { id } } }`)).toMatchObject({
      message: `first: ${size}`,
      code: 'VALIDATION_FAILED',
      errors: [{ path: 'first', message: size }],
    });
    const cursor = 'expected a cursor from an earlier page of this list; start again without one';
    expect(await firstError(service, `{ ${field}(after: "x") { nodes { id } } }`)).toMatchObject({
      message: `after: ${cursor}`,
      errors: [{ path: 'after', message: cursor }],
    });
  });

  it('answers `first: 0` with an empty page that says whether there are items', async () => {
    const info =
      'nodes { id } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
    const { data, errors } = await ask(
      service,
      `{ none: ${field}(first: 0) { ${info} } one: ${field}(first: 1) { nodes { id } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.none).toEqual({
      nodes: [],
      edges: [],
      pageInfo: {
        hasNextPage: data.one.nodes.length > 0,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      },
    });
  });
});

it('the error for a cursor of another order names `after`', async () => {
  const { data } = await ask('content', '{ exercises(first: 1, sort: NEWEST) { pageInfo { endCursor } } }');
  const { endCursor } = data.exercises.pageInfo;
  const { errors, message } = (await firstError(
    'content',
    `{ exercises(after: "${endCursor}", sort: NAME) { nodes { id } } }`,
  )) as { errors?: { path: string }[]; message?: string };
  expect(message).toMatch(/^after: expected a cursor of this list by/);
  expect(errors?.map(({ path }) => path)).toEqual(['after']);
});

it('errors of REST name `limit` and `cursor`, and a limit of 0 is refused', async () => {
  const pathsOf = async (query: string) => {
    const { status, body } = await platform.rest('gym', 'GET', `/bookings?${query}`, { token: staff });
    return [status, ...(body.errors as { path: string }[]).map(({ path }) => path)];
  };
  expect(await pathsOf('limit=0')).toEqual([400, 'limit']);
  expect(await pathsOf('cursor=x')).toEqual([400, 'cursor']);
});

it('errors of the field `events`, which is no connection, name `limit` and `after`; a limit of 0 is refused', async () => {
  expect(await firstError('gym', '{ events(limit: 0) { next } }')).toMatchObject({
    errors: [{ path: 'limit' }],
  });
  expect(await firstError('gym', '{ events(after: "x") { next } }')).toMatchObject({
    errors: [{ path: 'after' }],
  });
});
