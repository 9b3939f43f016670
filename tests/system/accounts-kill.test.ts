import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import type { AccountDeletionShape } from '../../subgraphs/identity/accounts/accounts.shapes.ts';
import { eventually } from '../support/eventually.ts';
import { ANY_PORTS, startProcess } from '../support/process.ts';

describe('kill -9', () => {
  it('right after the answer does not lose a deletion: the next start carries it out', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'accounts-kill-'));
    const env = { ...ANY_PORTS, DATA_DIR: dataDir, DEMO: 'on', RATE_LIMITS: 'off', HOST: '127.0.0.1' };
    const start = async () => {
      const service = startProcess([], env);
      const [, url = ''] = await service.printed(/Open (http:\/\/\S+)/);
      const call = async (method: string, at: string, body?: object, token?: string) => {
        const answer = await fetch(`${url}${at}`, {
          method,
          headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        return { answer, body: text ? JSON.parse(text) : undefined };
      };
      return { service, call };
    };
    const maya = { email: 'maya@iron.test', password: DEMO_PASSWORD };
    const before = await start();
    const { token } = (await before.call('POST', '/identity/auth/login', maya)).body;
    const { status, headers } = (await before.call('DELETE', '/identity/users/me', maya, token)).answer;
    before.service.child.kill('SIGKILL');
    expect(status).toBe(204);
    await before.service.ended;

    const after = await start();
    expect((await after.call('POST', '/identity/auth/login', maya)).answer.status).toBe(401);
    const receipt = await eventually(async () => {
      const { body } = await after.call('GET', headers.get('location') ?? ''); // with the gateway's prefix
      return body.finishedAt !== null && body;
    });
    expect((receipt as AccountDeletionShape).parts.map(({ outcome }) => outcome)).not.toContain('PENDING');
    await after.service.end();
    await rm(dataDir, { recursive: true, force: true });
  });
});
