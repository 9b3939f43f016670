import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let id: string;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  ({ id, token } = await platform.register());
});
afterAll(() => platform.stop());

const QUERY = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on User { id } } }';

it.each([
  ['of a type that does not exist', { __typename: 'Nobody', id: '1' }],
  ['of a type that is no entity', { __typename: 'Query' }],
  ['of a type with the name of an inherited property', { __typename: 'constructor' }],
  ['without a type', { id: '1' }],
  ['with a type that is no text', { __typename: { a: 1 } }],
  ['that is no object', 'User'],
  ['without its key', { __typename: 'User' }],
  ['with null for its key', { __typename: 'User', id: null }],
  ['with a list for its key', { __typename: 'User', id: ['1'] }],
  ['with an object for its key', { __typename: 'User', id: { a: 1 } }],
])('a representation %s becomes null with an error, and the others are answered', async (_what, wrong) => {
  const of = [wrong, { __typename: 'User', id }];
  const { status, data, errors } = await platform.graph('identity', QUERY, { of }, { token });
  expect(status).toBe(200);
  expect(data).toEqual({ _entities: [null, { id }] });
  expect(errors).toMatchObject([
    { path: ['_entities', 0], extensions: { code: 'VALIDATION_FAILED', http: { status: 400 } } },
  ]);
});

it('a representation may have a number as its ID, as GraphQL allows', async () => {
  const { data, errors } = await platform.graph(
    'identity',
    QUERY,
    { of: [{ __typename: 'User', id: 7 }] },
    { token },
  );
  expect({ data, errors }).toEqual({ data: { _entities: [null] }, errors: undefined });
});

it('a representation may have its ids in upper case', async () => {
  const upper = id.toUpperCase();
  const user = await platform.graph(
    'identity',
    QUERY,
    { of: [{ __typename: 'User', id: upper }] },
    { token },
  );
  expect([user.data, user.errors]).toEqual([{ _entities: [{ id }] }, undefined]);

  const gymId = DEMO_GYMS.ironTemple.id;
  const [location] = await platform.sql<{ id: string }>('gym', 'select id from location where gym_id = $1', [
    gymId,
  ]);
  const ofGym = await platform.graph(
    'gym',
    `query ($of: [_Any!]!) {
      _entities(representations: $of) { ... on Gym { id } ... on Location { id } ... on User { gym { id } } }
    }`,
    {
      of: [
        { __typename: 'Gym', id: gymId.toUpperCase() },
        { __typename: 'Location', id: location?.id.toUpperCase() },
        { __typename: 'User', id: upper, gymId: gymId.toUpperCase() },
      ],
    },
    { token: await platform.serviceToken('identity') },
  );
  expect([ofGym.data, ofGym.errors]).toEqual([
    { _entities: [{ id: gymId }, { id: location?.id }, { gym: { id: gymId } }] },
    undefined,
  ]);
});

it('a service accepts only POST for the graph', async () => {
  const answer = await platform.rest('identity', 'GET', '/graphql?query=%7B__typename%7D');
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
});
