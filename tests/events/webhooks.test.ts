import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Scope } from '#server/auth/scopes.ts';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver, type Answering, type Receiver } from '../support/receiver.ts';
import { checkIn, checkOut, newLocation, newMember } from '../gym/support.ts';
import { clientToken } from './support.ts';

const gymId = DEMO_GYMS.ironTemple.id;

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const receivers: Receiver[] = [];
afterEach(async () => {
  await platform.sql('gym', 'delete from webhook', []);
  await Promise.all(receivers.splice(0).map((one) => one.stop()));
});
async function receiver(answering?: Answering): Promise<Receiver> {
  const started = await startReceiver(answering);
  receivers.push(started);
  return started;
}

const call = (method: string, at: string, body?: object, token = staff) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });

interface Created {
  id: string;
  secret: string;
}
async function webhook(url: string, more: object = {}, token = staff): Promise<Created> {
  const { status, body } = await call(
    'POST',
    '/webhooks',
    { url, types: ['check_in.opened'], ...more },
    token,
  );
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as Created;
}

/** Checks a new member in, and returns the visit's id. */
async function visit(locationId?: string): Promise<string> {
  const member = await newMember(platform);
  const at = locationId ?? (await newLocation(platform, staff));
  const { body } = await checkIn(platform, member.token, { qrCode: member.qrCode, locationId: at });
  return body.id as string;
}

const got = (to: Receiver, count: number) =>
  eventually(async () => to.requests.length >= count && to.requests);

const deliveriesOf = async (id: string) =>
  (await call('GET', `/webhooks/${id}/deliveries?limit=200`)).body as {
    id: string;
    eventId: string;
    status: string;
    nextAttemptAt: string | null;
    attempts: { statusCode: number | null; answer: string | null; error: string | null }[];
  }[];

