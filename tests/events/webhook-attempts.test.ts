import { describe, expect, it } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import { eventually } from '../support/eventually.ts';
import { mailsIn } from '../support/outbox.ts';
import { checkIn, checkOut, newLocation, newMember } from '../gym/support.ts';
import { WebhookTests } from './webhook-tests.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const tests = new WebhookTests();
const { receiver, call, webhook, visit, got, deliveriesOf, attempted, makeDue } = tests;

/** With the three others of the test, this makes as many webhooks as a gym may have. */
const MORE_HANGING = 17;

describe('an event that is not received', () => {
  it('is sent again by the schedule, and is the same with a new timestamp', async () => {
    // The second attempt follows 5 s after the first one. It is answered once the first one has been looked at.
    const looked = Promise.withResolvers<void>();
    const to = await receiver(async (_request, response) => {
      if (to.requests.length === 1) return void response.writeHead(500).end('no');
      await looked.promise;
      response.writeHead(204).end();
    });
    const { id, secret } = await webhook(to.url);
    await visit();
    const [sent] = await got(to, 1);
    const waiting = await attempted(id, 1);
    expect(waiting).toMatchObject({
      status: 'PENDING',
      attempts: [{ statusCode: 500, answer: 'no', error: 'answered 500' }],
    });
    const pause = Date.parse(waiting.nextAttemptAt ?? '') - (sent?.at ?? 0);
    expect(pause).toBeGreaterThanOrEqual(4_900);
    expect(pause).toBeLessThan(6_000 + withinOnThisMachine(500));
    looked.resolve();
    const [first, second] = await got(to, 2);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(4_900);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    expect(new Verifier(secret).verify(second?.body ?? '', second?.headers ?? {})).toEqual(first?.event);
  });

  it('waits as long as Retry-After says, and has failed for good after the last attempt of the schedule', async () => {
    const to = await receiver((_request, response) =>
      response.writeHead(429, { 'retry-after': '1000' }).end(),
    );
    const { id } = await webhook(to.url);
    await visit();
    const waiting = await attempted(id, 1);
    const pause = Date.parse(waiting.nextAttemptAt ?? '') - Date.now();
    expect(pause).toBeGreaterThan(900_000);
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      await makeDue();
      await attempted(id, attempt);
    }
    expect((await deliveriesOf(id))[0]).toMatchObject({ status: 'FAILED', nextAttemptAt: null });
  });

  it('holds back the later events of its subject, and no others', async () => {
    const failing = new Set<string | undefined>();
    const to = await receiver((request, response) =>
      response.writeHead(failing.has(request.event.data.userId) ? 500 : 204).end(),
    );
    await webhook(to.url, { types: ['check_in.opened', 'check_in.closed'] });
    const locationId = await newLocation(tests.platform, tests.staff);
    const first = await newMember(tests.platform);
    await checkIn(tests.platform, first.token, { qrCode: first.qrCode, locationId });
    await checkOut(tests.platform, first.token);
    const next = await newMember(tests.platform);
    failing.add(next.id);
    const blocked = (await checkIn(tests.platform, next.token, { qrCode: next.qrCode, locationId })).body
      .id as string;
    await checkOut(tests.platform, next.token);
    const other = await visit(locationId);
    await eventually(async () => to.requests.some(({ event }) => event.data.id === other));
    const typesOf = (id: string) =>
      to.requests.filter(({ event }) => event.data.id === id).map(({ event }) => event.type);
    expect(new Set(typesOf(blocked))).toEqual(new Set(['check_in.opened']));
    failing.clear();
    await makeDue();
    await eventually(async () => typesOf(blocked).includes('check_in.closed'));
    expect(typesOf(blocked).at(-1)).toBe('check_in.closed');
  });

  it('is one whose receiver answers with a redirect, which is not followed', async () => {
    const trap = await receiver();
    const to = await receiver((_request, response) => response.writeHead(307, { location: trap.url }).end());
    const { id } = await webhook(to.url);
    await visit();
    const delivery = await attempted(id, 1);
    expect(delivery.attempts[0]?.error).toContain('redirects are not followed');
    expect(trap.requests).toEqual([]);
  });

  it('does not delay other receivers if its receiver hangs, also if many hang', async () => {
    const hanging = await receiver(() => undefined);
    const trickling = await receiver((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 200);
      response.once('close', () => clearInterval(drip));
    });
    const to = await receiver();
    const ids = [await webhook(hanging.url), await webhook(trickling.url)].map(({ id }) => id);
    for (let more = 0; more < MORE_HANGING; more += 1) await webhook(hanging.url);
    await webhook(to.url);
    const locationId = await newLocation(tests.platform, tests.staff, { capacity: 100 });
    const started = Date.now();
    await Promise.all(Array.from({ length: 20 }, () => visit(locationId)));
    await got(to, 20);
    expect(Date.now() - started).toBeLessThan(withinOnThisMachine(8_000));
    expect(hanging.requests.length).toBeLessThanOrEqual(16 * (MORE_HANGING + 1));
    for (const id of ids) {
      const attempt = await eventually(async () => {
        const list = await deliveriesOf(id);
        return list.flatMap(({ attempts }) => attempts)[0];
      });
      expect(attempt).toMatchObject({ statusCode: null, error: 'no complete answer within 10 s' });
    }
  });

  it('switches the webhook off after 3 days, with a mail; if it is switched on again, it gets what has waited', async () => {
    let isBroken = true;
    const to = await receiver((_request, response) => response.writeHead(isBroken ? 503 : 204).end());
    const { id } = await webhook(to.url);
    await visit();
    await attempted(id, 1);
    expect((await call('GET', `/webhooks/${id}`)).body).toMatchObject({ active: true, disabledReason: null });
    await tests.platform.sql('gym', `update webhook set failing_since = now() - interval '3 days'`, []);
    await makeDue();
    const off = await eventually(async () => {
      const { body } = await call('GET', `/webhooks/${id}`);
      return !body.active && body;
    });
    expect(off.disabledReason).toContain('3 days');
    await eventually(async () =>
      (await mailsIn(tests.platform.dataDir)).some(
        (mail) => mail.includes('admin@iron.test') && mail.includes('webhook'),
      ),
    );
    isBroken = false;
    await call('PUT', `/webhooks/${id}`, { active: true });
    await makeDue();
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
