import { describe, expect, test } from '@jest/globals';
import { contentService } from './support.ts';

const { rest, graph } = contentService();

describe('a list', () => {
  test.each([
    '/workouts?category=nonsense',
    '/workouts/category/nonsense',
    '/workouts?search=zzzzqqq',
    '/workouts?muscle=nose',
    '/exercises?equipment=spoon',
    '/products?kind=CAR',
    '/exercises?search=%20%20&category=none',
    ...['/workouts', '/exercises', '/products'].flatMap((list) =>
      ['%', '_', '...', '* & |', '🏋️'].map((text) => `${list}?search=${encodeURIComponent(text)}`),
    ),
    '/products?search=%25&sort=price',
    '/workouts?search=_&limit=1',
  ])('%s is an empty list', async (path) => {
    expect(await rest('anyone', 'GET', path)).toMatchObject({ status: 200, body: [] });
  });

  test.each([
    '/workouts?limit=0',
    '/workouts?limit=-1',
    '/workouts?limit=many',
    '/workouts?cursor=made-up',
    '/workouts?sort=colour',
    '/products?minPrice=cheap',
  ])('%s is refused', async (path) => {
    expect(await rest('anyone', 'GET', path)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  });

  test.each(['workouts', 'exercises', 'products'])(
    '%s accepts a search of 200 characters and refuses a longer one, by REST and by the graph',
    async (list) => {
      const query = `query ($search: String) { ${list}(search: $search) { nodes { id } } }`;
      const longest = 'a'.repeat(200);
      expect(await rest('anyone', 'GET', `/${list}?search=${longest}`)).toMatchObject({ status: 200 });
      expect(await graph('anyone', query, { search: longest })).toMatchObject({ status: 200 });
      expect(await rest('anyone', 'GET', `/${list}?search=${longest}a`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ path: 'search' }] },
      });
      expect((await graph('anyone', query, { search: `${longest}a` })).errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'search' }] } },
      ]);
    },
  );

  test.each([
    ['/workouts', 'sort=title'],
    ['/workouts', 'sort=newest'],
    ['/workouts', 'sort=duration'],
    ['/workouts', 'search=strength'],
    ['/exercises', 'search=press'],
    ['/products', 'sort=-price'],
  ])('%s?%s is paged without gaps or repeats', async (path, query) => {
    const whole = (await rest('super@demo.test', 'GET', `${path}?${query}&limit=200`)).body.map(
      ({ id }: { id: string }) => id,
    );
    const ids: string[] = [];
    for (let next: string | undefined = `${path}?${query}&limit=3`; next;) {
      const page = await rest('super@demo.test', 'GET', next);
      ids.push(...page.body.map(({ id }: { id: string }) => id));
      next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(ids).toEqual(whole);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test.each(['/workouts', '/exercises', '/products'])(
  '%s with a blank search is the whole list',
  async (list) => {
    const { body: all } = await rest('anyone', 'GET', list);
    expect((await rest('anyone', 'GET', `${list}?search=%20`)).body).toEqual(all);
  },
);

describe.each(['/workouts?maxMinutes=', '/products?maxPrice='])('a list with an upper limit: %s', (path) => {
  test('contains all rows if the limit is the largest safe integer, and fewer if it is 1', async () => {
    const [list = ''] = path.split('?');
    const all = (await rest('anyone', 'GET', list)).body;
    const { status, body } = await rest('anyone', 'GET', path + Number.MAX_SAFE_INTEGER);
    expect({ status, body }).toEqual({ status: 200, body: all });
    expect((await rest('anyone', 'GET', `${path}1`)).body.length).toBeLessThan(all.length);
  });
});
