import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
});
afterAll(() => platform.stop());

/** Whether gym's feed has an event of the subject. The table is read, because a read of the feed publishes events. */
const isPublished = async (subject: string): Promise<boolean> =>
  (await platform.sql('gym', 'select 1 from event where subject = $1', [subject])).length > 0;

describe('the scheduled jobs', () => {
  it('publish what a killed process has left, although nobody reads the feed', async () => {
    const subject = `gym/${randomUUID()}`;
    await platform.sql(
      'gym',
      `insert into event_outbox (id, type, gym_id, subject, people, occurred_at, data)
       values (gen_random_uuid(), 'gym.deployed', $1, $2, '{}', now(), '{}')`,
      [DEMO_GYMS.ironTemple.id, subject],
    );
    await runScheduled(platform, 'gym', 'publish_events');
    expect(await eventually(() => isPublished(subject))).toBe(true);
  });

  it('collect the events of other services, each once, although the collector hangs', async () => {
    // The lease of a collector that hangs: it is renewed, but nothing is collected.
    await platform.sql(
      'gym',
      `update collected_feed set holder = gen_random_uuid(), held_until = now() + interval '1 hour'`,
      [],
    );
    await platform.restart('gym');
    const members = await Promise.all([platform.register(), platform.register()]);
    const subjects = members.map(({ id }) => `member/${id}`);
    await runScheduled(platform, 'gym', 'collect_events');
    await eventually(async () => (await Promise.all(subjects.map(isPublished))).every(Boolean));
    await runScheduled(platform, 'gym', 'collect_events');
    await eventually(async () => {
      const jobs = await platform.sql(
        'gym',
        `select 1 from graphile_worker.jobs where task_identifier = 'collect_events'`,
        [],
      );
      return jobs.length === 0;
    });
    const stored = await platform.sql('gym', 'select subject from event where subject = any($1)', [subjects]);
    expect(stored.map(({ subject }) => subject as string).toSorted()).toEqual(subjects.toSorted());
  });
});
