import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
beforeAll(async () => {
  // Keyed requests get half of the pool.
  platform = await startPlatform({
    services: ['identity', 'gym', 'nutrition', 'content'],
    gateway: true,
    env: { DATABASE_POOL_MAX: '4' },
  });
});
afterAll(() => platform.stop());

type Service = 'identity' | 'nutrition' | 'content' | 'gateway';

/** Begins a request whose body the test sends. */
function begin(service: Service, path: string, token: string, key: string): http.ClientRequest {
  const { hostname, port } = new URL(platform.url(service));
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'text/csv',
    'idempotency-key': key,
  };
  const request = http.request({ hostname, port, path, method: 'POST', headers, agent: false });
  return request.on('error', () => undefined);
}

async function answerTo(request: http.ClientRequest) {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

const sent = (service: Service, path: string, options: { token: string; key: string; body: string }) => {
  const request = begin(service, path, options.token, options.key);
  request.end(options.body);
  return answerTo(request);
};

const foods = (name: string) => `foodName,calories,loggedAt\n${name},100,2026-03-02T08:00:00Z\n`;
const users = () => `email,displayName\n${randomUUID()}@example.test,Ana\n`;
const trainings = (name: string) =>
  `Date,Workout Name,Exercise Name,Set Order,Weight,Reps\n2026-03-02 08:00:00,${name},Squat,1,100,5\n`;

it('keyed uploads that arrive slowly do not keep other keyed requests waiting', async () => {
  const { token } = await platform.register();
  const slow = Array.from({ length: 3 }, () => begin('nutrition', '/log/import', token, randomUUID()));
  for (const request of slow) request.write(foods('slow'));
  // The three have arrived at the service once it answers a request that was sent later.
  await platform.rest('nutrition', 'GET', '/log', { token });
  const startedAt = performance.now();
  const { status } = await platform.rest('nutrition', 'POST', '/log', {
    token,
    headers: { 'Idempotency-Key': randomUUID() },
    body: { foodName: 'Apple', calories: 80 },
  });
  expect(status).toBe(201);
  expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(5_000));
  for (const request of slow) request.end(foods('slow').split('\n')[1]);
  for (const answer of await Promise.all(slow.map(answerTo)))
    expect(answer).toMatchObject({ status: 200, body: { status: 'DONE' } });
});

it.each([
  ['nutrition', '/log/import', foods('Rice'), foods('Beans')],
  ['content', '/trainings/import', trainings('Monday'), trainings('Tuesday')],
  ['identity', '/users/import', users(), users()],
] as const)('at %s, a key is for one file: %s', async (service, path, file, other) => {
  const token =
    service === 'identity' ? await platform.demo('admin@iron.test') : (await platform.register()).token;
  const key = randomUUID();
  const first = await sent(service, path, { token, key, body: file });
  expect([200, 201, 202]).toContain(first.status);
  const again = await sent(service, path, { token, key, body: file });
  expect(again).toMatchObject({ status: first.status, body: first.body });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await sent(service, path, { token, key, body: other })).toMatchObject({
    status: 409,
    body: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

it('the Location of a keyed request is under the prefix of the gateway, also in the repeated answer', async () => {
  const [token, key, body] = [await platform.demo('admin@iron.test'), randomUUID(), users()];
  for (let time = 0; time < 2; time += 1) {
    const { headers } = await sent('gateway', '/identity/users/import', { token, key, body });
    expect(headers.location).toMatch(/^\/identity\/users\/imports?\//);
    const { status } = await platform.rest('gateway', 'GET', headers.location ?? '', { token });
    expect(status).toBe(200);
  }
});