describe('a webhook', () => {
  it('receives the event as in the feed, signed by the Standard Webhooks specification', async () => {
    const to = await receiver((_request, response) => response.writeHead(200).end('x'.repeat(5_000)));
    const { id, secret } = await webhook(to.url, { description: 'CRM' });
    const visitId = await visit();
    const [request] = await got(to, 1);
    expect(request?.event).toMatchObject({ type: 'check_in.opened', subject: `check-in/${visitId}` });
    const feed = await platform.rest('gym', 'GET', '/events?types=check_in.opened&limit=200', {
      token: staff,
    });
    expect(feed.body.events).toContainEqual(request?.event);
    expect(new Verifier(secret).verify(request?.body ?? '', request?.headers ?? {})).toEqual(request?.event);
    expect(request?.headers['webhook-id']).toBe(request?.event.id);
    const [delivery] = await eventually(async () => {
      const list = await deliveriesOf(id);
      return list[0]?.status === 'DELIVERED' && list;
    });
    expect(delivery).toEqual({
      id: expect.any(String),
      eventId: request?.event.id,
      type: 'check_in.opened',
      status: 'DELIVERED',
      attempts: [
        {
          at: expect.any(String),
          statusCode: 200,
          durationMillis: expect.any(Number),
          answer: 'x'.repeat(1_024),
          error: null,
        },
      ],
      nextAttemptAt: null,
    });
  });

  it('shows its secret only when it is created and rotated, and signs with both for a day', async () => {
    const to = await receiver();
    const { id, secret } = await webhook(to.url);
    const rotated = (await call('POST', `/webhooks/${id}/rotate-secret`)).body as Created;
    expect(rotated.secret).toMatch(/^whsec_/);
    for (const at of ['/webhooks', `/webhooks/${id}`])
      expect(JSON.stringify((await call('GET', at)).body)).not.toContain('whsec');
    await visit();
    const [request] = await got(to, 1);
    for (const one of [secret, rotated.secret])
      expect(new Verifier(one).verify(request?.body ?? '', request?.headers ?? {})).toEqual(request?.event);
    await platform.sql('gym', `update webhook set previous_until = now() - interval '1 s'`, []);
    await visit();
    const [, later] = await got(to, 2);
    expect(() => new Verifier(secret).verify(later?.body ?? '', later?.headers ?? {})).toThrow(
      'No matching signature found',
    );
    expect(new Verifier(rotated.secret).verify(later?.body ?? '', later?.headers ?? {})).toEqual(
      later?.event,
    );
  });

  it('is tested by a webhook.test, also while it is switched off', async () => {
    const to = await receiver();
    const { id } = await webhook(to.url);
    await call('PUT', `/webhooks/${id}`, { active: false });
    expect((await call('POST', `/webhooks/${id}/test`)).status).toBe(202);
    const [request] = await got(to, 1);
    expect(request?.event).toMatchObject({ type: 'webhook.test', gymId, data: { webhookId: id } });
  });

  it('gets only its types and its gym, from its creation on', async () => {
    await visit();
    const to = await receiver();
    const all = await receiver();
    await webhook(to.url, { types: ['check_in.closed', 'member.joined'] });
    await webhook(all.url, { types: ['check_in.opened'], gymId: null }, superAdmin);
    const aqua = await platform.register(DEMO_GYMS.aquaClub.id);
    const member = await newMember(platform);
    await checkIn(platform, member.token, {
      qrCode: member.qrCode,
      locationId: await newLocation(platform, staff),
    });
    await checkOut(platform, member.token);
    await eventually(async () => to.requests.some(({ event }) => event.type === 'check_in.closed'));
    await eventually(async () => to.requests.some(({ event }) => event.subject === `member/${member.id}`));
    await got(all, 1);
    const about = to.requests.filter(({ event }) => [event.data.id, event.data.userId].includes(member.id));
    expect(about.map(({ event }) => event.type).toSorted()).toEqual(['check_in.closed', 'member.joined']);
    expect(to.requests.some(({ event }) => event.data.id === aqua.id)).toBe(false);
    expect(all.requests).toHaveLength(1);
  });

  it('is managed in the same way by the graph', async () => {
    const to = await receiver();
    const run = async (query: string, variables: object) => {
      const { data, errors } = await platform.graph('gym', query, variables, { token: staff });
      expect(errors).toBeUndefined();
      return data;
    };
    const { createWebhook } = await run(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret types active version } }',
      { input: { url: to.url, types: ['check_in.opened'] } },
    );
    expect(createWebhook).toMatchObject({ types: ['check_in.opened'], active: true, version: 1 });
    const { id } = createWebhook;
    await run('mutation ($id: ID!) { testWebhook(input: { id: $id }) { id status type } }', { id });
    await got(to, 1);
    const { webhook: one, webhooks } = await run(
      'query ($id: ID!) { webhook(id: $id) { url deliveries(first: 3) { nodes { id type attempts { statusCode } } } } webhooks { nodes { id } } }',
      { id },
    );
    expect(webhooks.nodes).toEqual([{ id }]);
    const [delivery] = one.deliveries.nodes;
    await run(
      'mutation ($id: ID!, $delivery: ID!) { replayDelivery(input: { webhookId: $id, deliveryId: $delivery }) { status } }',
      { id, delivery: delivery.id },
    );
    await got(to, 2);
    const { updateWebhook, rotateWebhookSecret, replayWebhook, deleteWebhook } = await run(
      `mutation ($id: ID!, $from: DateTime!, $to: DateTime!) {
        updateWebhook(input: { id: $id, description: "Kiosk", version: 1 }) { description version }
        rotateWebhookSecret(input: { id: $id }) { secret }
        replayWebhook(input: { id: $id, from: $from, to: $to })
        deleteWebhook(input: { id: $id })
      }`,
      { id, from: new Date(Date.now() - 60_000).toISOString(), to: new Date().toISOString() },
    );
    expect([updateWebhook, deleteWebhook]).toEqual([{ description: 'Kiosk', version: 2 }, true]);
    expect(rotateWebhookSecret.secret).not.toBe(createWebhook.secret);
    expect(replayWebhook).toEqual(expect.any(Number));
  });

  it.each([
    [{ types: [] }, 'types'],
    [{ types: ['check_in.exploded'] }, 'types.0'],
    [{ types: ['check_in.opened', 'check_in.opened'] }, 'types'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'example.com' }, 'url'],
    [{ url: 'https://user:secret@example.com/' }, 'url'],
    [{ url: 'https://example.com/#part' }, 'url'],
  ])('is refused with %j', async (more, field) => {
    const input = { url: 'https://example.com/', types: ['check_in.opened'], ...more };
    const { status, body } = await call('POST', '/webhooks', input);
    expect(status).toBe(400);
    expect(body.errors).toContainEqual(expect.objectContaining({ path: field }));
    const { id } = await webhook('https://example.com/');
    expect((await call('PUT', `/webhooks/${id}`, more)).status).toBe(400);
  });

  it('is one of at most 20 of its gym', async () => {
    const input = { url: 'https://example.com/', types: ['check_in.opened'] };
    const tries = await Promise.all(Array.from({ length: 23 }, () => call('POST', '/webhooks', input)));
    expect(tries.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(tries.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  it('has a version, which a write may expect', async () => {
    const { id } = await webhook('https://example.com/');
    expect((await call('PUT', `/webhooks/${id}`, { active: false, version: 1 })).body).toMatchObject({
      active: false,
      version: 2,
    });
    expect((await call('PUT', `/webhooks/${id}`, { active: true, version: 1 })).status).toBe(412);
  });
});

describe('the callers of webhooks', () => {
  const client = (scopes: readonly Scope[], more: { gymId?: string; locationId?: string } = {}) =>
    clientToken(platform, ['webhooks', ...scopes], more);

  it('are staff of the gym and SUPER_ADMINs', async () => {
    const { id } = await webhook('https://example.com/');
    const input = { url: 'https://example.com/', types: ['check_in.opened'] };
    for (const email of ['maya@iron.test', 'admin@aqua.test'] as const) {
      const token = await platform.demo(email);
      expect([403, 404]).toContain((await call('GET', `/webhooks/${id}`, undefined, token)).status);
      expect([403, 404]).toContain((await call('DELETE', `/webhooks/${id}`, undefined, token)).status);
      expect((await call('POST', '/webhooks', { ...input, gymId }, token)).status).toBe(403);
    }
    expect((await call('POST', '/webhooks', { ...input, gymId: null })).status).toBe(403);
    expect((await call('POST', '/webhooks', input, superAdmin)).body.code).toBe('GYM_REQUIRED');
    const global = await webhook('https://example.com/', { gymId: null }, superAdmin);
    expect((await call('GET', `/webhooks/${global.id}`)).status).toBe(404);
    expect((await call('GET', '/webhooks', undefined, superAdmin)).body).toHaveLength(2);
    expect((await call('GET', '/webhooks')).body).toHaveLength(1);
  });

  it('that are machine clients manage those webhooks of which they may read all events', async () => {
    const visits = await client(['visits:read']);
    const ofMembers = await webhook('https://example.com/', { types: ['member.joined', 'check_in.opened'] });
    const refused = await call(
      'POST',
      '/webhooks',
      { url: 'https://example.com/', types: ['member.joined'] },
      visits,
    );
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain('members:read');
    const own = await webhook('https://example.com/', {}, visits);
    expect((await call('GET', '/webhooks', undefined, visits)).body).toMatchObject([{ id: own.id }]);
    for (const [method, at] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
    ])
      expect(
        (
          await call(
            method as string,
            `/webhooks/${ofMembers.id}${at}`,
            method === 'PUT' ? { url: 'https://evil.example/' } : undefined,
            visits,
          )
        ).status,
      ).toBe(404);
    expect((await call('PUT', `/webhooks/${own.id}`, { types: ['member.joined'] }, visits)).status).toBe(403);
    const elsewhere = await client(['visits:read'], { gymId: DEMO_GYMS.aquaClub.id });
    expect((await call('GET', `/webhooks/${own.id}`, undefined, elsewhere)).status).toBe(404);
  });

  it('that are machine clients of one location get only its events', async () => {
    const here = await newLocation(platform, staff);
    const token = await client(['visits:read'], { locationId: here });
    const to = await receiver();
    await webhook(to.url, {}, token);
    await visit(demoId('301', 2));
    const last = await visit(here);
    const requests = await got(to, 1);
    expect(requests.map(({ event }) => event.data.id)).toEqual([last]);
  });
});

describe('an event that is not received', () => {
  it('is sent again by the schedule, and is the same with a new timestamp', async () => {
    let failures = 1;
    const to = await receiver((_request, response) =>
      response.writeHead((failures -= 1) >= 0 ? 500 : 204).end('no'),
    );
    const { id, secret } = await webhook(to.url);
    await visit();
    await got(to, 1);
    const [waiting] = await eventually(async () => {
      const list = await deliveriesOf(id);
      return list[0]?.attempts.length === 1 && list;
    });
    expect(waiting).toMatchObject({
      status: 'PENDING',
      attempts: [{ statusCode: 500, answer: 'no', error: 'answered 500' }],
    });
    const pause = Date.parse(waiting?.nextAttemptAt ?? '') - Date.now();
    expect(pause).toBeGreaterThan(2_000);
    expect(pause).toBeLessThan(6_500);
    const [first, second] = await got(to, 2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(4_900);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(new Verifier(secret).verify(second?.body ?? '', second?.headers ?? {})).toEqual(first?.event);
  });

  it('waits as long as Retry-After says, and ends after the last attempt of the schedule', async () => {
    const to = await receiver((_request, response) =>
      response.writeHead(429, { 'retry-after': '1000' }).end(),
    );
    const { id } = await webhook(to.url);
    await visit();
    const attempted = (count: number) =>
      eventually(async () => {
        const [delivery] = await deliveriesOf(id);
        return delivery?.attempts.length === count && delivery;
      });
    const waiting = await attempted(1);
    const pause = Date.parse(waiting.nextAttemptAt ?? '') - Date.now();
    expect(pause).toBeGreaterThan(900_000);
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      await platform.sql('gym', 'update webhook_delivery set next_attempt_at = now()', []);
      await attempted(attempt);
    }
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
  });

  it('holds back the later events of its subject, and no others', async () => {
    const failing = new Set<string>();
    const to = await receiver((request, response) =>
      response.writeHead(failing.has(request.event.subject) ? 500 : 204).end(),
    );
    await webhook(to.url, { types: ['check_in.opened', 'check_in.closed'] });
    const locationId = await newLocation(platform, staff);
    const member = await newMember(platform);
    const enter = async () =>
      (await checkIn(platform, member.token, { qrCode: member.qrCode, locationId })).body.id as string;
    await platform.sql('gym', 'update webhook set active = false', []);
    const held = await enter();
    failing.add(`check-in/${held}`);
    await platform.sql('gym', 'update webhook set active = true', []);
    const first = await newMember(platform);
    await checkIn(platform, first.token, { qrCode: first.qrCode, locationId });
    await checkOut(platform, first.token);
    const next = await newMember(platform);
    const blocked = (await checkIn(platform, next.token, { qrCode: next.qrCode, locationId })).body
      .id as string;
    failing.add(`check-in/${blocked}`);
    await checkOut(platform, next.token);
    const other = await visit(locationId);
    await eventually(async () => to.requests.some(({ event }) => event.data.id === other));
    const typesOf = (id: string) =>
      to.requests.filter(({ event }) => event.data.id === id).map(({ event }) => event.type);
    expect(new Set(typesOf(blocked))).toEqual(new Set(['check_in.opened']));
    failing.clear();
    await platform.sql(
      'gym',
      "update webhook_delivery set next_attempt_at = now() where status = 'PENDING'",
      [],
    );
    await eventually(async () => typesOf(blocked).includes('check_in.closed'));
    expect(typesOf(blocked).at(-1)).toBe('check_in.closed');
  });

  it('is a redirect, which is not followed', async () => {
    const trap = await receiver();
    const to = await receiver((_request, response) => response.writeHead(307, { location: trap.url }).end());
    const { id } = await webhook(to.url);
    await visit();
    const [delivery] = await eventually(async () => {
      const list = await deliveriesOf(id);
      return list[0]?.attempts.length === 1 && list;
    });
    expect(delivery?.attempts[0]?.error).toContain('redirects are not followed');
    expect(trap.requests).toEqual([]);
  });

  it('does not delay other receivers if its receiver hangs', async () => {
    const hanging = await receiver(() => undefined);
    const trickling = await receiver((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 200);
      response.once('close', () => clearInterval(drip));
    });
    const to = await receiver();
    const ids = [await webhook(hanging.url), await webhook(trickling.url)].map(({ id }) => id);
    await webhook(to.url);
    const locationId = await newLocation(platform, staff, { capacity: 100 });
    const started = Date.now();
    await Promise.all(Array.from({ length: 8 }, () => visit(locationId)));
    await got(to, 8);
    expect(Date.now() - started).toBeLessThan(8_000);
    expect(hanging.requests.length).toBeLessThanOrEqual(4);
    for (const id of ids) {
      const attempt = await eventually(async () => {
        const list = await deliveriesOf(id);
        return list.flatMap(({ attempts }) => attempts)[0];
      });
      expect(attempt).toMatchObject({ statusCode: null, error: 'no complete answer within 10 s' });
    }
  });

  it('switches the webhook off after 3 days, with a mail; switched on again, it gets what waits', async () => {
    let isBroken = true;
    const to = await receiver((_request, response) => response.writeHead(isBroken ? 503 : 204).end());
    const { id } = await webhook(to.url);
    await visit();
    await got(to, 1);
    await eventually(async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
    expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ active: true, disabledReason: null });
    await platform.sql('gym', `update webhook set failing_since = now() - interval '3 days'`, []);
    await platform.sql('gym', 'update webhook_delivery set next_attempt_at = now()', []);
    const off = await eventually(async () => {
      const { body } = await call('GET', `/webhooks/${id}`);
      return !body.active && body;
    });
    expect(off.disabledReason).toContain('3 days');
    const outbox = path.join(platform.dataDir, 'outbox');
    await eventually(async () => {
      const names = await readdir(outbox).catch(() => []);
      const mails = await Promise.all(names.map((name) => readFile(path.join(outbox, name), 'utf8')));
      return mails.some((mail) => mail.includes('admin@iron.test') && mail.includes('webhook'));
    });
    isBroken = false;
    await call('PUT', `/webhooks/${id}`, { active: true });
    await platform.sql('gym', 'update webhook_delivery set next_attempt_at = now()', []);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
    expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ active: true, disabledReason: null });
  });

  it('switches the webhook off at once if the receiver answers 410', async () => {
    const to = await receiver((_request, response) => response.writeHead(410).end());
    const { id } = await webhook(to.url);
    await visit();
    const off = await eventually(async () => {
      const { body } = await call('GET', `/webhooks/${id}`);
      return !body.active && body;
    });
    expect(off.disabledReason).toContain('410');
    expect(
      (
        await call('POST', `/webhooks/${id}/replay`, {
          from: '2026-11-01T00:00:00Z',
          to: '2026-11-02T00:00:00Z',
        })
      ).status,
    ).toBe(409);
  });
});

