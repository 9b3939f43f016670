import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { checkIn, newMember, place } from './support.ts';

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;
const call = (method: string, at: string, token: string, body?: object, ifMatch?: string) =>
  platform.rest('gym', method, at, {
    token,
    ...(body && { body }),
    ...(ifMatch && { headers: { 'if-match': ifMatch } }),
  });
const create = async (at: string, body: object) => (await call('POST', at, staff, body)).body;

describe('a location', () => {
  it('has a version that increases with its changes, and a write based on an older one is refused', async () => {
    const { id, version } = await create('/locations', place());
    expect(version).toBe(1);
    const read = await call('GET', `/locations/${id}`, staff);
    const etag = read.headers.get('etag') ?? '';
    const first = await call('PUT', `/locations/${id}`, staff, { capacity: 20 }, etag);
    expect(first).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await call('PUT', `/locations/${id}`, staff, { capacity: 30 }, etag)).toMatchObject({
      status: 412,
      body: { code: 'VERSION_CONFLICT' },
    });
    expect((await call('PUT', `/locations/${id}`, staff, { capacity: 30, version: 1 })).status).toBe(412);
    expect((await call('PUT', `/locations/${id}`, staff, { capacity: 30 }, '*')).body.version).toBe(3);
    const graph = (expected: number) =>
      platform.graph(
        'gym',
        'mutation ($input: UpdateLocationInput!) { updateLocation(input: $input) { version capacity } }',
        { input: { id, capacity: 40, version: expected } },
        { token: staff },
      );
    expect((await graph(2)).errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT' } }]);
    expect((await graph(3)).data).toEqual({ updateLocation: { version: 4, capacity: 40 } });
  });

  it('is changed once by ten writes based on the same version', async () => {
    const { id } = await create('/locations', place());
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        call('PUT', `/locations/${id}`, staff, { capacity: 20 + i }, '"1"'),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 412),
    ]);
  });

  it('has another ETag after a check-in, although its version is the same', async () => {
    const [{ id }, member] = [await create('/locations', place()), await newMember(platform)];
    const read = (etag?: string) =>
      platform.rest('gym', 'GET', `/locations/${id}`, {
        token: staff,
        headers: { 'cache-control': 'max-age=0', ...(etag && { 'if-none-match': etag }) }, // without max-age, fetch would add no-cache
      });
    const etag = (await read()).headers.get('etag') ?? '';
    expect((await read(etag)).status).toBe(304);
    await checkIn(platform, member.token, { qrCode: member.qrCode, locationId: id });
    expect(await read(etag)).toMatchObject({ status: 200, body: { version: 1, occupancy: { people: 1 } } });
  });

  it('clears its address and its opening hours by null, and no other field', async () => {
    const made = await create(
      '/locations',
      place({ address: 'Old street 1', openingHours: { mon: { opens: '06:00', closes: '22:00' } } }),
    );
    const all = {
      name: null,
      address: null,
      timezone: null,
      capacity: null,
      maxStayMinutes: null,
      openingHours: null,
    };
    expect((await call('PUT', `/locations/${made.id}`, staff, {})).body).toMatchObject({
      address: 'Old street 1',
    });
    const { status, body } = await call('PUT', `/locations/${made.id}`, staff, all);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: made.name,
      timezone: made.timezone,
      capacity: made.capacity,
      maxStayMinutes: made.maxStayMinutes,
      address: null,
      openingHours: null,
    });
    const { data } = await platform.graph(
      'gym',
      'mutation ($a: UpdateLocationInput!, $b: UpdateLocationInput!) { a: updateLocation(input: $a) { address } b: updateLocation(input: $b) { address openingHours } }',
      {
        a: { id: made.id, address: 'New street 2', openingHours: {} },
        b: { id: made.id, address: null },
      },
      { token: staff },
    );
    expect(data).toEqual({ a: { address: 'New street 2' }, b: { address: null, openingHours: {} } });
  });
});

