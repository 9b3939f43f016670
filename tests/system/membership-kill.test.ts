import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD, demoId, demoPerson } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { ANY_PORTS, startProcess } from '../support/process.ts';

const maya = demoPerson('maya@iron.test');

describe('kill -9', () => {
  it('right after the answer does not lose the end of a membership: the next start ends the visit', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'membership-kill-'));
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
        return { status: answer.status, body: text ? JSON.parse(text) : undefined };
      };
      const tokenOf = async (email: string) =>
        (await call('POST', '/identity/auth/login', { email, password: DEMO_PASSWORD })).body.token as string;
      const staff = await tokenOf('admin@iron.test');
      const visit = async () =>
        (await call('GET', `/gym/check-ins?userId=${maya.id}&limit=1`, undefined, staff)).body[0];
      return { service, call, tokenOf, staff, visit };
    };
    const before = await start();
    const member = await before.tokenOf('maya@iron.test');
    const { qrCode } = (await before.call('GET', '/identity/users/me', undefined, member)).body;
    const scan = { qrCode, locationId: demoId('301', 1) };
    expect((await before.call('POST', '/gym/locations/check-in', scan, before.staff)).status).toBeLessThan(
      300,
    );
    const { status } = await before.call(
      'PUT',
      `/identity/users/${maya.id}/membership`,
      { status: 'ENDED' },
      before.staff,
    );
    before.service.child.kill('SIGKILL');
    expect(status).toBe(200);
    await before.service.ended;

    const after = await start();
    await eventually(async () => (await after.visit()).checkedOutAt !== null);
    const refused = await after.call('POST', '/gym/locations/check-in', scan, after.staff);
    expect([refused.status, refused.body.code]).toEqual([403, 'MEMBERSHIP_INACTIVE']);
    await after.service.end();
    await rm(dataDir, { recursive: true, force: true });
  });
});
