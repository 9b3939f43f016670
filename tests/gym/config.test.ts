import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const iron = DEMO_GYMS.ironTemple;
const UPDATE =
  'mutation ($input: UpdateGymConfigInput!) { updateGymConfig(input: $input) { gymId theme assets features version } }';

/** Changes the configuration at each door, and returns the answers in one form. */
const doors = {
  rest: async (input: object, token: string) => {
    const { status, body } = await platform.rest('gym', 'PUT', '/gym/config', { token, body: input });
    return { status, code: body.code as string | undefined, config: body };
  },
  graph: async (input: object, token: string) => {
    const { data, errors } = await platform.graph('gym', UPDATE, { input }, { token });
    const extensions = errors?.[0]?.extensions as { code: string; http: { status: number } } | undefined;
    return { status: extensions?.http.status ?? 200, code: extensions?.code, config: data?.updateGymConfig };
  },
};

describe('the configuration of a gym', () => {
  it('is read by everybody, by id and by slug, through both doors', async () => {
    for (const key of [iron.id, iron.slug]) {
      const { body } = await platform.rest('gym', 'GET', `/gym/config/${key}`);
      expect(body).toMatchObject({
        gymId: iron.id,
        theme: { colors: {} },
        assets: {},
        features: { nutrition: true },
      });
      const { data } = await platform.graph(
        'gym',
        'query ($key: ID!) { gymConfig(gymId: $key) { gymId theme assets features version } }',
        { key },
      );
      expect(data.gymConfig).toMatchObject({
        gymId: body.gymId,
        theme: body.theme,
        assets: body.assets,
        features: body.features,
        version: body.version,
      });
    }
  });

  it('is 404 by REST and null in the graph if there is no such gym', async () => {
    for (const key of [randomUUID(), 'no-such-gym', "'; drop table gym --", '%00']) {
      expect(await platform.rest('gym', 'GET', `/gym/config/${encodeURIComponent(key)}`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
      expect(
        await platform.graph('gym', 'query ($key: ID!) { gymConfig(gymId: $key) { gymId } }', { key }),
      ).toMatchObject({ data: { gymConfig: null } });
    }
  });

  it('that the first field of a mutation has written is the base of the draft that the second field writes', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const { data } = await platform.graph(
      'gym',
      `mutation ($one: UpdateGymConfigInput!, $other: SaveGymConfigDraftInput!) {
        updateGymConfig(input: $one) { version }
        saveGymConfigDraft(input: $other) { theme assets basedOnVersion }
      }`,
      {
        one: { gymId: iron.id, theme: { mark: one } },
        other: { gymId: iron.id, assets: { mark: `/files/${other}` } },
      },
      { token: superAdmin },
    );
    expect(data.saveGymConfigDraft).toMatchObject({
      theme: { mark: one },
      assets: { mark: `/files/${other}` },
      basedOnVersion: data.updateGymConfig.version,
    });
  });

  describe.each(Object.entries(doors))('changed by %s', (_door, update) => {
    it('merges: a given key replaces that key, null removes it, an absent key is unchanged', async () => {
      const mark = randomUUID();
      const change = (groups: object) => update({ gymId: iron.id, ...groups }, superAdmin);
      await change({
        theme: { colors: { primary: '#0f766e', 'x-one': mark, 'x-two': mark }, 'x-list': [1, 2] },
      });
      await change({ assets: { 'x-mark': `/files/${mark}` }, features: { 'x-module': true } });
      const { config } = await change({
        theme: { colors: { 'x-one': null, primary: '#7c3aed' }, 'x-list': [3] },
        features: { 'x-module': null },
      });
      expect(config.theme).toMatchObject({ colors: { primary: '#7c3aed', 'x-two': mark }, 'x-list': [3] });
      expect(config.theme.colors).not.toHaveProperty('x-one');
      expect(config.assets).toMatchObject({ 'x-mark': `/files/${mark}` });
      expect(config.features).not.toHaveProperty('x-module');
      expect((await change({ assets: null })).config.assets).toEqual({});
      for (const wrong of [
        { theme: { colors: { primary: null } } },
        { theme: { colors: null } },
        { theme: null },
        { gymId: randomUUID() },
      ])
        expect(await change(wrong)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
      expect((await change({ theme: { 'x-much': 'x'.repeat(70_000) } })).status).toBe(413);
    });

    it('keeps absent groups and unknown keys', async () => {
      const mark = randomUUID();
      const before = (await platform.rest('gym', 'GET', `/gym/config/${iron.id}`)).body;
      const { status, config } = await update(
        { gymId: iron.id, theme: { colors: { primary: '#123abc', 'x-brand': mark }, layout: { mark } } },
        superAdmin,
      );
      expect(status).toBe(200);
      expect(config).toMatchObject({
        theme: { colors: { primary: '#123abc', 'x-brand': mark }, layout: { mark } },
        assets: before.assets,
        features: before.features,
        version: before.version + 1,
      });
      expect((await platform.rest('gym', 'GET', `/gym/config/${iron.slug}`)).body.theme).toEqual(
        config.theme,
      );
    });

    it('is accepted only from a SUPER_ADMIN', async () => {
      const input = { gymId: iron.id, features: { nutrition: true } };
      for (const email of ['maya@iron.test', 'admin@iron.test'] as const)
        expect(await update(input, await platform.demo(email))).toMatchObject({
          status: 403,
          code: 'FORBIDDEN',
        });
      expect(await update(input, (await platform.register()).token)).toMatchObject({ status: 403 });
    });

    it('is refused if a value is invalid, and changes nothing', async () => {
      const before = (await platform.rest('gym', 'GET', `/gym/config/${iron.id}`)).body;
      for (const wrong of [
        { theme: { colors: { primary: 'red' } } },
        { assets: { logo: 'javascript:alert(1)' } },
        { features: { nutrition: 'yes' } },
        { theme: [] },
      ])
        expect(await update({ gymId: iron.id, ...wrong }, superAdmin)).toMatchObject({
          status: 400,
          code: 'VALIDATION_FAILED',
        });
      expect((await platform.rest('gym', 'GET', `/gym/config/${iron.id}`)).body).toEqual(before);
    });

    it('is refused with 412 if another request was first', async () => {
      const { version } = (await platform.rest('gym', 'GET', `/gym/config/${iron.id}`)).body;
      const change = { gymId: iron.id, features: { nutrition: true }, version };
      expect(await update(change, superAdmin)).toMatchObject({ status: 200 });
      expect(await update(change, superAdmin)).toMatchObject({ status: 412, code: 'VERSION_CONFLICT' });
    });

    it('applies 10 simultaneous changes one after the other', async () => {
      const { version } = (await platform.rest('gym', 'GET', `/gym/config/${iron.id}`)).body;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          update({ gymId: iron.id, assets: { logo: 'https://a.test/l.png' } }, superAdmin),
        ),
      );
      expect(answers.map(({ config }) => config.version).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 10 }, (_, i) => version + 1 + i),
      );
    });
  });

  it('is refused with the path of the invalid value', async () => {
    const { body } = await platform.rest('gym', 'PUT', '/gym/config', {
      token: superAdmin,
      body: { gymId: iron.id, theme: { colors: { primary: 'red' } } },
    });
    expect(body.errors).toEqual([
      { path: 'theme.colors.primary', message: expect.stringContaining('#1a2b3c') },
    ]);
  });

  it('has its version as ETag, and accepts it as If-Match', async () => {
    const read = await platform.rest('gym', 'GET', `/gym/config/${iron.id}`);
    const etag = read.headers.get('etag') ?? '';
    expect(etag).toBe(`"${read.body.version}"`);
    const put = (ifMatch: string, body = {}) =>
      platform.rest('gym', 'PUT', '/gym/config', {
        token: superAdmin,
        headers: { 'if-match': ifMatch },
        body: { gymId: iron.id, ...body },
      });
    expect((await put('"999999"')).status).toBe(412);
    expect((await put('junk')).status).toBe(400);
    expect((await put(etag, { version: 999_999 })).status).toBe(400);
    expect((await put(etag, { version: read.body.version })).headers.get('etag')).toBe(
      `"${read.body.version + 1}"`,
    );
    expect(
      (
        await platform.rest('gym', 'GET', `/gym/config/${iron.id}`, {
          headers: { 'if-none-match': `"${read.body.version + 1}"`, 'cache-control': 'max-age=0' }, // without max-age, fetch would add no-cache
        })
      ).status,
    ).toBe(304);
  });
});

describe('gyms', () => {
  it('are listed by name, for everybody', async () => {
    const names = (await platform.rest('gym', 'GET', '/gyms')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(['Aqua Club', 'Iron Temple']));
  });

  it('resolve by either key as entities, or are null if they do not exist', async () => {
    const query =
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Gym { id slug } } }';
    const representations = [
      { __typename: 'Gym', id: iron.id },
      { __typename: 'Gym', slug: 'aqua-club' },
      { __typename: 'Gym', id: randomUUID() },
    ];
    expect((await platform.graph('gym', query, { representations })).data._entities).toEqual([
      { id: iron.id, slug: iron.slug },
      { id: DEMO_GYMS.aquaClub.id, slug: 'aqua-club' },
      null,
    ]);
  });
});
