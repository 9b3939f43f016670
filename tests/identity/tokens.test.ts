import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  type KeyObject,
} from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type * as Jose from 'jose';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { eventually } from '../support/eventually.ts';
import { claimsOf } from './support.ts';

let platform: TestPlatform;
/** Imported after the platform, because Jest cannot load it at the same time as jwks-rsa, which requires it. */
let jose: typeof Jose;
let token: string;
let claims: Record<string, unknown>;
let kid: string;
let jwk: Record<string, string>;
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'], env: { KEY_PUBLISH_AHEAD_SECONDS: '10' } });
  jose = await import('jose');
  token = await platform.demo('maya@iron.test');
  claims = claimsOf(token);
  kid = jose.decodeProtectedHeader(token).kid ?? '';
  jwk = (await jwks()).find((key) => key.kid === kid) ?? {};
});
afterAll(() => platform.stop());

const jwks = async (): Promise<Record<string, string>[]> =>
  (await platform.rest('identity', 'GET', '/.well-known/jwks.json')).body.keys;

const now = () => Math.floor(Date.now() / 1000);
const signed = (payload: object, header: object = {}, key: KeyObject | Uint8Array = stranger.privateKey) =>
  new jose.SignJWT({ ...claims, ...payload }).setProtectedHeader({ alg: 'ES256', kid, ...header }).sign(key);
/** A token signed with the platform's own key, read from the database, as a bug or an insider could create it. */
const signedByUs = async (payload: object, header: object = {}): Promise<string> => {
  const [row] = await platform.sql('identity', 'select private_key from signing_key where kid = $1', [kid]);
  return signed(payload, header, createPrivateKey(row.private_key));
};
const withPayload = (change: object): string => {
  const [header, , signature] = token.split('.');
  return `${header}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}.${signature}`;
};

describe('the published keys', () => {
  it('are public, have one algorithm, and verify tokens with an ordinary library', async () => {
    for (const key of await jwks()) {
      expect(key).toEqual({
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        use: 'sig',
        alg: 'ES256',
      });
    }
    const { payload } = await jose.jwtVerify(token, await jose.importJWK(jwk, 'ES256'), {
      issuer: 'fitness-platform',
      audience: 'fitness-platform',
    });
    expect(payload.sub).toBe(claims.sub);
  });
});

describe('an invalid token is answered with 401 by identity and gym, through REST and the graph', () => {
  const publicPem = () =>
    createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const hs256 = (secret: string | Buffer) =>
    new jose.SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new Uint8Array(Buffer.from(secret)));
  const forgeries: [string, () => Promise<string> | string][] = [
    ['algorithm none', () => new jose.UnsecuredJWT(claims).encode()],
    [
      'algorithm none with our kid',
      () =>
        `${Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url')}.${token.split('.')[1]}.`,
    ],
    ['HS256 with the public key as PEM', () => hs256(publicPem())],
    ['HS256 with the public key as JSON', () => hs256(JSON.stringify(jwk))],
    ['expired', () => signedByUs({ iat: now() - 1000, exp: now() - 1 })],
    ['not valid yet', () => signedByUs({ nbf: now() + 60 })],
    ['without an expiry', () => signedByUs({ exp: undefined })],
    ['another audience', () => signedByUs({ aud: 'somebody-else' })],
    ['another issuer', () => signedByUs({ iss: 'somebody-else' })],
    ['no audience', () => signedByUs({ aud: undefined })],
    ['an unknown role', () => signedByUs({ role: 'ROOT' })],
    ['our kid, but a stranger’s key', () => signed({})],
    ['an unknown kid', () => signed({}, { kid: randomUUID() })],
    ['no kid', () => signed({}, { kid: undefined })],
    ['a path as kid', () => signed({}, { kid: '../../../../dev/null' })],
    ['SQL as kid', () => signed({}, { kid: "' union select 'key' --" })],
    [
      'a key in its own header',
      () => signed({}, { jwk: stranger.publicKey.export({ format: 'jwk' }), kid: undefined }),
    ],
    ['the URL of a key in its own header', () => signed({}, { jku: 'http://127.0.0.1:1/jwks.json' })],
    ['a changed role', () => withPayload({ role: 'SUPER_ADMIN' })],
    ['a changed user', () => withPayload({ sub: randomUUID() })],
    ['a changed gym', () => withPayload({ gymId: DEMO_GYMS.aquaClub.id })],
    ['a cut signature', () => token.slice(0, -4)],
    ['an empty signature', () => `${token.split('.').slice(0, 2).join('.')}.`],
    ['the word null', () => 'null'],
    ['very long', () => 'a'.repeat(8_000)],
  ];

  it.each(forgeries)('%s', async (_what, make) => {
    const forged = await make();
    const attempts = [
      platform.rest('identity', 'GET', '/auth/me', { token: forged }),
      platform.rest('identity', 'GET', '/users/all', { token: forged }),
      platform.rest('gym', 'GET', '/locations', { token: forged }),
      platform.graph('identity', '{ me { id } }', {}, { token: forged }),
      platform.graph('gym', '{ locations { id } }', {}, { token: forged }),
    ];
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });

  it('a valid token that is signed in the same way is accepted', async () => {
    expect(
      (await platform.rest('gym', 'GET', '/locations', { token: await signedByUs({ jti: randomUUID() }) }))
        .status,
    ).toBe(200);
  });
});

