import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'gym'],
    gateway: true,
    env: { INTROSPECTION: 'admins' },
  });
});
afterAll(() => platform.stop());

it.each(['gym', 'gateway'] as const)(
  'the schema of %s is told to admins alone, however it is asked for',
  async (service) => {
    const admin = await platform.demo('admin@iron.test');
    const member = await platform.demo('maya@iron.test');
    for (const query of [
      '{ __schema { queryType { name } } }',
      '{ ... { __type(name: "Gym") { name } } }',
      '{ ...F } fragment F on Query { ... on Query { x: __schema { queryType { name } } } }',
    ]) {
      expect(await platform.graph(service, query, {}, { token: member })).toMatchObject({
        status: 403,
        errors: [{ extensions: { code: 'FORBIDDEN' } }],
      });
      expect(await platform.graph(service, query)).toMatchObject({ status: 403 });
      expect((await platform.graph(service, query, {}, { token: admin })).errors).toBeUndefined();
    }
    expect((await platform.graph(service, '{ gyms { __typename } }')).errors).toBeUndefined();
  },
);
