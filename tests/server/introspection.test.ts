import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';

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
  'the schema of %s is readable only by admins, whatever the query',
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

it('the gateway hides the schema from others also if an admin has sent the same query before', async () => {
  const admin = await platform.demo('admin@iron.test');
  const member = await platform.demo('maya@iron.test');
  const query = 'query Known { __schema { types { name } } }';
  for (let i = 0; i < 3; i += 1) {
    expect((await platform.graph('gateway', query, {}, { token: admin })).data).toMatchObject({
      __schema: expect.anything(),
    });
    expect(await platform.graph('gateway', query)).toMatchObject({ status: 403 });
    const asMember = await platform.graph('gateway', query, {}, { token: member });
    expect(asMember).toMatchObject({ status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(asMember.data ?? null).toBeNull();
  }
  await expect(subscribe(platform.url('gateway'), query, {}, member).next()).rejects.toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ]);
});

it('a service returns its SDL only to admins and services, over HTTP and over its socket', async () => {
  const query = '{ _service { sdl } }';
  for (const token of [undefined, await platform.demo('maya@iron.test')]) {
    expect(await platform.graph('gym', query, {}, token ? { token } : {})).toMatchObject({
      status: 403,
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    for (const text of [query, '{ __schema { types { name } } }'])
      await expect(subscribe(platform.url('gym'), text, {}, token).next()).rejects.toMatchObject([
        { extensions: { code: 'FORBIDDEN' } },
      ]);
  }
  for (const token of [await platform.demo('admin@iron.test'), await platform.serviceToken('wizard')])
    expect((await platform.graph('gym', query, {}, { token })).data._service.sdl).toContain('type Gym');
});

it('a message suggests names only to callers who may read the schema', async () => {
  const token = await platform.demo('maya@iron.test');
  const admin = await platform.demo('admin@iron.test');
  const queries: [string, object][] = [
    ['{ gymss { name } }', {}],
    ['{ gyms { nam } }', {}],
    ['{ gym(idd: 1) { name } }', {}],
    ['{ gym }', {}],
    [
      'mutation ($i: CreateChallengeInput!) { createChallenge(input: $i) { id } }',
      { i: { titel: 'x', metric: 'CHECK_IN' } },
    ],
  ];
  for (const service of ['gateway', 'gym'] as const)
    for (const [query, variables] of queries) {
      const shown = await platform.graph(service, query, variables, { token });
      expect(shown.status).toBe(400);
      expect(JSON.stringify(shown)).not.toMatch(/Did you mean|challenges|"gyms"|"name"/);
      const shownToAdmin = await platform.graph(service, query, variables, { token: admin });
      expect(JSON.stringify(shownToAdmin)).toContain('Did you mean');
      const socketErrors = await subscribe(
        platform.url(service),
        query,
        variables as Record<string, unknown>,
        token,
      )
        .next()
        .catch((error: unknown) => error);
      expect(JSON.stringify(socketErrors)).not.toContain('Did you mean');
    }
});

it('an invalid variable of a subscription suggests names only to callers who may read the schema', async () => {
  const query =
    'subscription ($metric: NutritionMetric!) { onlineUsersUpdated { users { user { nutritionChart(metric: $metric) } } } }';
  const shown = async (account: 'admin@iron.test' | 'maya@iron.test'): Promise<string> => {
    const token = await platform.demo(account);
    const result = await subscribe(platform.url('gateway'), query, { metric: 'PROTEI' }, token)
      .next()
      .catch((error: unknown) => error);
    return JSON.stringify(result);
  };
  expect(await shown('admin@iron.test')).toContain('Did you mean');
  const shownToMember = await shown('maya@iron.test');
  expect(shownToMember).toContain('VALIDATION_FAILED');
  expect(shownToMember).not.toContain('Did you mean');
});
