import { describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Scope } from '#server/auth/scopes.ts';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { checkIn, checkOut, newLocation, newMember } from '../gym/support.ts';
import { clientToken } from './support.ts';
import { WebhookTests } from './webhook-tests.ts';

const gymId = DEMO_GYMS.ironTemple.id;

const tests = new WebhookTests();
const { receiver, call, webhook, visit, got, deliveriesOf } = tests;

describe('a webhook', () => {
  it('receives the event as in the feed, signed by the Standard Webhooks specification', async () => {
    const to = await receiver((_request, response) => response.writeHead(200).end('x'.repeat(5_000)));
    const { id, secret } = await webhook(to.url, { description: 'CRM' });
    const visitId = await visit();
    const [request] = await got(to, 1);
    expect(request?.event).toMatchObject({ type: 'check_in.opened', subject: `check-in/${visitId}` });
    const feed = await tests.platform.rest('gym', 'GET', '/events?types=check_in.opened&limit=200', {
      token: tests.staff,
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

  it('shows its secret only when it is created and rotated, and signs with both secrets until the first one expires', async () => {
    const to = await receiver();
    const { id, secret } = await webhook(to.url);
    const rotated = (await call('POST', `/webhooks/${id}/rotate-secret`)).body as { secret: string };
    expect(rotated.secret).toMatch(/^whsec_/);
    for (const at of ['/webhooks', `/webhooks/${id}`])
      expect(JSON.stringify((await call('GET', at)).body)).not.toContain('whsec');
    await visit();
    const [request] = await got(to, 1);
    for (const one of [secret, rotated.secret])
      expect(new Verifier(one).verify(request?.body ?? '', request?.headers ?? {})).toEqual(request?.event);
    await tests.platform.sql('gym', `update webhook set previous_until = now() - interval '1 s'`, []);
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
    await webhook(all.url, { types: ['check_in.opened'], gymId: null }, tests.superAdmin);
    const aqua = await tests.platform.register(DEMO_GYMS.aquaClub.id);
    const member = await newMember(tests.platform);
    await checkIn(tests.platform, member.token, {
      qrCode: member.qrCode,
      locationId: await newLocation(tests.platform, tests.staff),
    });
    await checkOut(tests.platform, member.token);
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
      const { data, errors } = await tests.platform.graph('gym', query, variables, { token: tests.staff });
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
    clientToken(tests.platform, ['webhooks', ...scopes], more);

  it('are staff of the gym and SUPER_ADMINs', async () => {
    const { id } = await webhook('https://example.com/');
    const input = { url: 'https://example.com/', types: ['check_in.opened'] };
    for (const email of ['maya@iron.test', 'admin@aqua.test'] as const) {
      const token = await tests.platform.demo(email);
      expect([403, 404]).toContain((await call('GET', `/webhooks/${id}`, undefined, token)).status);
      expect([403, 404]).toContain((await call('DELETE', `/webhooks/${id}`, undefined, token)).status);
      expect((await call('POST', '/webhooks', { ...input, gymId }, token)).status).toBe(403);
    }
    expect((await call('POST', '/webhooks', { ...input, gymId: null })).status).toBe(403);
    expect((await call('POST', '/webhooks', input, tests.superAdmin)).body.code).toBe('GYM_REQUIRED');
    const global = await webhook('https://example.com/', { gymId: null }, tests.superAdmin);
    expect((await call('GET', `/webhooks/${global.id}`)).status).toBe(404);
    expect((await call('GET', '/webhooks', undefined, tests.superAdmin)).body).toHaveLength(2);
    expect((await call('GET', '/webhooks')).body).toHaveLength(1);
  });

  it('that are machine clients manage only webhooks whose types they may all read', async () => {
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
    const here = await newLocation(tests.platform, tests.staff);
    const token = await client(['visits:read'], { locationId: here });
    const to = await receiver();
    await webhook(to.url, {}, token);
    await visit(demoId('301', 2));
    const last = await visit(here);
    const requests = await got(to, 1);
    expect(requests.map(({ event }) => event.data.id)).toEqual([last]);
  });
});
