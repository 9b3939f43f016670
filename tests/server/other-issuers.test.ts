import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { OtherIssuers } from '#server/auth/other-issuers.ts';
import { DEMO_GYMS, demoPerson } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

/** The file has two issuers with a key each, whose key sets are on one server, and one whose key set cannot be read. */
const folder = await mkdtemp(path.join(os.tmpdir(), 'issuers-'));
const file = path.join(folder, 'issuers.yaml');
const [COMPANY, TILL] = ['https://login.company.test', 'https://till.test'];
/** The platform's own `iss`. */
const OWN = 'fitness-platform';
let privateKeys: Record<string, CryptoKey>;
let keyServer: http.Server;
let keysUrl: string;

beforeAll(async () => {
  const [company, till] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('ES256')]);
  privateKeys = { [COMPANY]: company.privateKey, [TILL]: till.privateKey };
  const sets: Record<string, unknown> = {
    '/company': { keys: [{ ...(await exportJWK(company.publicKey)), kid: 'c1', alg: 'RS256' }] },
    '/till': { keys: [{ ...(await exportJWK(till.publicKey)), kid: 't1', alg: 'ES256' }] },
  };
  keyServer = http.createServer((req, res) => {
    const set = sets[req.url ?? ''];
    if (set) res.setHeader('content-type', 'application/json').end(JSON.stringify(set));
    else res.writeHead(500).end();
  });
  await new Promise<void>((resolve) => {
    keyServer.listen(0, '127.0.0.1', resolve);
  });
  keysUrl = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`;
  await writeFile(
    file,
    JSON.stringify({
      issuers: [
        {
          issuer: COMPANY,
          audience: 'gyms',
          jwksUrl: `${keysUrl}/company`,
          algorithms: ['RS256'],
          claims: { userId: 'platform.user', role: 'groups', gymId: 'https://company.test/gym' },
          roles: { trainers: 'GYM_ADMIN', guests: 'MEMBER' },
        },
        {
          issuer: TILL,
          audience: 'gyms',
          jwksUrl: `${keysUrl}/till`,
          claims: { gymId: 'gym', scope: 'scope' },
          machineClients: true,
        },
        {
          issuer: 'https://broken.test',
          audience: 'gyms',
          jwksUrl: `${keysUrl}/broken`,
          defaultRole: 'MEMBER',
        },
      ],
    }),
  );
});
afterAll(() => {
  keyServer.closeAllConnections();
  keyServer.close();
});

const maya = demoPerson('maya@iron.test').id;
const TILL_ID = '01900000-0000-7000-8000-00000000c1a1';
const gym = DEMO_GYMS.ironTemple.id;
const CLAIMS = { platform: { user: maya }, groups: ['other', 'guests'], 'https://company.test/gym': gym };

interface TokenOptions {
  issuer?: string;
  audience?: string;
  expires?: string;
  signedBy?: string;
}
const tokenWith = (claims: object, options: TokenOptions = {}): Promise<string> => {
  const { issuer = COMPANY, audience = 'gyms', expires = '5m', signedBy = issuer } = options;
  const key = privateKeys[signedBy];
  if (!key) throw new Error(`no key of ${signedBy}`);
  const header = signedBy === TILL ? { alg: 'ES256', kid: 't1' } : { alg: 'RS256', kid: 'c1' };
  return new SignJWT({ ...claims })
    .setProtectedHeader(header)
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key);
};

describe('the tokens of another issuer', () => {
  const viewerOf = async (token: string) => (await OtherIssuers.read(file, OWN))?.viewerOf(token);

  it('have the rights that the file maps their claims to', async () => {
    const user = { kind: 'user', userId: maya, gymId: gym, sessionId: '' };
    expect(await viewerOf(await tokenWith(CLAIMS))).toMatchObject({ ...user, role: 'MEMBER' });
    const trainer = await tokenWith({ ...CLAIMS, groups: 'trainers' });
    expect(await viewerOf(trainer)).toMatchObject({ ...user, role: 'GYM_ADMIN' });
    const till = await tokenWith({ sub: TILL_ID, gym, scope: 'check-in SUPER everything' }, { issuer: TILL });
    expect(await viewerOf(till)).toMatchObject({
      kind: 'client',
      clientId: TILL_ID,
      gymId: gym,
      scopes: new Set(['check-in']),
    });
    expect(
      await viewerOf(
        await new SignJWT({})
          .setProtectedHeader({ alg: 'RS256' })
          .setIssuer('x')
          .sign(privateKeys[COMPANY] as CryptoKey),
      ),
    ).toBeUndefined();
  });

  it.each<[string, object, TokenOptions]>([
    ['another audience', CLAIMS, { audience: 'others' }],
    ['an expiry in the past', CLAIMS, { expires: '-1m' }],
    ['the key of another issuer', CLAIMS, { signedBy: TILL }],
    ['a role that is not mapped', { ...CLAIMS, groups: ['SUPER_ADMIN', 'SERVICE'] }, {}],
    ['the name of an inherited property as role', { ...CLAIMS, groups: ['constructor', '__proto__'] }, {}],
    ['a user that is no UUID', { ...CLAIMS, platform: { user: 'maya' } }, {}],
    ['no user', { groups: ['guests'] }, {}],
    ['no gym, of a machine client', { sub: TILL_ID, scope: 'check-in' }, { issuer: TILL }],
  ])('are refused with %s', async (_what, claims, options) => {
    await expect(viewerOf(await tokenWith(claims, options))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('of a machine client need a UUID, with or without the prefix client:, because rows store who checked in', async () => {
    const till = (sub: string) => tokenWith({ sub, gym, scope: 'check-in' }, { issuer: TILL });
    expect(await viewerOf(await till(`client:${TILL_ID.toUpperCase()}`))).toMatchObject({
      clientId: TILL_ID,
    });
    for (const sub of ['till-1', 'client:till-1', ''])
      await expect(viewerOf(await till(sub))).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: 'The access token needs a UUID in the claim sub.',
      });
  });

  it('are refused without a signature, and without an expiry', async () => {
    const unsigned = new UnsecuredJWT({ ...CLAIMS })
      .setIssuer(COMPANY)
      .setAudience('gyms')
      .setExpirationTime('5m');
    await expect(viewerOf(unsigned.encode())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const endless = await new SignJWT({ ...CLAIMS })
      .setProtectedHeader({ alg: 'RS256', kid: 'c1' })
      .setIssuer(COMPANY)
      .setAudience('gyms')
      .sign(privateKeys[COMPANY] as CryptoKey);
    await expect(viewerOf(endless)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('are answered with 503 if the issuer does not answer', async () => {
    const token = await tokenWith(CLAIMS, { issuer: 'https://broken.test', signedBy: COMPANY });
    await expect(viewerOf(token)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it.each([
    [
      'issuers:\n  - issuer: a\n    audience: b\n    jwksUrl: nowhere\n    defaultRole: MEMBER',
      'line 4, issuers.0.jwksUrl: expected an http(s) URL',
    ],
    [
      'issuers:\n  - {issuer: a, audience: b, jwksUrl: "https://a.test", algorithms: [HS256], defaultRole: MEMBER}',
      'expected an asymmetric algorithm',
    ],
    [
      'issuers:\n  - {issuer: a, audience: b, jwksUrl: "https://a.test", defaultRole: SERVICE}',
      'issuers.0.defaultRole: expected MEMBER, GYM_ADMIN, SUPER_ADMIN',
    ],
    ['issuers:\n  - {issuer: a, audience: b, jwksUrl: "https://a.test"}', 'expected roles or defaultRole'],
    [
      `issuers:\n  - {issuer: ${OWN}, audience: b, jwksUrl: "https://a.test", defaultRole: MEMBER}`,
      'line 2, issuers.0.issuer: expected another issuer than the platform itself (JWT_ISSUER)',
    ],
    [
      'issuers:\n  - issuer: a\n    audience: *gyms\n    jwksUrl: "https://a.test"\n    defaultRole: MEMBER',
      'line 3: the alias *gyms has no anchor &gyms before it; define it, or put the text in quotes',
    ],
  ])('need a valid file; the message says what is wrong: %j', async (text, problem) => {
    const wrong = path.join(folder, `${randomUUID()}.yaml`);
    await writeFile(wrong, text);
    await expect(OtherIssuers.read(wrong, OWN)).rejects.toThrow(problem);
  });
});

describe('a platform with another issuer', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startPlatform({
      services: ['identity', 'gym'],
      gateway: true,
      env: { JWT_ISSUERS_FILE: file },
    });
  });
  afterAll(() => platform.stop());

  it('accepts its tokens at the gateway and at a service, and the tokens of identity as before', async () => {
    const token = await tokenWith(CLAIMS);
    expect(
      await platform.graph('gateway', '{ me { displayName gym { name } } }', {}, { token }),
    ).toMatchObject({
      data: { me: { displayName: 'Maya', gym: { name: 'Iron Temple' } } },
    });
    const admins = await fetch(`${platform.url('gym')}/audit`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(admins.status).toBe(403);
    const expired = await tokenWith(CLAIMS, { expires: '-1m' });
    const refused = await fetch(`${platform.url('identity')}/users/me`, {
      headers: { authorization: `Bearer ${expired}` },
    });
    expect(refused.status).toBe(401);
    const own = await platform.demo('maya@iron.test');
    expect(await platform.graph('gateway', '{ me { displayName } }', {}, { token: own })).toMatchObject({
      data: { me: { displayName: 'Maya' } },
    });
  });

  it('lets its machine client check in members', async () => {
    const checkIn = async (sub: string) => {
      const token = await tokenWith({ sub, gym, scope: 'check-in' }, { issuer: TILL });
      const member = await platform.demo('maya@iron.test');
      const { body: me } = await platform.rest('identity', 'GET', '/users/me', { token: member });
      const { body: locations } = await platform.rest('gym', 'GET', '/locations', { token: member });
      const body = { qrCode: me.qrCode, locationId: locations[0].id };
      return platform.rest('gym', 'POST', '/locations/check-in', { token, body });
    };
    expect(await checkIn('till-1')).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('UUID in the claim sub') },
    });
    expect(await checkIn(TILL_ID)).toMatchObject({ status: 201 });
  });
});