describe('a service token', () => {
  const ask = (body: object) => platform.rest('identity', 'POST', '/auth/token', { body });

  it('is issued only for the right secret, and only to known services', async () => {
    const wrong = { grant_type: 'client_credentials', client_id: 'gym', client_secret: 'wrong' };
    expect((await ask(wrong)).status).toBe(401);
    expect((await ask({ ...wrong, client_id: 'stranger' })).status).toBe(401);
    expect((await ask({ ...wrong, client_secret: '' })).status).toBe(401);
    expect((await ask({ ...wrong, grant_type: 'password' })).status).toBe(400);
    expect(claimsOf(await platform.serviceToken('gym'))).toMatchObject({ sub: 'gym', role: 'SERVICE' });
  });

  it('does not count as a user', async () => {
    const service = await platform.serviceToken('gym');
    expect((await platform.rest('identity', 'GET', '/auth/me', { token: service })).status).toBe(403);
  });
});

describe('the rotation of the signing key', () => {
  it('fails no request of fifty clients, and keeps earlier tokens valid', async () => {
    const superAdmin = await platform.demo('super@demo.test');
    const { url: replica } = await platform.replica('identity');
    const clients = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { email, password } = await platform.register();
        return (await platform.rest('identity', 'POST', '/auth/login', { body: { email, password } }))
          .body as { token: string; refreshToken: string };
      }),
    );
    const failures: string[] = [];
    const kids = new Set<string>();
    let stopped = false;
    const work = async (client: { token: string; refreshToken: string }, index: number) => {
      while (!stopped) {
        const response = await fetch(`${index % 2 ? replica : platform.url('identity')}/auth/refresh`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ refreshToken: client.refreshToken }),
        });
        const next = (await response.json()) as typeof client;
        if (response.status !== 200) failures.push(`refresh ${response.status} ${JSON.stringify(next)}`);
        client.refreshToken = next.refreshToken;
        kids.add(jose.decodeProtectedHeader(next.token).kid ?? '');
        for (const used of [next.token, client.token]) {
          const { status, body } = await platform.rest('gym', 'GET', '/locations', { token: used });
          if (status !== 200) failures.push(`gym ${status} ${JSON.stringify(body)}`);
        }
      }
    };
    const working = Promise.all(clients.map(work));
    const [{ status, body }, again] = await Promise.all([
      platform.rest('identity', 'POST', '/auth/keys/rotate', { token: superAdmin }),
      platform.graph('identity', 'mutation { rotateSigningKey { kid } }', {}, { token: superAdmin }),
    ]);
    expect(status).toBe(200);
    // A second rotation at the same time returns the same new key.
    expect(again.data.rotateSigningKey.kid).toBe(body.kid);
    const { body: records } = await platform.rest('identity', 'GET', '/audit?action=SIGNING_KEY_ROTATED', {
      token: superAdmin,
    });
    expect((records as { details: object }[]).map(({ details }) => details)).toEqual([
      { kid: body.kid, signsFrom: body.signsFrom },
    ]);
    expect((await jwks()).map((key) => key.kid)).toEqual(expect.arrayContaining([kid, body.kid]));
    await eventually(async () => kids.has(body.kid), 30_000);
    const seen = kids.size;
    await new Promise((resolve) => setTimeout(resolve, 500)); // more requests with the new key
    stopped = true;
    await working;
    expect(failures).toEqual([]);
    expect(seen).toBe(2);
    expect((await platform.rest('identity', 'GET', '/auth/me', { token })).status).toBe(200);
    // When its last token has expired, the old key is no longer published.
    await platform.sql(
      'identity',
      `update signing_key set published_until = now() - interval '1 second' where kid = $1`,
      [kid],
    );
    await eventually(async () => !(await jwks()).some((key) => key.kid === kid));
  });

  it('happens automatically when the key is old, once for all replicas', async () => {
    await platform.sql(
      'identity',
      `update signing_key set created_at = now() - interval '31 days', signs_from = signs_from - interval '31 days'`,
    );
    const before = new Set((await jwks()).map((key) => key.kid));
    await Promise.all([
      platform.replica('identity'),
      platform.replica('identity'),
      platform.replica('identity'),
    ]);
    const added = await eventually(async () => {
      const kids = (await jwks()).map((key) => key.kid).filter((id) => !before.has(id));
      return kids.length > 0 && kids;
    });
    expect(added).toHaveLength(1);
  });
});
