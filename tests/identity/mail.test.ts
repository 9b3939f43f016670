import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';

interface Received {
  to: string;
  user: string | undefined;
  text: string;
}

let platform: TestPlatform;
let server: SMTPServer;
let refusing = false;
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
        if (refusing) return done(Object.assign(new Error('full'), { responseCode: 452 }));
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

const mailTo = (email: string) => eventually(async () => received.find(({ to }) => to === email));
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
  const { email } = await platform.register();
  refusing = true;
  expect((await request(email)).status).toBe(202);
  await eventually(
    async () =>
      (
        await platform.sql(
          'identity',
          'select 1 from password_reset where lower(email) = lower($1) and attempts > 0',
          [email],
        )
      ).length > 0,
  );
  refusing = false;
  await platform.sql('identity', 'update password_reset set next_attempt_at = now()');
  await platform.restart('identity'); // sends the remaining mails at its start
  await mailTo(email);
});

it('sends no mail for an address with a line break', async () => {
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
  for (const { email } of accounts) expect(received.filter(({ to }) => to === email)).toHaveLength(1);
  const sent = await Promise.all(
    [platform.url('identity'), ...replicas.map(({ url }) => url)].map(async (url) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^mails_total\{outcome="sent".*\} (\d+)$/m.exec(text)?.[1] ?? 0);
    }),
  );
  expect(sent.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(accounts.length);
});

it('stops sending a mail after a day, and counts it', async () => {
  const { email } = await platform.register();
  await platform.sql(
    'identity',
    `insert into password_reset (id, purpose, email, requested_at, next_attempt_at)
     values (gen_random_uuid(), 'RESET', $1, now() - interval '25 hours', now())`,
    [email],
  );
  await platform.restart('identity');
  await eventually(async () =>
    (await (await fetch(`${platform.url('identity')}/metrics`)).text()).includes(
      'mails_total{outcome="given_up",service="identity"} 1',
    ),
  );
  expect(received.some(({ to }) => to === email)).toBe(false);
});