describe('a post', () => {
  it('keeps its version with likes and comments, and is not deleted if another version is expected', async () => {
    const { id, version } = await create('/posts', { text: `Post ${randomUUID()}` });
    await call('PUT', `/posts/${id}/like`, staff);
    await call('POST', `/posts/${id}/comments`, staff, { text: 'Yes' });
    const read = await call('GET', `/posts/${id}`, staff);
    expect(read.body).toMatchObject({ version, likeCount: 1, commentCount: 1 });
    expect((await call('DELETE', `/posts/${id}`, staff, undefined, '"7"')).status).toBe(412);
    const wrong = await platform.graph(
      'gym',
      'mutation ($id: ID!) { deletePost(id: $id, version: 7) }',
      { id },
      { token: staff },
    );
    expect(wrong.errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT' } }]);
    expect(
      (await call('DELETE', `/posts/${id}`, staff, undefined, read.headers.get('etag') ?? '')).status,
    ).toBe(204);
  });
});

describe('an announcement', () => {
  it('is not deleted if another version is expected', async () => {
    const { id, version } = await create('/announcements', { title: 'News', text: 'Text' });
    expect((await call('DELETE', `/announcements/${id}`, staff, undefined, '"7"')).status).toBe(412);
    const { data } = await platform.graph(
      'gym',
      'mutation ($id: ID!, $version: Int) { deleteAnnouncement(id: $id, version: $version) }',
      { id, version },
      { token: staff },
    );
    expect(data).toEqual({ deleteAnnouncement: true });
  });
});

describe('a challenge', () => {
  it('has a version, which scores do not change', async () => {
    const { id, version } = await create('/challenges', {
      title: 'C',
      metric: 'CUSTOM',
      goal: 5,
      startsAt: new Date(Date.now() - 1_000).toISOString(),
      endsAt: new Date(Date.now() + 60_000).toISOString(),
    });
    await call('POST', `/challenges/${id}/join`, staff);
    await call('POST', `/challenges/${id}/progress`, staff, { amount: 3 });
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { challenge(id: $id) { version score } }',
      { id },
      { token: staff },
    );
    expect(data.challenge).toEqual({ version, score: 3 });
  });
});

describe('the draft of a configuration', () => {
  const at = `/gym/config/${aquaClub.id}`;
  const save = (body: object, ifMatch?: string) => call('PUT', `${at}/draft`, superAdmin, body, ifMatch);

  it('has versions that increase across all drafts, so that a write changes only the draft that its caller has read', async () => {
    expect((await save({ features: { one: true } }, '"1"')).status).toBe(412); // a draft does not exist yet
    const first = await save({ features: { one: true } });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toBe(`"${first.body.version}"`);
    const second = await save({ features: { two: true } }, etag);
    expect(second.body).toMatchObject({
      version: first.body.version + 1,
      features: { one: true, two: true },
    });
    expect((await save({ features: { three: true } }, etag)).status).toBe(412);
    expect((await save({ features: { three: true }, version: first.body.version })).status).toBe(412);
    await call('POST', `${at}/publish`, superAdmin);
    const next = await save({ features: { four: true } });
    expect(next.body.version).toBe(second.body.version + 1);
    const { errors } = await platform.graph(
      'gym',
      'mutation ($input: SaveGymConfigDraftInput!) { saveGymConfigDraft(input: $input) { version } }',
      { input: { gymId: aquaClub.id, features: {}, version: 1 } },
      { token: superAdmin },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'VERSION_CONFLICT' } }]);
    await call('POST', `${at}/publish`, superAdmin);
  });

  it('keeps both changes of two simultaneous first saves', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [theme, feature] = [randomUUID(), `m-${randomUUID()}`];
      await Promise.all([save({ theme: { 'x-mark': theme } }), save({ features: { [feature]: true } })]);
      const { body } = await call('GET', `${at}/draft`, superAdmin);
      expect(body).toMatchObject({ theme: { 'x-mark': theme }, features: { [feature]: true } });
      await call('POST', `${at}/publish`, superAdmin);
    }
  });
});

const config = (groups: object) =>
  call('PUT', '/gym/config', superAdmin, { gymId: ironTemple.id, ...groups });
