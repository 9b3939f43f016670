import { describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { newLocation } from '../gym/support.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, call, webhook, visit, deliveriesOf, makeDue, settled } = tests;

/** Lets all deliveries fail three times; afterwards they wait for half an hour. */
async function failThrice(id: string, count: number): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await eventually(async () => {
      const list = await deliveriesOf(id);
      return list.length === count && list.every(({ attempts }) => attempts.length >= attempt);
    });
    // A second attempt follows by itself 5 s after the first one. On a slow machine some deliveries may still lack
    // the first attempt then, so only those that have had this number of attempts are made due.
    if (attempt < 3) await makeDue(attempt);
  }
}

/** Ends the pauses in which no early attempt may begin. */
const passEarlyPauses = () =>
  tests.platform.sql(
    'gym',
    'update webhook_delivery set earliest_attempt_at = now() where earliest_attempt_at is not null',
    [],
  );

/** The minutes until the next attempt. */
const minutesUntil = (at: string | null): number => (Date.parse(at ?? '') - Date.now()) / 60_000;

describe('after an outage of the receiver', () => {
  it('what waits for half an hour is sent as soon as another event is received', async () => {
    let isDown = true;
    const to = await receiver((_request, response) => response.writeHead(isDown ? 500 : 204).end());
    const { id } = await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    for (let count = 0; count < 12; count += 1) await visit(locationId);
    await failThrice(id, 12);
    for (const { nextAttemptAt } of await deliveriesOf(id))
      expect(minutesUntil(nextAttemptAt)).toBeGreaterThan(29);
    isDown = false;
    await passEarlyPauses();
    await visit(locationId);
    expect(await settled(id, 13)).toHaveLength(13);
  });

  it('an event that fails again keeps its attempts of the schedule, and waits longer for the next early one', async () => {
    let refused = '';
    const to = await receiver((request, response) =>
      response.writeHead(request.event.data.id === refused ? 500 : 204).end(),
    );
    const { id } = await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    to.answering = (_request, response) => response.writeHead(500).end();
    refused = await visit(locationId);
    await failThrice(id, 1);
    to.answering = (request, response) =>
      response.writeHead(request.event.data.id === refused ? 500 : 204).end();
    const scheduled = (await deliveriesOf(id))[0]?.nextAttemptAt ?? '';
    for (let early = 1; early <= 8; early += 1) {
      await passEarlyPauses();
      await visit(locationId);
      const waiting = await eventually(async () =>
        (await deliveriesOf(id)).find(
          ({ attempts, nextAttemptAt }) => attempts.length === 3 + early && minutesUntil(nextAttemptAt) > 20,
        ),
      );
      expect(waiting.status).toBe('PENDING');
      expect(Math.abs(Date.parse(waiting.nextAttemptAt ?? '') - Date.parse(scheduled))).toBeLessThan(5_000);
    }
    const [stored] = (await tests.platform.sql(
      'gym',
      `select attempt_count as count, early_attempt_count as early, earliest_attempt_at as at from webhook_delivery where status = 'PENDING'`,
      [],
    )) as [{ count: number; early: number; at: Date | null }];
    // 10 s, doubled 8 times, is longer than the half-hour.
    expect(stored).toEqual({ count: 3, early: 8, at: null });
  });

  it('a pause that the receiver asked for is not shortened', async () => {
    let isBusy = true;
    const to = await receiver((_request, response) =>
      isBusy ? response.writeHead(429, { 'retry-after': '7200' }).end() : response.writeHead(204).end(),
    );
    const { id } = await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    await visit(locationId);
    await eventually(async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
    isBusy = false;
    await visit(locationId);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
    await visit(locationId);
    await eventually(async () => (await deliveriesOf(id))[0]?.status === 'DELIVERED');
    const waiting = (await deliveriesOf(id)).at(-1);
    expect(waiting).toMatchObject({ status: 'PENDING', attempts: [{ statusCode: 429 }] });
    expect(minutesUntil(waiting?.nextAttemptAt ?? null)).toBeGreaterThan(118);
  });

  it.each([
    ['PUT', '', { active: true }],
    ['POST', '/test', {}],
  ])('what waits is sent after %s /webhooks/:id%s', async (method, at, body) => {
    let isDown = true;
    const to = await receiver((_request, response) => response.writeHead(isDown ? 500 : 204).end());
    const { id } = await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    for (let count = 0; count < 5; count += 1) await visit(locationId);
    await failThrice(id, 5);
    isDown = false;
    await passEarlyPauses();
    await call(method, `/webhooks/${id}${at}`, body);
    const count = method === 'POST' ? 6 : 5;
    expect(await settled(id, count)).toHaveLength(count);
  });
});
