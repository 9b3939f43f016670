import { describe, expect, it } from '@jest/globals';
import { DAY_MILLIS } from '#server/durations.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { mailsIn } from '../support/outbox.ts';
import { WebhookTests } from './webhook-tests.ts';

const tests = new WebhookTests();
const { receiver, call, webhook } = tests;

/** Identity refuses the mail about a webhook with this URL, because its text is too long. */
const LONG_URL = `https://example.test/${'x'.repeat(10_000)}`;

/** Switches a webhook off as of this time, as after 3 days of failures. */
const switchOff = async (id: string, dueAt: Date): Promise<void> => {
  await tests.platform.sql(
    'gym',
    'update webhook set active = false, mail_due_at = $2::timestamptz where id = $1',
    [id, dueAt.toISOString()],
  );
};
/** Copies of a webhook that identity refuses. */
const addRefused = async (of: string, count: number, dueAt: Date): Promise<void> => {
  await tests.platform.sql(
    'gym',
    `insert into webhook
     select (jsonb_populate_record(null::webhook, to_jsonb(w) || jsonb_build_object('id', gen_random_uuid(), 'url', $2::text,
       'active', false, 'mail_due_at', $3::text))).*
     from webhook w, generate_series(1, $4::int) where w.id = $1`,
    [of, LONG_URL, dueAt.toISOString(), count],
  );
};
const isDue = async (where: string, value: string): Promise<boolean[]> =>
  (
    await tests.platform.sql(
      'gym',
      `select mail_due_at is not null as "isDue" from webhook where ${where} = $1`,
      [value],
    )
  ).map((row) => row.isDue as boolean);
const run = () => runScheduled(tests.platform, 'gym', 'mail_disabled_webhooks');
const waitingMails = () =>
  tests.platform.sql('identity', `select 1 from graphile_worker.jobs where task_identifier = 'mail_staff'`);
const mailsAbout = async (id: string): Promise<string[]> =>
  (await mailsIn(tests.platform.dataDir)).filter(
    (mail) => mail.includes('To: admin@iron.test') && mail.replaceAll('=\r\n', '').includes(id),
  );

describe('a mail about a webhook that was switched off', () => {
  it('is sent also if 100 earlier ones are refused at each attempt', async () => {
    const { id } = await webhook((await receiver()).url);
    await addRefused(id, 100, new Date(Date.now() - DAY_MILLIS));
    await switchOff(id, new Date());
    await run();
    // The job is repeated after 3 s, because mails were refused.
    await eventually(async () => (await mailsAbout(id)).length === 1, 15_000);
    await eventually(async () => (await isDue('id', id))[0] === false);
    expect(await isDue('url', LONG_URL)).toEqual(Array.from({ length: 100 }, () => true));
  });

  it('is given up if it is still refused 3 days later', async () => {
    const { id } = await webhook((await receiver()).url);
    await addRefused(id, 1, new Date(Date.now() - 3 * DAY_MILLIS));
    await run();
    await eventually(async () => !(await isDue('url', LONG_URL)).includes(true));
    expect(await mailsAbout(LONG_URL.slice(0, 60))).toEqual([]);
  });

  it('is sent once for each time that the webhook was switched off, also if its URL changes before gym has noted the mail', async () => {
    const { id } = await webhook((await receiver()).url);
    const [first, second] = [new Date(Date.now() - 1_000), new Date()];
    const mailIsStored = () => eventually(async () => (await isDue('id', id))[0] === false);
    await switchOff(id, first);
    await run();
    await mailIsStored();
    await switchOff(id, first); // as if gym had been killed before it noted the mail
    expect((await call('PUT', `/webhooks/${id}`, { url: (await receiver()).url })).status).toBe(200);
    await run();
    await mailIsStored();
    await switchOff(id, second);
    await run();
    await mailIsStored();
    await eventually(async () => (await mailsAbout(id)).length >= 2);
    await eventually(async () => (await waitingMails()).length === 0);
    expect(await mailsAbout(id)).toHaveLength(2);
  });
});
