import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalTypeFor } from '#server/graphql/media-types.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'], gateway: true });
});
afterAll(() => platform.stop());

const change = (displayName: string) =>
  `mutation { updateProfile(input: { displayName: "${displayName}" }) { displayName } }`;
const PREPARED = change('Prepared');

describe.each(['gateway', 'identity'] as const)('the graph of %s', (service) => {
  it.each(['text/csv', 'application/xml;q=0.9, image/png', 'application/json;q=0', 'text/html'])(
    'runs nothing for a client that accepts %s only',
    async (accept) => {
      const { token } = await platform.register();
      // This request prepares the operation: a prepared one must be refused like a new one.
      expect((await platform.graph(service, PREPARED, {}, { token })).data).toEqual({
        updateProfile: { displayName: 'Prepared' },
      });
      for (const query of [PREPARED, change(`New ${accept.slice(0, 4)}`)]) {
        const { status, errors, data } = await platform.graph(
          service,
          query,
          {},
          { token, headers: { accept } },
        );
        expect({ status, code: errors?.[0]?.extensions.code, data }).toEqual({
          status: 406,
          code: 'NOT_ACCEPTABLE',
          data: undefined,
        });
      }
      const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
      expect(body.displayName).toBe('Prepared');
    },
  );

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/graphql-response+json, application/json;q=0.9',
    'multipart/mixed;deferSpec=20220824, application/json',
    'text/csv, */*;q=0.1',
    'application/*',
  ])('answers a client that accepts %s', async (accept) => {
    const { status, data } = await platform.graph(service, '{ __typename }', {}, { headers: { accept } });
    expect({ status, data }).toEqual({ status: 200, data: { __typename: 'Query' } });
  });
});

it('a refusal with the status 503 is application/json, because Apollo Client then sends the operation again', () => {
  const accept = 'multipart/mixed;subscriptionSpec=1.0,application/graphql-response+json';
  expect(refusalTypeFor({ accept }, 503)).toMatch(/^application\/json/);
  expect(refusalTypeFor({ accept }, 400)).toMatch(/^application\/graphql-response\+json/);
});