describe('a replay', () => {
  it('sends one event, or those of a time, with the same ids', async () => {
    const to = await receiver();
    const from = new Date().toISOString();
    const { id } = await webhook(to.url);
    await visit();
    await visit();
    await got(to, 2);
    await eventually(async () => (await deliveriesOf(id)).every(({ status }) => status === 'DELIVERED'));
    const ids = to.requests.map(({ event }) => event.id);
    const [latest] = await deliveriesOf(id);
    expect((await call('POST', `/webhooks/${id}/deliveries/${latest?.id}/replay`)).status).toBe(202);
    await got(to, 3);
    expect(to.requests[2]?.event.id).toBe(latest?.eventId);
    await eventually(async () => (await deliveriesOf(id)).every(({ status }) => status === 'DELIVERED'));
    const range = await call('POST', `/webhooks/${id}/replay`, { from, to: new Date().toISOString() });
    expect([range.status, range.body]).toEqual([202, { deliveries: 2 }]);
    await got(to, 5);
    expect(
      to.requests
        .slice(3)
        .map(({ event }) => event.id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(await deliveriesOf(id)).toHaveLength(2);
  });

  it.each([
    [{ from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' }, 400],
    [{ from: '2026-10-01T00:00:00Z', to: '2026-11-01T00:00:01Z' }, 400],
    [{ from: 'yesterday', to: '2026-11-01T00:00:01Z' }, 400],
    [{ from: '2026-10-20T00:00:00Z' }, 400],
  ])('of %j is %i', async (range, status) => {
    const { id } = await webhook('https://example.com/');
    expect((await call('POST', `/webhooks/${id}/replay`, range)).status).toBe(status);
  });
});

describe('after a process was killed', () => {
  it('an event whose result was not written is sent again, and none is lost', async () => {
    const to = await receiver(() => undefined);
    const { id } = await webhook(to.url);
    await visit();
    await got(to, 1);
    // The state that a kill leaves: the delivery is claimed, and nobody writes its result.
    await platform.sql(
      'gym',
      `update webhook_delivery set claim = gen_random_uuid(), claimed_until = now() + interval '1 s'`,
      [],
    );
    to.answering = undefined;
    await got(to, 2);
    expect(to.requests[1]?.event).toEqual(to.requests[0]?.event);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
  });

  it('several replicas send each event once', async () => {
    const replica = await platform.replica('gym');
    const to = await receiver(
      (_request, response) => void setTimeout(() => response.writeHead(204).end(), 50),
    );
    await webhook(to.url);
    const locationId = await newLocation(platform, staff, { capacity: 100 });
    const ids = await Promise.all(Array.from({ length: 12 }, () => visit(locationId)));
    await got(to, 12);
    await replica.stop();
    expect(to.requests.map(({ event }) => event.subject).toSorted()).toEqual(
      ids.map((id) => `check-in/${id}`).toSorted(),
    );
  });
});

describe('the account of a member', () => {
  it('is erased from the answers of receivers, too', async () => {
    const to = await receiver((request, response) => response.writeHead(200).end(request.body));
    const { id } = await webhook(to.url, { types: ['member.joined'] });
    const member = await platform.register();
    const isOf = async () =>
      (await deliveriesOf(id)).find(({ attempts }) => attempts[0]?.answer?.includes(member.id));
    await eventually(isOf);
    await platform.rest('identity', 'DELETE', '/users/me', {
      token: member.token,
      body: { password: member.password },
    });
    await eventually(async () => !(await isOf()));
    expect(JSON.stringify((await deliveriesOf(id)).map(({ attempts }) => attempts))).not.toContain(member.id);
  });
});
