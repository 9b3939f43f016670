import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { newLocation } from '../gym/support.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, call, webhook, visit, got, deliveriesOf } = tests;

describe('a replay', () => {
  it('sends one event, or those of a range of time, with the same ids', async () => {
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
  ])('of %j is answered with %i', async (range, status) => {
    const { id } = await webhook('https://example.com/');
    expect((await call('POST', `/webhooks/${id}/replay`, range)).status).toBe(status);
  });
});

describe('after a process was killed', () => {
  it('an event whose result was not written is sent again', async () => {
    const to = await receiver(() => undefined);
    const { id } = await webhook(to.url);
    await visit();
    await got(to, 1);
    // The state that a kill leaves: the delivery is claimed, and nobody writes its result.
    await tests.platform.sql(
      'gym',
      `update webhook_delivery set claim = gen_random_uuid(), claimed_until = now() + interval '1 s'`,
      [],
    );
    to.answering = undefined;
    await runScheduled(tests.platform, 'gym', 'send_webhooks'); // as at the next start
    await got(to, 2);
    expect(to.requests[1]?.event).toEqual(to.requests[0]?.event);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
  });
});

describe('several replicas', () => {
  it('send each event once', async () => {
    const replica = await tests.platform.replica('gym');
    const to = await receiver(
      (_request, response) => void setTimeout(() => response.writeHead(204).end(), 50),
    );
    await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    const ids = await Promise.all(Array.from({ length: 12 }, () => visit(locationId)));
    await got(to, 12);
    await replica.stop();
    expect(to.requests.map(({ event }) => event.subject).toSorted()).toEqual(
      ids.map((id) => `check-in/${id}`).toSorted(),
    );
  });
});

describe('a stop', () => {
  it('waits for the answer of a receiver, so that the event is not sent again', async () => {
    const to = await receiver(
      (_request, response) => void setTimeout(() => response.writeHead(204).end(), 300),
    );
    const { id } = await webhook(to.url);
    await visit();
    await got(to, 1);
    await tests.platform.running('gym').stop();
    await tests.platform.restart('gym');
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
    expect(to.requests).toHaveLength(1);
  });
});

describe('the account of a member', () => {
  it('is erased from the stored answers of receivers, too', async () => {
    const to = await receiver((request, response) => response.writeHead(200).end(request.body));
    const { id } = await webhook(to.url, { types: ['member.joined'] });
    const member = await tests.platform.register();
    const isOf = async () =>
      (await deliveriesOf(id)).find(({ attempts }) => attempts[0]?.answer?.includes(member.id));
    await eventually(isOf);
    await tests.platform.rest('identity', 'DELETE', '/users/me', {
      token: member.token,
      body: { password: member.password },
    });
    await eventually(async () => !(await isOf()));
    expect(JSON.stringify((await deliveriesOf(id)).map(({ attempts }) => attempts))).not.toContain(member.id);
  });
});
