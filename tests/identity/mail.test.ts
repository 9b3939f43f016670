import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import type { TestAccount } from '../support/platform/test-accounts.ts';
import { isVerification } from './support.ts';
import { startProcess } from '../support/process.ts';
import { testRun } from '../support/test-run.ts';
import { eventually } from '../support/eventually.ts';

interface Received {
  to: string;
  user: string | undefined;
  text: string;
}

let platform: TestPlatform;
let server: SMTPServer;
let refusing = false;
/** An address whose mails the server always refuses. */
let refusedAddress: string | undefined;
/** If it is set, the server answers no mail, and calls this function when it has received one. */
let hanging: (() => void) | undefined;
const received: Received[] = [];

beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'p@ss:word' ? done(null, { user: username }) : done(new Error('no')),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (hanging) return hanging();
        if (refusing || session.envelope.rcptTo[0]?.address === refusedAddress)
          return done(Object.assign(new Error('full'), { responseCode: 452 }));
        received.push({
          to: session.envelope.rcptTo[0]?.address ?? '',
          user: session.user,
          text: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  const listening = once(server.server, 'listening');
  server.listen(0, '127.0.0.1');
  await listening;
  const { port } = server.server.address() as AddressInfo;
  platform = await startPlatform({
    services: ['identity'],
    env: {
      SMTP_URL: `smtp://mailer:${encodeURIComponent('p@ss:word')}@127.0.0.1:${port}`,
      MAIL_FROM: 'Gym <gym@example.test>',
      PASSWORD_RESET_URL: 'https://app.example.test/reset#{token}',
    },
  });
});
afterAll(async () => {
  await platform.stop();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** Lets all jobs begin now, also those that wait after a failed attempt. */
const runJobsNow = async () => {
  await platform.sql('identity', 'update graphile_worker._private_jobs set run_at = now()');
  await platform.sql('identity', `select pg_notify('jobs:insert', '{"count":1}')`);
};
/** The mails to this address that let the user set a password. */
const passwordMails = (email: string) =>
  received.filter(({ to, text }) => to === email && !isVerification(text));
const mailTo = (email: string) => eventually(async () => passwordMails(email)[0]);
/** A new account, whose mail to verify the email has arrived. */
async function registered(): Promise<TestAccount> {
  const account = await platform.register();
  await eventually(async () => received.some(({ to }) => to === account.email));
  return account;
}
const request = (email: string) =>
  platform.rest('identity', 'POST', '/auth/password-reset', { body: { email } });

it('sends the mail to the configured SMTP server, with the URL of the page', async () => {
  const { email } = await platform.register();
  await request(email);
  const { text, user } = await mailTo(email);
  expect(user).toBe('mailer');
  expect(text).toContain('From: Gym <gym@example.test>');
  const token = /^https:\/\/app\.example\.test\/reset#([\w-]{43})\r?$/m.exec(text)?.[1];
  const { status } = await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
    body: { token, password: 'by-mail-from-smtp' },
  });
  expect(status).toBe(204);
});

it('sends a mail later if the SMTP server refuses it, and answers the request as usual', async () => {
  const { email } = await registered();
  refusing = true;
  expect((await request(email)).status).toBe(202);
  await eventually(
    async () =>
      (
        await platform.sql(
          'identity',
          `select 1 from graphile_worker.jobs where task_identifier = 'mail_password_token' and last_error is not null`,
        )
      ).length > 0,
  );
  refusing = false;
  await runJobsNow();
  await platform.restart('identity'); // sends the remaining mails at its start
  await mailTo(email);
});

it('sends no mail for an address with a line break or a second address', async () => {
  const count = received.length;
  for (const email of [
    'a@example.test\r\nBcc: b@example.test',
    'a@example.test, b@example.test',
    'a@example.test\nRCPT TO:<b@example.test>',
  ])
    expect((await request(email)).status).toBe(400);
  expect(received).toHaveLength(count);
});

