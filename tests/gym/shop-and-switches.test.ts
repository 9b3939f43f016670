import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { itConcurrently } from '../support/it-concurrently.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { idsOf } from './support.ts';

let platform: TestPlatform;
let superAdmin: string;
let staff: string;
let maya: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'nutrition', 'content'] });
  [superAdmin, staff, maya] = (await Promise.all(
    (['super@demo.test', 'admin@iron.test', 'maya@iron.test'] as const).map((email) => platform.demo(email)),
  )) as [string, string, string];
});
afterAll(() => platform.stop());

const { ironTemple, aquaClub } = DEMO_GYMS;
const call = (method: string, at: string, token?: string, body?: object) =>
  platform.rest('gym', method, at, { ...(token && { token }), ...(body && { body }) });

/** Repeats `check` until it returns true; returns false if this takes more than 5 s. */
async function within5s(check: () => Promise<boolean>): Promise<boolean> {
  const until = Date.now() + 5_000;
  while (Date.now() < until) {
    if (await check()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

describe("a gym's shop and programme", () => {
  it.each([
    [
      'products',
      async () => {
        const [first, second] = await idsOf(platform, 'products');
        return {
          products: [{ productId: first, price: 1999, currency: 'EUR', stock: 3 }, { productId: second }],
        };
      },
    ],
    [
      'programs',
      async () => {
        const [first, second] = await idsOf(platform, 'workouts');
        return { programs: [{ routineId: first, note: 'For beginners' }, { routineId: second }] };
      },
    ],
  ])('%s are replaced as a whole by staff and read by everybody, in their order', async (list, make) => {
    const body: Record<string, object[]> = await make();
    const at = `/gym/${ironTemple.slug}/${list}`;
    expect((await call('PUT', at, maya, body)).status).toBe(403);
    expect((await call('PUT', at, await platform.demo('admin@aqua.test'), body)).status).toBe(403);
    expect((await call('PUT', at, staff, body)).body).toMatchObject(body[list] ?? []);
    expect((await call('GET', `/gym/${ironTemple.id}/${list}`)).body).toMatchObject(body[list] ?? []);
    const twice = { [list]: [body[list]?.[0], body[list]?.[0]] };
    expect((await call('PUT', at, staff, twice)).status).toBe(400);
    expect((await call('GET', '/gym/no-such-gym/products')).status).toBe(404);
    expect((await call('PUT', at, staff, { [list]: [] })).body).toEqual([]);
  });

  it('are in the graph, as references to entities of the content service', async () => {
    const [[productId], [routineId]] = [await idsOf(platform, 'products'), await idsOf(platform, 'workouts')];
    const set = await platform.graph(
      'gym',
      'mutation ($a: SetGymProductsInput!, $b: SetGymProgramsInput!) { setGymProducts(input: $a) { price product { id } } setGymPrograms(input: $b) { note routine { id } } }',
      {
        a: { gymId: aquaClub.id, products: [{ productId, price: 500, currency: 'USD' }] },
        b: { gymId: aquaClub.id, programs: [{ routineId, note: 'Swim' }] },
      },
      { token: superAdmin },
    );
    expect(set.data).toEqual({
      setGymProducts: [{ price: 500, product: { id: productId } }],
      setGymPrograms: [{ note: 'Swim', routine: { id: routineId } }],
    });
    const { data } = await platform.graph(
      'gym',
      '{ gym(slug: "aqua-club") { products { currency product { id } } programs { routine { id } } } }',
    );
    expect(data.gym).toEqual({
      products: [{ currency: 'USD', product: { id: productId } }],
      programs: [{ routine: { id: routineId } }],
    });
  });
});

describe('the configuration over time', () => {
  it('is drafted, published, listed in the history, and rolled back', async () => {
    const at = `/gym/config/${aquaClub.id}`;
    const before = (await call('GET', at)).body;
    expect((await call('GET', `${at}/draft`, superAdmin)).status).toBe(404);
    expect((await call('POST', `${at}/publish`, superAdmin)).status).toBe(409);
    const draft = await call('PUT', `${at}/draft`, superAdmin, { theme: { colors: { primary: '#abcdef' } } });
    expect(draft.body).toMatchObject({
      theme: { colors: { primary: '#abcdef' } },
      assets: before.assets,
      basedOnVersion: before.version,
    });
    expect((await call('GET', at)).body).toEqual(before);
    const published = (await call('POST', `${at}/publish`, superAdmin)).body;
    expect(published).toMatchObject({
      theme: { colors: { primary: '#abcdef' } },
      version: before.version + 1,
    });
    expect((await call('GET', `${at}/draft`, superAdmin)).status).toBe(404);
    const back = (await call('POST', `${at}/rollback`, superAdmin, { version: before.version })).body;
    expect(back).toMatchObject({ theme: before.theme, version: before.version + 2 });
    const history = (await call('GET', `${at}/history`, await platform.demo('admin@aqua.test'))).body;
    expect(history.map(({ version }: { version: number }) => version).slice(0, 3)).toEqual([
      back.version,
      published.version,
      before.version,
    ]);
    expect((await call('POST', `${at}/rollback`, superAdmin, { version: 9_999 })).status).toBe(404);
  });

  it('refuses to publish a draft over a configuration that was published in the meantime', async () => {
    const at = `/gym/config/${aquaClub.id}`;
    await call('PUT', `${at}/draft`, superAdmin, { theme: { colors: { primary: '#111111' } } });
    await call('PUT', '/gym/config', superAdmin, {
      gymId: aquaClub.id,
      theme: { colors: { primary: '#222222' } },
    });
    expect(await call('POST', `${at}/publish`, superAdmin)).toMatchObject({
      status: 412,
      body: { code: 'VERSION_CONFLICT' },
    });
    expect((await call('GET', at)).body.theme.colors.primary).toBe('#222222');
  });

  it.each(['draft', 'history'])('hides its %s from members', async (part) => {
    expect((await call('GET', `/gym/config/${ironTemple.id}/${part}`, maya)).status).toBe(403);
    expect((await call('GET', `/gym/config/${ironTemple.id}/${part}`)).status).toBe(401);
  });

  it('is exported as W3C design tokens', async () => {
    await call('PUT', '/gym/config', superAdmin, {
      gymId: ironTemple.id,
      theme: {
        colors: {
          primary: '#f00',
          shade: '#00000080',
          'not.a.name': '#fff',
          secondary: null,
          background: null,
          text: null,
        },
        typography: { fontFamily: 'Inter', baseSize: 16 },
        spacing: { unit: 8 },
      },
    });
    const { body, headers } = await call('GET', `/gym/config/${ironTemple.slug}/tokens`);
    expect(headers.get('content-type')).toContain('application/design-tokens+json');
    expect(body).toEqual({
      color: {
        primary: {
          $type: 'color',
          $value: { colorSpace: 'srgb', components: [1, 0, 0], alpha: 1, hex: '#ff0000' },
        },
        shade: {
          $type: 'color',
          $value: { colorSpace: 'srgb', components: [0, 0, 0], alpha: 0.502, hex: '#000000' },
        },
      },
      typography: {
        fontFamily: { $type: 'fontFamily', $value: 'Inter' },
        baseSize: { $type: 'dimension', $value: { value: 16, unit: 'px' } },
      },
      spacing: { unit: { $type: 'dimension', $value: { value: 8, unit: 'px' } } },
    });
  });
});

describe('design tokens', () => {
  it('have the types of their values: lists of fonts, weights, line heights, and colours in groups', async () => {
    const { body: gym } = await call('POST', '/gyms', superAdmin, {
      name: 'Tokens',
      slug: `tokens-${randomUUID().slice(0, 8)}`,
      theme: {
        colors: { brand: { light: '#ffffff', shades: { $dark: '#000000' } }, 'x-notes': { by: 'Ada' } },
        typography: {
          fontFamily: `Inter, "Open Sans", 'A, B', sans-serif`,
          headingFont: 'Oswald',
          weight: 'bold',
          headingWeight: 650,
          bodyWeight: 'rather bold',
          style: 'italic',
          lineHeight: 1.5,
          baseSize: 16,
          fontWeights: { strong: 700 },
          families: { body: { text: 'Lato' } },
        },
      },
    });
    const { color, typography } = (await call('GET', `/gym/config/${gym.id}/tokens`)).body;
    const {
      primary: _primary,
      secondary: _secondary,
      background: _background,
      text: _text,
      ...added
    } = color;
    expect(added).toEqual({
      brand: {
        light: {
          $type: 'color',
          $value: { colorSpace: 'srgb', components: [1, 1, 1], alpha: 1, hex: '#ffffff' },
        },
      },
    });
    expect(typography).toEqual({
      fontFamily: { $type: 'fontFamily', $value: ['Inter', 'Open Sans', 'A, B', 'sans-serif'] },
      headingFont: { $type: 'fontFamily', $value: 'Oswald' },
      weight: { $type: 'fontWeight', $value: 'bold' },
      headingWeight: { $type: 'fontWeight', $value: 650 },
      lineHeight: { $type: 'number', $value: 1.5 },
      fontWeights: { strong: { $type: 'fontWeight', $value: 700 } },
      families: { body: { text: { $type: 'fontFamily', $value: 'Lato' } } },
      baseSize: { $type: 'dimension', $value: { value: 16, unit: 'px' } },
    });
  });
});

describe('gyms', () => {
  it('are added by a SUPER_ADMIN, each slug once', async () => {
    const slug = `gym-${randomUUID().slice(0, 8)}`;
    expect((await call('POST', '/gyms', staff, { name: 'New', slug })).status).toBe(403);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        call('POST', '/gyms', superAdmin, { name: 'New Gym', slug, features: { squad: false } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ]);
    expect((await call('GET', `/gym/config/${slug}`)).body).toMatchObject({
      features: { squad: false },
      version: 1,
    });
    for (const wrong of ['A', 'Has Space', '-x-', 'x'.repeat(64)])
      expect((await call('POST', '/gyms', superAdmin, { name: 'New', slug: wrong })).status).toBe(400);
  });
});

interface ModuleCase {
  service: 'gym' | 'nutrition' | 'content';
  /** Paths, some with a query of the graph that reads the same. */
  reads: readonly (readonly [at: string, query?: string])[];
}
const MODULES: Readonly<Record<string, ModuleCase>> = {
  challenges: { service: 'gym', reads: [['/challenges', '{ challenges { id } }']] },
  feed: {
    service: 'gym',
    reads: [
      ['/posts', '{ posts { nodes { id } } }'],
      ['/announcements', '{ announcements { id } }'],
    ],
  },
  shop: {
    service: 'gym',
    reads: [
      [`/gym/${ironTemple.slug}/products`, '{ gym(slug: "iron-temple") { products { price } } }'],
      ['/orders?limit=1', '{ orders { nodes { id } } }'],
    ],
  },
  nutrition: { service: 'nutrition', reads: [['/foods?search=oat']] },
  content: {
    service: 'content',
    reads: [
      ['/workouts', '{ workouts { nodes { id } } }'],
      ['/trainings'],
      ['/trainings/summary?from=2026-01-01&to=2026-01-31'],
    ],
  },
};

async function expectRefusedToMembers(module: string, { service, reads }: ModuleCase): Promise<void> {
  const switchTo = (on: boolean) =>
    call('PUT', '/gym/config', superAdmin, { gymId: ironTemple.id, features: { [module]: on } });
  const status = async (at: string, token: string) =>
    (await platform.rest(service, 'GET', at, { token })).status;
  const allAnswer = (expected: number) =>
    within5s(async () => {
      const found = await Promise.all(reads.map(([at]) => status(at, maya)));
      return found.every((one) => one === expected);
    });
  await switchTo(false);
  try {
    expect(await allAnswer(403)).toBe(true);
    for (const [at, query] of reads) {
      expect((await platform.rest(service, 'GET', at, { token: maya })).body.code).toBe('FEATURE_DISABLED');
      expect(await status(at, staff)).toBe(200);
      expect(await status(at, await platform.demo('zoe@aqua.test'))).toBe(200);
      if (!query) continue;
      const { errors } = await platform.graph(service, query, {}, { token: maya });
      expect(errors).toMatchObject([{ extensions: { code: 'FEATURE_DISABLED' } }]);
    }
  } finally {
    await switchTo(true);
  }
  expect(await allAnswer(200)).toBe(true);
}

describe('a module that is switched off', () => {
  for (const [module, one] of Object.entries(MODULES))
    itConcurrently(
      `${module} is refused within 5 s, at ${one.service} ${one.reads.map(([at]) => at).join(' and ')}, to members of that gym only`,
      () => expectRefusedToMembers(module, one),
    );
});
