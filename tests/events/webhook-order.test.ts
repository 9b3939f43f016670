import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, call, webhook, deliveriesOf, settled } = tests;

/** The numbers of events and subjects in the test with random failures; `WEBHOOK_EVENTS=2000` tests more. */
const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 60);
const SUBJECTS = 4;

describe('the events of one subject', () => {
  /** Delays the commits of a share of the transactions that create deliveries, so that they overlap with others. */
  async function withSlowCreation(share: number, seconds: number, work: () => Promise<void>): Promise<void> {
    await tests.platform.sql(
      'gym',
      `create function slow_creation() returns trigger language plpgsql as
         $$ begin perform pg_sleep(case when random() < ${share} then ${seconds} else 0 end); return null; end $$;
       create constraint trigger slow_creation after insert on webhook_delivery deferrable initially deferred
         for each row execute function slow_creation()`,
    );
    try {
      await work();
    } finally {
      await tests.platform.sql('gym', 'drop trigger slow_creation on webhook_delivery');
      await tests.platform.sql('gym', 'drop function slow_creation');
    }
  }

  const insertEvents = (subjects: readonly string[]) =>
    tests.platform.sql(
      'gym',
      `insert into event_outbox (id, type, gym_id, subject, people, occurred_at, data)
       select gen_random_uuid(), 'gym.deployed', $1, subject, '{}', now(), jsonb_build_object('number', number)
       from unnest($2::text[]) with ordinality as given (subject, number)`,
      [DEMO_GYMS.ironTemple.id, subjects],
    );

  it('are sent by the scheduled job if nobody has released the next one, and do not count as late while they are held back', async () => {
    const to = await receiver((_request, response) => void response.writeHead(204).end());
    const from = new Date();
    await insertEvents([`gym/${randomUUID()}`]);
    const { id } = await webhook(to.url, { types: ['gym.deployed'] });
    const replay = await call('POST', `/webhooks/${id}/replay`, { from, to: new Date(Date.now() + 1) });
    expect(replay).toMatchObject({ body: { deliveries: 1 } });
    await settled(id, 1);
    // The state that a process of the previous release leaves.
    await tests.platform.sql(
      'gym',
      `update webhook_delivery set status = 'PENDING', held_back = true, next_attempt_at = now() - interval '1 hour'
       where webhook_id = $1`,
      [id],
    );
    const metrics = await (await fetch(`${tests.platform.url('gym')}/metrics`)).text();
    expect(Number(/^webhook_oldest_due_seconds\S* (\S+)$/m.exec(metrics)?.[1])).toBeLessThan(600);
    await runScheduled(tests.platform, 'gym', 'send_webhooks');
    await settled(id, 1);
    expect(to.requests).toHaveLength(2);
  });

  it('are all sent, also if a delivery is created while the one before it is being received', async () => {
    let answerFirst: (() => void) | undefined;
    const to = await receiver((_request, response) => {
      const answer = () => void response.writeHead(204).end();
      if (to.requests.length === 1) answerFirst = answer;
      else answer();
    });
    // Events from before the creation of the webhook, so that replays create their deliveries: the dispatcher creates none
    // while it writes results.
    const subject = `gym/${randomUUID()}`;
    const times = [new Date()];
    for (let event = 0; event < 2; event += 1) {
      await insertEvents([subject]);
      const end = Date.now() + 1; // the clock of this machine, which is also that of the database
      times.push(new Date(end));
      while (Date.now() < end) await nextTurn();
    }
    const { id } = await webhook(to.url, { types: ['gym.deployed'] });
    const replay = (event: number) =>
      call('POST', `/webhooks/${id}/replay`, { from: times[event], to: times[event + 1] });
    expect((await replay(0)).body).toEqual({ deliveries: 1 });
    await eventually(async () => answerFirst !== undefined);
    await withSlowCreation(1, 1, async () => {
      const second = replay(1);
      await eventually(async () => {
        const [{ count }] = await tests.platform.sql(
          'gym',
          `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
        );
        return count > 0;
      });
      answerFirst?.();
      expect((await second).body).toEqual({ deliveries: 1 });
    });
    expect(await settled(id, 2)).toHaveLength(2);
  });

  /**
   * Makes the waiting deliveries due that no transaction has locked. `makeDue` would wait for the locked ones, and
   * could deadlock with the platform.
   */
  async function makeUnlockedDue(): Promise<void> {
    await tests.platform.sql(
      'gym',
      `update webhook_delivery set next_attempt_at = now() where id in (
         select id from webhook_delivery where status = 'PENDING' and next_attempt_at > now() for no key update skip locked)`,
    );
    await runScheduled(tests.platform, 'gym', 'send_webhooks');
  }

  it('all arrive in their order, whatever fails, is replayed or is committed late, and whichever replica sends them', async () => {
    const replica = await tests.platform.replica('gym');
    /** The events of each subject, in the order in which they were first accepted. */
    const accepted = new Map<string, string[]>();
    const to = await receiver((request, response) => {
      const answer = (status: number) =>
        void setTimeout(() => response.writeHead(status).end(), Math.random() * 40);
      if (Math.random() < 0.1) return answer(500);
      const { subject, id } = request.event;
      const list = accepted.get(subject) ?? accepted.set(subject, []).get(subject) ?? [];
      if (!list.includes(id)) list.push(id);
      answer(204);
    });
    const { id } = await webhook(to.url, { types: ['gym.deployed'] });
    const subjects = Array.from({ length: SUBJECTS }, () => `gym/${randomUUID()}`);
    const from = new Date(Date.now() - 1_000).toISOString();
    await withSlowCreation(0.3, 0.05, async () => {
      for (let sent = 0; sent < EVENTS; sent += 6) {
        await insertEvents(
          Array.from({ length: 6 }, (_one, index) => subjects[(sent + index) % SUBJECTS] ?? ''),
        );
        await call('GET', '/events?after=latest'); // publishes them
        if (Math.random() < 0.2)
          await call('POST', `/webhooks/${id}/replay`, { from, to: new Date().toISOString() });
        const waiting = (await deliveriesOf(id)).find(({ status }) => status === 'PENDING');
        if (waiting && Math.random() < 0.5)
          await call('POST', `/webhooks/${id}/deliveries/${waiting.id}/replay`);
        if (Math.random() < 0.3) await makeUnlockedDue();
      }
    });
    const isSettled = async () => {
      const [{ pending, count }] = (await tests.platform.sql(
        'gym',
        `select count(*) filter (where status <> 'DELIVERED')::int as pending, count(*)::int as count from webhook_delivery`,
      )) as [{ pending: number; count: number }];
      return pending === 0 && count >= EVENTS;
    };
    await eventually(async () => {
      await makeUnlockedDue();
      return isSettled();
    });
    await replica.stop();
    const rows = (await tests.platform.sql(
      'gym',
      `select subject, array_agg(id::text order by position) as ids from event where subject = any($1) group by subject`,
      [subjects],
    )) as { subject: string; ids: string[] }[];
    expect(rows).toHaveLength(SUBJECTS);
    for (const { subject, ids } of rows) expect(accepted.get(subject)).toEqual(ids);
  }, 120_000);
});