it('sends each mail once, however many replicas there are', async () => {
  const replicas = [await platform.replica('identity'), await platform.replica('identity')];
  const accounts = await Promise.all(Array.from({ length: 8 }, () => platform.register()));
  await Promise.all(
    accounts.map(({ email }, n) =>
      fetch(`${[platform.url('identity'), ...replicas.map(({ url }) => url)][n % 3]}/auth/password-reset`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email }),
      }),
    ),
  );
  for (const { email } of accounts) await mailTo(email);
  const unsent = 'select 1 from password_reset where sent_at is null';
  await eventually(async () => (await platform.sql('identity', unsent)).length === 0);
  for (const { email } of accounts) expect(passwordMails(email)).toHaveLength(1);
  const sent = await Promise.all(
    [platform.url('identity'), ...replicas.map(({ url }) => url)].map(async (url) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^mails_total\{outcome="sent".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
    }),
  );
  expect(sent.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(accounts.length);
  for (const replica of replicas) await replica.stop(); // otherwise they would also run the jobs of the next tests
});

it('gives a mail up after its last attempt, shows it to operators without its address, and sends it when they retry it', async () => {
  const { email } = await registered();
  refusing = true;
  await request(email);
  const token = await platform.demo('super@demo.test');
  const jobs = async (query: string) =>
    (await platform.rest('identity', 'GET', `/jobs?name=mail_password_token${query}`, { token })).body;
  const [{ id }] = await eventually(async () => {
    const found = await jobs('&failed=false');
    return found[0]?.error ? found : undefined;
  });
  await platform.sql(
    'identity',
    'update graphile_worker._private_jobs set attempts = max_attempts - 1 where id = $1',
    [id],
  );
  await runJobsNow();
  const [failed] = await eventually(async () => {
    const found = await jobs('&failed=true');
    return found.length > 0 && found;
  });
  const [{ mailId }] = await platform.sql(
    'identity',
    'select id as "mailId" from password_reset where lower(email) = lower($1)',
    [email],
  );
  expect(failed).toEqual({
    id,
    name: 'mail_password_token',
    status: 'FAILED',
    attempts: 13,
    maxAttempts: 13,
    createdAt: expect.any(String),
    runAt: null,
    error: expect.stringContaining('452'),
    payload: { mailId },
  });
  expect(JSON.stringify(failed)).not.toContain('@');
  const metrics = await (await fetch(`${platform.url('identity')}/metrics`)).text();
  expect(metrics).toContain('mails_total{outcome="given_up",service="identity"} 1');
  expect(metrics).toContain('jobs_failed_total{name="mail_password_token",service="identity"} 1');
  refusing = false;
  const { status, body } = await platform.rest('identity', 'POST', `/jobs/${id}/retry`, { token });
  expect({ status, body }).toMatchObject({ status: 202, body: { status: 'PENDING', attempts: 0 } });
  await mailTo(email);
  await eventually(async () => (await jobs('')).length === 0);
  expect((await platform.rest('identity', 'POST', `/jobs/${id}/retry`, { token })).status).toBe(404);
});

