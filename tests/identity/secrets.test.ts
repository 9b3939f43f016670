import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { mailsIn } from '../support/outbox.ts';
import { startProcess, type StartedProcess } from '../support/process.ts';

let dataDir: string;
let service: StartedProcess;
let url: string;
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'secrets-test-'));
  service = startProcess(['identity'], {
    DATA_DIR: dataDir,
    IDENTITY_PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'trace',
  });
  url = (await service.printed(/is ready: (http:\/\/\S+)/))[1] ?? '';
});
afterAll(async () => {
  await service.end();
  await rm(dataDir, { recursive: true, force: true });
});

const call = async (
  method: string,
  at: string,
  { token, body }: { token?: string; body?: object | string } = {},
) => {
  const response = await fetch(url + at, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push(text);
  return { status: response.status, text };
};
const answers: string[] = [];

describe('a secret', () => {
  it('appears in no log line, no error and no answer but its own', async () => {
    const email = `user-${randomUUID()}@example.test`;
    const password = `secret-${randomUUID()}`;
    const registered = await call('POST', '/auth/register', {
      body: { email, password, displayName: 'Somebody' },
    });
    const loggedIn = await call('POST', '/auth/login', { body: { email, password } });
    const login = JSON.parse(loggedIn.text) as { token: string; refreshToken: string };
    answers.splice(0); // these two may contain the caller's own tokens
    for (const { text } of [registered, loggedIn]) expect(text).not.toContain(password);

    const { token, refreshToken } = login;
    const wrong = { email, password: `${password}x` };
    await call('POST', '/auth/login', { body: wrong });
    await call('POST', '/auth/login', { body: JSON.stringify(wrong).slice(0, -3) });
    await call('POST', '/auth/register', { body: { email, password, displayName: '' } });
    await call('POST', '/auth/register', { body: { email, password, displayName: 'Twice' } });
    await call('POST', '/auth/password-reset', { body: { email } });
    await call('POST', '/auth/password-reset/confirm', { body: { token: refreshToken, password } });
    await call('GET', '/users/me/export', { token });
    await call('GET', '/auth/sessions', { token });
    await call('GET', '/users/all', { token });
    await call('GET', `/nowhere/${refreshToken}`, { token });
    await call('GET', '/auth/me', { token: `${token}x` });
    await call('DELETE', '/users/me', { token, body: { password: `${password}x` } });
    await call('POST', '/graphql', {
      body: {
        query: 'mutation ($input: LoginInput!) { login(input: $input) { token } }',
        variables: { input: wrong },
      },
    });
    await call('POST', '/graphql', {
      body: { query: `mutation { login(input: { email: 5, password: "${password}" }) { token } }` },
    });
    await call('POST', '/graphql', { token, body: { query: '{ me { passwordHash } }' } });
    await call('POST', '/auth/token', {
      body: { grant_type: 'client_credentials', client_id: 'gym', client_secret: password },
    });

    const mail = await eventually(async () => (await mailsIn(dataDir))[0]);
    const resetToken = /^Token: (\S+)/m.exec(mail)?.[1] ?? '';
    const serviceSecret = await readFile(path.join(dataDir, 'secrets', 'service-secret'), 'utf8');
    expect(resetToken).toHaveLength(43);

    const log = service.output();
    expect(log).toContain('"operation":"POST /auth/login"');
    // The answer to an unknown route names the path that the caller has sent.
    const answered = answers
      .filter((text) => !text.includes('/nowhere/') && !text.includes('"GraphQL'))
      .join('\n');
    for (const secret of [token, refreshToken, resetToken, serviceSecret, '$argon2']) {
      expect(log).not.toContain(secret);
      expect(answered).not.toContain(secret);
    }
    expect(`${log}${answers.join('\n')}`).not.toContain(password);
    expect(`${log}${answers.join('\n')}`).not.toMatch(/BEGIN (EC )?PRIVATE KEY/);
    expect(answers.join('\n')).not.toMatch(/\n\s+at |\.ts:\d+|node_modules/);
  });

  it('is readable on disk by its owner only', async () => {
    for (const [name, mode] of [
      ['secrets', 0o700],
      ['secrets/service-secret', 0o600],
      ['outbox', 0o700],
    ] as const)
      expect((await stat(path.join(dataDir, name))).mode & 0o777).toBe(mode);
    for (const name of await readdir(path.join(dataDir, 'outbox')))
      expect((await stat(path.join(dataDir, 'outbox', name))).mode & 0o777).toBe(0o600);
  });
});
