import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, call, webhook, visit, got, attempted, deliveriesOf, makeDue } = tests;

/** A delivery that has failed once, and whose last attempt by the schedule runs until `fail` is called. */
async function runningLastAttempt() {
  let hanging: ServerResponse | undefined;
  const from = new Date().toISOString();
  const to = await receiver((_request, response) => response.writeHead(500).end());
  const { id } = await webhook(to.url);
  await visit();
  const delivery = await attempted(id, 1);
  to.answering = (_request, response) => {
    if (hanging) response.writeHead(204).end();
    else hanging = response;
  };
  await tests.platform.sql('gym', 'update webhook_delivery set attempt_count = 9 where id = $1', [
    delivery.id,
  ]);
  await makeDue();
  await got(to, 2);
  return { id, to, from, delivery, fail: () => void hanging?.writeHead(500).end() };
}

describe('a replay while the last attempt runs', () => {
  it.each([
    [
      'of one event',
      (deliveryId: string, _from: string) => ({ at: `/deliveries/${deliveryId}/replay`, body: {} }),
    ],
    [
      'of a range of time',
      (_deliveryId: string, from: string) => ({
        at: '/replay',
        body: { from, to: new Date().toISOString() },
      }),
    ],
  ] as const)(
    '%s is not lost if this attempt fails: the event is sent again at once',
    async (_what, request) => {
      const { id, to, from, delivery, fail } = await runningLastAttempt();
      const { at, body } = request(delivery.id, from);
      expect((await call('POST', `/webhooks/${id}${at}`, body)).status).toBe(202);
      fail();
      const requests = await got(to, 3);
      expect(requests[2]?.event.id).toBe(delivery.eventId);
      await eventually(async () => (await deliveriesOf(id)).every(({ status }) => status === 'DELIVERED'));
    },
  );
});

describe('PUT /webhooks/:id with active: true', () => {
  const failingSince = async (): Promise<string | null> => {
    const [stored] = await tests.platform.sql('gym', 'select failing_since as since from webhook', []);
    return stored.since && stored.since.toISOString();
  };

  it('does not restart the 3 days after which a webhook that fails is switched off, unless it gets another URL', async () => {
    const to = await receiver((_request, response) => response.writeHead(500).end());
    const { id } = await webhook(to.url);
    await visit();
    await attempted(id, 1);
    const before = await failingSince();
    expect(before).not.toBeNull();
    const whole = { url: to.url, types: ['check_in.opened'], description: 'CRM', active: true };
    expect((await call('PUT', `/webhooks/${id}`, whole)).status).toBe(200);
    expect(await failingSince()).toBe(before);
    expect((await call('PUT', `/webhooks/${id}`, { ...whole, url: `${to.url}/2` })).status).toBe(200);
    expect(await failingSince()).toBeNull();
  });
});