it('sends a mail after the process was killed between the commit and the sending, once its job counts as lost', async () => {
  const { email } = await registered();
  const [{ name }] = await platform.sql('identity', 'select current_database() as name');
  await platform.running('identity').stop();
  const arrived = new Promise<void>((resolve) => {
    hanging = resolve;
  });
  const killed = startProcess(
    [],
    { ...platform.env, TEST_DATABASE: JSON.stringify({ server: testRun.current().server, name }) },
    'tests/support/programs/killed-identity.ts',
  );
  const [, url] = await killed.printed(/ready at (\S+) \./);
  await fetch(`${url}/auth/password-reset`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  await arrived;
  await killed.end('SIGKILL');
  expect(passwordMails(email)).toEqual([]);
  hanging = undefined;
  // A job counts as lost 20 s after the last sign of life of its process. The test waits for the last 3 s of them only.
  const locked = await platform.sql(
    'identity',
    `update graphile_worker._private_jobs set locked_at = now() - interval '17 seconds' where locked_by is not null returning id`,
  );
  expect(locked).not.toEqual([]);
  await platform.restart('identity');
  await eventually(async () => passwordMails(email)[0], 23_000);
  await eventually(
    async () =>
      (await platform.sql('identity', 'select 1 from password_reset where sent_at is null')).length === 0,
  );
  expect(passwordMails(email)).toHaveLength(1);
});

/** Makes users the GYM_ADMINs of a gym. */
const makeAdmins = (gymId: string, ids: readonly string[]) =>
  platform.sql(
    'identity',
    `update user_account set role = 'GYM_ADMIN', gym_id = $1, membership_gym_id = $1, membership_status = 'ACTIVE', membership_since = now() where id = any($2)`,
    [gymId, ids],
  );
/** Three GYM_ADMINs of a gym, in the order in which their mails are stored. */
async function threeAdmins(gymId: string): Promise<[TestAccount, TestAccount, TestAccount]> {
  const [one, two, three] = await Promise.all([registered(), registered(), registered()]);
  await makeAdmins(
    gymId,
    [one, two, three].map(({ id }) => id),
  );
  return [one, two, three].toSorted((a, b) => (a.id < b.id ? -1 : 1)) as [
    TestAccount,
    TestAccount,
    TestAccount,
  ];
}
const mailStaff = async (gymId: string, subject: string) =>
  platform.rest('identity', 'POST', '/staff-mails', {
    token: await platform.serviceToken('gym'),
    headers: { 'idempotency-key': `mail-${gymId}` },
    body: { gymId, subject, text: 'It is switched off.' },
  });
/** For each waiting mail to staff, whether an attempt has failed. */
const staffMails = async (): Promise<boolean[]> =>
  (
    await platform.sql(
      'identity',
      `select last_error is not null as "hasFailed" from graphile_worker.jobs where task_identifier = 'mail_staff'`,
    )
  ).map((row) => row.hasFailed as boolean);
const textsInJobs = (text: string) =>
  platform.sql(
    'identity',
    `select 1 from graphile_worker._private_jobs where payload::text like '%' || $1 || '%'`,
    [text],
  );
const receiversOf = (subject: string): string[] =>
  received
    .filter(({ text }) => text.includes(subject))
    .map(({ to }) => to)
    .toSorted();

it('sends a mail of another service to each of the staff once, also if the SMTP server refuses one of them for good', async () => {
  const gymId = randomUUID();
  const [first, refused, last] = await threeAdmins(gymId);
  refusedAddress = refused.email;
  const subject = `Webhook ${randomUUID()}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    expect((await mailStaff(gymId, subject)).status).toBe(204);
    await runJobsNow();
  }
  await eventually(async () => isDeepStrictEqual(await staffMails(), [true]));
  expect(await textsInJobs(subject)).toEqual([]); // the text is in the mail's own row
  expect(receiversOf(subject)).toEqual([first.email, last.email].toSorted());
  refusedAddress = undefined;
  await runJobsNow();
  await eventually(async () => (await staffMails()).length === 0);
});

it('sends no mail to staff who are staff no longer, or of another gym, when the job runs', async () => {
  const gymId = randomUUID();
  const [former, moved, remaining] = await threeAdmins(gymId);
  const subject = `Webhook ${randomUUID()}`;
  refusing = true;
  expect((await mailStaff(gymId, subject)).status).toBe(204);
  await eventually(async () => isDeepStrictEqual(await staffMails(), [true, true, true]));
  await platform.sql('identity', `update user_account set role = 'MEMBER' where id = $1`, [former.id]);
  await makeAdmins(randomUUID(), [moved.id]);
  refusing = false;
  await runJobsNow();
  await eventually(async () => (await staffMails()).length === 0);
  expect(receiversOf(subject)).toEqual([remaining.email]);
});
