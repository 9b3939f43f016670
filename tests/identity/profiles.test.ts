import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { me } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());

describe('a profile', () => {
  it('is changed in part, through both doors; what is absent stays', async () => {
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
    [[], 400],
    ['text', 415],
  ])('given %j answers %s, and changes nothing that is not theirs to change', async (body, status) => {
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
  it('is unique, known to services, a picture, and worthless once rotated', async () => {
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