describe('the branding of a gym', () => {
  it.each([
    ['assets.banner', { assets: { banner: 'javascript:alert(1)' } }],
    ['assets.banner', { assets: { banner: '//evil.test/x.png' } }],
    ['assets.banner', { assets: { banner: '/\\evil.test/x.png' } }],
    ['assets.banner', { assets: { banner: '/\t/evil.test/x.png' } }],
    ['assets.banner', { assets: { banner: 'logo.png' } }],
    ['assets.banner', { assets: { banner: 'https://a.test/x.png"onerror="alert(1)' } }],
    ['assets.logo', { assets: { logo: 'data:text/html,x' } }],
    ['assets.sizes.0.src', { assets: { sizes: [{ src: 'javascript:alert(1)' }] } }],
    ['theme.colors.accent', { theme: { colors: { accent: 'red;}body{background:url(//evil)}' } } }],
    ['theme.colors.accent', { theme: { colors: { accent: 'red' } } }],
    ['theme.colors.accent', { theme: { colors: { accent: 5 } } }],
    ['theme.colors.brand.dark', { theme: { colors: { brand: { dark: 'blue' } } } }],
    ['theme.colors.x-note', { theme: { colors: { 'x-note': 'url(//evil)' } } }],
    ['theme.typography.fontFamily', { theme: { typography: { fontFamily: 'Inter;}' } } }],
    ['theme.typography.baseSize', { theme: { typography: { baseSize: '16px' } } }],
    ['theme.spacing.unit', { theme: { spacing: { unit: '8' } } }],
    ['theme.layout.hero', { theme: { layout: { hero: 'URL (x)' } } }],
    ['theme.layout.hero', { theme: { layout: { hero: 'a\\3b' } } }],
    ['theme.layout.hero', { theme: { layout: { hero: 'JavaScript:alert(1)' } } }],
    ['theme.}body{', { theme: { '}body{': 1 } }],
  ])(
    'refuses scripts, texts that would end a value of a style sheet, and wrong types: %s',
    async (path, groups) => {
      const wrong = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } };
      expect(await config(groups)).toMatchObject(wrong);
      expect(await call('PUT', `/gym/config/${ironTemple.id}/draft`, superAdmin, groups)).toMatchObject(
        wrong,
      );
      const made = { name: 'New', slug: `gym-${randomUUID().slice(0, 8)}`, ...groups };
      expect(await call('POST', '/gyms', superAdmin, made)).toMatchObject(wrong);
    },
  );

  it('keeps unknown keys, colours of any name and depth, URLs and paths', async () => {
    const groups = {
      assets: {
        banner: '/wizard/files/a.webp',
        sizes: [{ src: 'https://a.test/a(1).png?x=1;y=2', width: 300 }],
      },
      theme: {
        colors: { accent: '#abc', brand: { dark: '#11223344' }, 'x-name': 'Signal red' },
        typography: { fontFamily: '"Inter", sans-serif', lineHeight: 1.4, weight: 'bold' },
        layout: { columns: 3, rounded: true, shadow: '0 1px 2px rgba(0, 0, 0, 0.5)' },
      },
    };
    expect(await config(groups)).toMatchObject({ status: 200, body: groups });
  });

  it('is checked again if an earlier version is published again', async () => {
    await platform.sql(
      'gym',
      `update gym_config_version set assets = '{"banner": "javascript:alert(1)"}' where gym_id = $1 and version = 1`,
      [ironTemple.id],
    );
    expect(
      await call('POST', `/gym/config/${ironTemple.id}/rollback`, superAdmin, { version: 1 }),
    ).toMatchObject({ status: 400, body: { errors: [{ path: 'assets.banner' }] } });
  });
});

describe('a text that users read', () => {
  const running = { startsAt: '2026-01-01T00:00:00Z', endsAt: '2990-01-01T00:00:00Z' };
  it.each([
    ['/locations', 'name', place()],
    ['/challenges', 'title', { metric: 'CUSTOM', goal: 5, ...running }],
    ['/announcements', 'title', { text: 'Text' }],
    ['/announcements', 'text', { title: 'Title' }],
    ['/posts', 'text', {}],
    ['/gyms', 'name', { slug: 'unreadable' }],
  ])('is refused if it is invisible, reordered or not valid Unicode: %s %s', async (at, field, others) => {
    const token = at === '/gyms' ? superAdmin : staff;
    for (const text of ['ab\ud800cd', '\u200b\u200b\u200b', '\u2800\u2800', 'user\u202Egnp.exe', 'a\u2066b'])
      expect([text, await call('POST', at, token, { ...others, [field]: text })]).toMatchObject([
        text,
        { status: 400, body: { errors: [{ path: field }] } },
      ]);
    const fine = `👩‍👩‍👧 شكرا 力 ${randomUUID().slice(0, 8)}`;
    expect((await call('POST', at, token, { ...others, [field]: fine })).body[field]).toBe(fine);
  });
});
