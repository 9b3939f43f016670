import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uuidv7 } from '#server/ids.ts';
import { ShortLivedCodes } from '../../subgraphs/identity/qr-codes/short-lived-codes.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

const codeOf = async (token: string) =>
  (await platform.rest('identity', 'GET', '/users/me/qr', { token })).body.code as string;
const resolve = async (code: string) =>
  platform.rest('identity', 'GET', `/qr-codes/${encodeURIComponent(code)}`, {
    token: await platform.serviceToken('gym'),
  });

/** A code of the user, as identity would have signed it at that time. */
async function codeFrom(userId: string, at: number): Promise<string> {
  const [key] = await platform.sql(
    'identity',
    'select kid, private_key from signing_key order by signs_from desc',
  );
  const [user] = await platform.sql('identity', 'select qr_code from user_account where id = $1', [userId]);
  const signing = { kid: key.kid as string, privateKey: createPrivateKey(key.private_key as string) };
  const codes = new ShortLivedCodes({ signing: () => signing, published: () => [] });
  return codes.issue(userId, user.qr_code as string, at).code;
}

describe('a short-lived code', () => {
  it('works for a minute, is new at every request, and no cache may store it', async () => {
    const { id, token } = await platform.register();
    const before = Date.now();
    const { status, headers, body } = await platform.rest('identity', 'GET', '/users/me/qr', { token });
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(body).toEqual({ code: expect.stringMatching(/^[\w.-]{128}$/), expiresAt: expect.any(String) });
    expect(Date.parse(body.expiresAt) - before).toBeGreaterThanOrEqual(60_000);
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await codeOf(token)).not.toBe(body.code);
    expect(await resolve(body.code)).toMatchObject({
      status: 200,
      body: { user: { id }, isShortLived: true, isExpired: false },
    });
  });

  it('is the same kind of code in the graph, and finds its user for staff', async () => {
    const { id, token } = await platform.register();
    const { data } = await platform.graph('identity', '{ myQr { code expiresAt } }', {}, { token });
    const staff = await platform.demo('admin@iron.test');
    const { code } = data.myQr as { code: string };
    expect(
      (await platform.rest('identity', 'GET', `/users/by-qr-code/${code}`, { token: staff })).body,
    ).toMatchObject({ id });
    const query = 'query ($code: String!) { userByQrCode(qrCode: $code) { id } }';
    expect((await platform.graph('identity', query, { code }, { token: staff })).data).toEqual({
      userByQrCode: { id },
    });
  });

  it('has expired after the minute; the lasting code has not', async () => {
    const { id, token } = await platform.register();
    const staff = await platform.demo('admin@iron.test');
    const early = await codeFrom(id, Date.now() - 30_000);
    const late = await codeFrom(id, Date.now() - 60_001);
    const whose = (code: string) =>
      platform.rest('identity', 'GET', `/users/by-qr-code/${code}`, { token: staff });
    expect((await whose(early)).status).toBe(200);
    expect(await whose(late)).toMatchObject({ status: 403, body: { code: 'QR_EXPIRED' } });
    expect((await resolve(late)).body).toMatchObject({ user: { id }, isShortLived: true, isExpired: true });
    const { qrCode } = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    expect((await resolve(qrCode)).body).toMatchObject({ isShortLived: false, isExpired: false });
  });

  it('ends when the lasting code is rotated', async () => {
    const { token } = await platform.register();
    const code = await codeOf(token);
    expect((await resolve(code)).status).toBe(200);
    await platform.rest('identity', 'POST', '/auth/qr/rotate', { token });
    expect((await resolve(code)).status).toBe(404);
    expect((await resolve(await codeOf(token))).status).toBe(200);
  });

  it('works at every replica, and while the key that signed it is being replaced', async () => {
    const { token } = await platform.register();
    const replica = await platform.replica('identity');
    const code = await codeOf(token);
    const root = await platform.demo('super@demo.test');
    await platform.rest('identity', 'POST', '/auth/keys/rotate', { token: root });
    const answer = await fetch(`${replica.url}/qr-codes/${code}`, {
      headers: { authorization: `Bearer ${await platform.serviceToken('gym')}` },
    });
    expect(answer.status).toBe(200);
  });

  it('is answered with 404 if it was changed or made up', async () => {
    const { token } = await platform.register();
    const code = await codeOf(token);
    const forged = [
      code.slice(0, -1),
      `${code}A`,
      code.replace('FIT1.', 'FIT2.'),
      `FIT1.${'_'.repeat(123)}`,
      `FIT1.${'A'.repeat(123)}`,
      'FIT1.',
      `FIT1.${'%00'.repeat(10)}`,
      'x'.repeat(1_024),
    ];
    expect(await Promise.all(forged.map(async (one) => (await resolve(one)).status))).toEqual(
      forged.map(() => 404),
    );
  });

  it('can be requested only by users, and `/qr-codes` answers only services', async () => {
    const service = await platform.serviceToken('gym');
    expect((await platform.rest('identity', 'GET', '/users/me/qr', { token: service })).status).toBe(403);
    expect((await platform.rest('identity', 'GET', '/users/me/qr')).status).toBe(401);
    const staff = await platform.demo('admin@iron.test');
    const code = await codeOf(staff);
    expect((await platform.rest('identity', 'GET', `/qr-codes/${code}`, { token: staff })).status).toBe(403);
  });
});

describe('the signature of a short-lived code', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = {
    kid: 'AAECAwQFBgcICQoLDA0ODw',
    jwk: {},
    pem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    privateKey,
  };
  const codes = new ShortLivedCodes({ signing: () => key, published: () => [key] });

  it('covers every bit of the code, and the lasting code', () => {
    const userId = uuidv7();
    const { code } = codes.issue(userId, 'FIT-lasting');
    expect(codes.read(code)).toMatchObject({ userId });
    expect(codes.read(code)?.isSignedFor('FIT-lasting')).toBe(true);
    expect(codes.read(code)?.isSignedFor('FIT-other')).toBe(false);
    const bytes = Buffer.from(code.slice(5), 'base64url');
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const read = codes.read(`FIT1.${changed.toString('base64url')}`);
      if (read?.isSignedFor('FIT-lasting')) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });
});
