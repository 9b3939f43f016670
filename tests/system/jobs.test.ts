import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, gateway: true });
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

/** Squad has no database in this test. */
const withDatabase = SERVICE_NAMES.filter((name) => name !== 'squad');
const listOf = (service: ServiceName) => `${service}Jobs`;
const retryOf = (service: ServiceName) => `retry${service[0]!.toUpperCase()}${service.slice(1)}Job`;

/** Stores jobs that no worker takes, because no service declares their name. */
async function stored(service: ServiceName, count: number): Promise<string[]> {
  const rows = await platform.sql(
    service,
    `select id::text from generate_series(1, $1::int) as n, graphile_worker.add_job(
       'of_tests', json_build_object('secret', 'token-' || n, 'userId', gen_random_uuid()), max_attempts => 3
     )`,
    [count],
  );
  return rows.map(({ id }) => id as string);
}

describe.each(withDatabase)('the jobs of %s', (service) => {
  it('are listed page by page by REST and in the graph, and retried in the graph, through the gateway and without payloads', async () => {
    const [first, second, third] = await stored(service, 3);
    await platform.sql(
      service,
      `update graphile_worker._private_jobs set attempts = 3, last_error = 'no answer' where id = $1`,
      [second],
    );
    const rest = (query: string) =>
      platform.rest('gateway', 'GET', `/${service}/jobs?name=of_tests${query}`, { token: superAdmin });
    const page = await rest('&limit=2');
    expect(page.status).toBe(200);
    expect(page.body).toMatchObject([
      { id: third, status: 'PENDING', attempts: 0, error: null, payload: {} },
      { id: second, status: 'FAILED', attempts: 3, maxAttempts: 3, runAt: null, error: 'no answer' },
    ]);
    expect(page.headers.get('link')).toContain('rel="next"');
    expect((await rest('&failed=false')).body.map(({ id }: { id: string }) => id)).toEqual([third, first]);
    const graph = async (failed: boolean) =>
      platform.graph(
        'gateway',
        `query ($failed: Boolean) { ${listOf(service)}(failed: $failed, name: "of_tests", first: 1) {
           nodes { id name status attempts maxAttempts createdAt runAt error payload } pageInfo { hasNextPage endCursor } } }`,
        { failed },
        { token: superAdmin },
      );
    const { data, errors } = await graph(true);
    expect(errors).toBeUndefined();
    expect(data[listOf(service)]).toEqual({
      nodes: [page.body[1]],
      pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
    });
    expect(JSON.stringify([page.body, data])).not.toContain('token-');
    const retried = await platform.graph(
      'gateway',
      `mutation ($id: ID!) { ${retryOf(service)}(id: $id) { id status attempts } }`,
      { id: second },
      { token: superAdmin },
    );
    expect(retried.data[retryOf(service)]).toEqual({ id: second, status: 'PENDING', attempts: 0 });
    expect((await graph(true)).data[listOf(service)].nodes).toEqual([]);
  });

  it('can be neither read nor retried by anybody but a SUPER_ADMIN', async () => {
    const [id] = await stored(service, 1);
    for (const [token, status, code] of [
      [undefined, 401, 'UNAUTHENTICATED'],
      [await platform.demo('maya@iron.test'), 403, 'FORBIDDEN'],
      [await platform.demo('admin@iron.test'), 403, 'FORBIDDEN'],
      [await platform.serviceToken('wizard'), 403, 'FORBIDDEN'],
    ] as const) {
      const caller = token ? { token } : {};
      expect((await platform.rest(service, 'GET', '/jobs', caller)).status).toBe(status);
      expect((await platform.rest(service, 'POST', `/jobs/${id}/retry`, caller)).status).toBe(status);
      for (const operation of [
        `{ ${listOf(service)} { nodes { id } } }`,
        `mutation { ${retryOf(service)}(id: "${id}") { id } }`,
      ])
        expect((await platform.graph(service, operation, {}, caller)).errors).toMatchObject([
          { extensions: { code } },
        ]);
    }
  });

  it('are not found by another id, and a running one is not retried', async () => {
    const [id] = await stored(service, 1);
    await platform.sql(
      service,
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker' where id = $1`,
      [id],
    );
    const retry = async (of: string) => {
      const { status, body } = await platform.rest(service, 'POST', `/jobs/${of}/retry`, {
        token: superAdmin,
      });
      return [status, body.code];
    };
    expect(await retry(id!)).toEqual([409, 'CONFLICT']);
    for (const other of ['0', '1e3', '999999999999999999', '99999999999999999999', 'x', '%00'])
      expect((await retry(other))[0]).toBe(404);
    for (const query of ['?failed=1', '?name=A', '?limit=0', '?cursor=x', `?name=${'a'.repeat(100)}`])
      expect((await platform.rest(service, 'GET', `/jobs${query}`, { token: superAdmin })).status).toBe(400);
  });
});

it('a service without a database has no jobs', async () => {
  const { status, body } = await platform.rest('squad', 'GET', '/jobs', { token: superAdmin });
  expect({ status, body }).toEqual({ status: 200, body: [] });
  expect((await platform.rest('squad', 'POST', '/jobs/1/retry', { token: superAdmin })).status).toBe(404);
});
