import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { holdingAccount, me } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

describe('a profile', () => {
  it('is changed in part, through both doors; absent fields are unchanged', async () => {
    const { token } = await platform.register();
    const put = (body: object) => platform.rest('identity', 'PUT', '/profile', { token, body });
    expect((await put({ bio: 'I lift.\nA lot. 🏋', units: 'IMPERIAL' })).body).toMatchObject({
      bio: 'I lift.\nA lot. 🏋',
      units: 'IMPERIAL',
      timezone: 'UTC',
    });
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { bio locale timezone units } }',
      { input: { locale: 'de-AT', timezone: 'Europe/Vienna' } },
      { token },
    );
    expect(data.updateProfile).toEqual({
      bio: 'I lift.\nA lot. 🏋',
      locale: 'de-AT',
      timezone: 'Europe/Vienna',
      units: 'IMPERIAL',
    });
    expect((await put({ bio: '' })).body.bio).toBeNull();
    expect((await put({})).status).toBe(200);
  });

  it('is changed only at the expected version, if one is given', async () => {
    const { token } = await platform.register();
    const put = (body: object, headers = {}) =>
      platform.rest('identity', 'PUT', '/profile', { token, body, headers });
    const read = await me(platform, token);
    expect(read.headers.get('etag')).toMatch(new RegExp(`^"${read.body.version}\\.[\\w-]{12}"$`));
    // Another caller reads another user at the same URL, with the same version.
    const other = await platform.register();
    const seen = await platform.rest('identity', 'GET', '/auth/me', {
      token: other.token,
      headers: { 'if-none-match': read.headers.get('etag') ?? '' },
    });
    expect(seen).toMatchObject({ status: 200, body: { id: other.id, version: read.body.version } });
    const changed = await put({ bio: 'first' }, { 'if-match': read.headers.get('etag') ?? '' });
    expect(changed).toMatchObject({ status: 200, body: { version: read.body.version + 1 } });
    const stale = { status: 412, body: { code: 'VERSION_CONFLICT' } };
    expect(await put({ bio: 'second' }, { 'if-match': read.headers.get('etag') ?? '' })).toMatchObject(stale);
    expect(await put({ bio: 'second', version: read.body.version })).toMatchObject(stale);
    const update = 'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { bio version } }';
    const input = { bio: 'second', version: read.body.version };
    const { errors } = await platform.graph('identity', update, { input }, { token });
    expect(errors?.[0]?.extensions.code).toBe('VERSION_CONFLICT');
    const { data } = await platform.graph(
      'identity',
      update,
      { input: { ...input, version: changed.body.version } },
      { token },
    );
    expect(data.updateProfile).toEqual({ bio: 'second', version: changed.body.version + 1 });
    // Of many simultaneous changes of one version only one succeeds.
    const begun = await holdingAccount(platform, read.body.id, async (waiting) => {
      const puts = Array.from({ length: 6 }, (_, index) =>
        put({ bio: `${index}`, version: changed.body.version + 1 }),
      );
      await waiting(6);
      return puts;
    });
    const answers = await Promise.all(begun);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 5 }, () => 412),
    ]);
    expect((await put({ bio: 'last write wins' })).status).toBe(200);
  });

  it('shows body data and training goals only to the user', async () => {
    const { id, token } = await platform.register();
    const put = async (body: object) =>
      (await platform.rest('identity', 'PUT', '/profile', { token, body })).body;
    expect((await me(platform, token)).body).toMatchObject({ body: null, trainingGoals: null });
    expect(await put({ body: { heightCm: 181.5, sex: 'FEMALE', birthDate: '1990-02-28' } })).toMatchObject({
      body: { heightCm: 181.5, weightKg: null, sex: 'FEMALE', birthDate: '1990-02-28' },
    });
    const { data } = await platform.graph(
      'identity',
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { body { heightCm weightKg sex birthDate } trainingGoals { goals activity } } }',
      { input: { body: { weightKg: 70, sex: null }, trainingGoals: { goals: ['strength', 'sleep'] } } },
      { token },
    );
    const kept = {
      body: { heightCm: 181.5, weightKg: 70, sex: null, birthDate: '1990-02-28' },
      trainingGoals: { goals: ['strength', 'sleep'], activity: null },
    };
    expect(data.updateProfile).toEqual(kept);
    for (const email of ['leo@iron.test', 'admin@iron.test', 'super@demo.test'] as const) {
      const other = await platform.demo(email);
      const seen = (await platform.rest('identity', 'GET', `/users/${id}`, { token: other })).body;
      expect(seen.displayName).toBeDefined();
      expect([seen.body, seen.trainingGoals]).toEqual([undefined, undefined]);
      const query = 'query ($id: ID!) { user(id: $id) { body { heightCm } trainingGoals { goals } } }';
      const graph = await platform.graph('identity', query, { id }, { token: other });
      expect(graph.data.user).toEqual({ body: null, trainingGoals: null });
    }
    const squad = await platform.serviceToken('squad');
    expect(
      (await platform.rest('identity', 'GET', `/users/${id}`, { token: squad })).body.body,
    ).toBeUndefined();
    expect(
      await put({
        body: { heightCm: null, weightKg: null, birthDate: null },
        trainingGoals: { goals: [], activity: null },
      }),
    ).toMatchObject({ body: null, trainingGoals: null });
  });

  it.each([
    [{ role: 'SUPER_ADMIN', email: 'other@x.test', qrCode: 'FIT-x' }, 200],
    [{ gymId: DEMO_GYMS.aquaClub.id }, 403],
    [{ displayname: 'x' }, 400],
    [{ timezone: 'Mars/Base' }, 400],
    [{ timezone: '+01:00' }, 400],
    [{ locale: 'not a locale' }, 400],
    [{ units: 'STONES' }, 400],
    [{ bio: 'x'.repeat(2_001) }, 400],
    [{ bio: 'a\0b' }, 400],
    [{ displayName: 'a\nb' }, 400],
    [{ displayName: '\u200b\u2060' }, 400],
    [{ displayName: 'half \ud800' }, 400],
    [{ bio: 'turned \u202e round' }, 400],
    [{ body: { heightCm: 20 } }, 400],
    [{ body: { weightKg: 4_000 } }, 400],
    [{ body: { sex: 'X' } }, 400],
    [{ body: { birthDate: '1850-01-01' } }, 400],
    [{ body: { birthDate: '2100-01-01' } }, 400],
    [{ body: { birthDate: new Date().toISOString().slice(0, 10) } }, 400],
    [{ body: { shoeSize: 42 } }, 400],
    [{ trainingGoals: { goals: Array.from({ length: 11 }, () => 'more') } }, 400],
    [{ trainingGoals: { goals: [''] } }, 400],
    [[], 400],
    ['text', 415],
  ])('keeps its protected fields if a change is %j, which is answered with %s', async (body, status) => {
    const { token, email } = await platform.register();
    expect((await platform.rest('identity', 'PUT', '/profile', { token, body })).status).toBe(status);
    expect((await me(platform, token)).body).toMatchObject({
      email,
      role: 'MEMBER',
      gymId: DEMO_GYMS.ironTemple.id,
    });
  });
});

