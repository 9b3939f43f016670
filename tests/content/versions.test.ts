import { describe, expect, it } from '@jest/globals';
import { contentService, EXERCISE, PRODUCT, ROUTINE, unique } from './support.ts';

const { rest } = contentService();
const conflict = { status: 412, body: { code: 'VERSION_CONFLICT' } };

describe.each([
  ['product', '/products', () => ({ ...PRODUCT, sku: unique() }), { name: 'Changed' }],
  ['routine', '/workouts', () => ROUTINE, { title: 'Changed' }],
  ['exercise', '/exercises', () => EXERCISE, { name: 'Changed' }],
] as const)('a %s', (_what, path, made, change) => {
  it('is changed and deleted only at the version that was read', async () => {
    const put = (at: string, version: string) =>
      rest('super@demo.test', 'PUT', at, change, { 'if-match': version });
    const remove = (at: string, version: string) =>
      rest('super@demo.test', 'DELETE', at, undefined, { 'if-match': version });
    const created = await rest('super@demo.test', 'POST', path, made());
    expect(created.headers.get('etag')).toBe('"1"');
    const at = `${path}/${created.body.id}`;
    expect(await put(at, '"1"')).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await put(at, '"1"')).toMatchObject(conflict);
    expect(await remove(at, '"1"')).toMatchObject(conflict);
    expect((await remove(at, '"2"')).status).toBe(204);
  });
});
