import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnySubgraph } from '#server/define-subgraph.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let token: string;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
  token = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const CHANGES: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

const routesOf = async (service: ServiceName) => {
  const module = (await import(`../../subgraphs/${service}/subgraph.ts`)) as Record<string, AnySubgraph>;
  return (module[service]?.rest ?? []).filter(({ method }) => CHANGES.has(method));
};
const pathOf = (path: string): string => path.replace(/:\w+/g, () => randomUUID());
const fieldsOf = ({ body }: { body?: { errors?: { path: string }[] } }): string[] =>
  (body?.errors ?? []).map(({ path }) => path);

describe.each(SERVICE_NAMES)('every PUT, PATCH and DELETE of %s', (service) => {
  it('either supports If-Match or refuses it, so that no client relies on a check that is not made', async () => {
    const routes = await routesOf(service);
    expect(routes.length).toBeGreaterThan(0);
    for (const { method, path, versioned } of routes) {
      const answer = await platform.rest(service, method, pathOf(path), {
        token,
        headers: { 'if-match': '"1"' },
      });
      const refused = answer.status === 400 && fieldsOf(answer).includes('If-Match');
      expect({ route: `${method} ${path}`, refused }).toEqual({
        route: `${method} ${path}`,
        refused: !versioned,
      });
    }
  });

  it('accepts "*", which only requires that the resource exists', async () => {
    for (const { method, path } of await routesOf(service)) {
      if (path === '/users/me') continue; // this request would delete the account that the tests use
      const answer = await platform.rest(service, method, pathOf(path), {
        token,
        headers: { 'if-match': '*' },
      });
      expect({ route: `${method} ${path}`, fields: fieldsOf(answer) }).not.toMatchObject({
        fields: expect.arrayContaining(['If-Match']),
      });
    }
  });
});