describe('a QR code', () => {
  it('finds its user for services and staff, is available as a picture, and is invalid once rotated', async () => {
    const { id, token } = await platform.register();
    const before = (await me(platform, token)).body.qrCode;
    const whose = async (code: string) =>
      platform.rest('identity', 'GET', `/users/by-qr-code/${code}`, {
        token: await platform.serviceToken('gym'),
      });
    expect((await whose(before)).body).toMatchObject({ id, gymId: DEMO_GYMS.ironTemple.id });
    const { body } = await platform.rest('identity', 'POST', '/auth/qr/rotate', { token });
    expect(body.qrCode).not.toBe(before);
    expect((await whose(before)).status).toBe(404);
    expect((await whose(body.qrCode)).body.id).toBe(id);
    const staff = await platform.demo('admin@iron.test');
    const { data } = await platform.graph(
      'identity',
      'query ($code: String!) { userByQrCode(qrCode: $code) { id } }',
      { code: body.qrCode },
      { token: staff },
    );
    expect(data.userByQrCode.id).toBe(id);

    const svg = await platform.rest('identity', 'GET', '/users/me/qr.svg', { token });
    expect(svg.headers.get('content-type')).toContain('image/svg+xml');
    expect(svg.body).toMatch(/^<svg /);
    const png = await platform.rest('identity', 'GET', '/users/me/qr.png', { token });
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(png.headers.get('cache-control')).toContain('no-store');
    expect(png.body.subarray(1, 4).toString()).toBe('PNG');
  });
});
