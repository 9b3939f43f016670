import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { cursorsOf, pageSize } from '#server/paging.ts';

const cursors = cursorsOf('things', z.tuple([z.string(), z.number()]));

describe('cursors', () => {
  it('are read back as the keys that they were made from', () => {
    fc.assert(
      fc.property(fc.tuple(fc.string({ unit: 'binary' }), fc.integer()), (keys) =>
        expect(cursors.read(cursors.write(keys))).toEqual(keys),
      ),
    );
  });

  it.each([
    '',
    'x',
    'abc',
    '!!!',
    cursorsOf('others', z.tuple([z.string(), z.number()])).write(['a', 1]),
    `${cursors.write(['a', 1])}x`,
    '%00',
  ])('are refused if this list has not issued them: %j', (cursor) => {
    expect(() => cursors.read(cursor)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  });

  it('are refused if they are invented', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) =>
        expect(() => cursors.read(cursor)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' })),
      ),
    );
  });

  it('are refused if a client computed the checksum for a text that is not JSON', () => {
    const text = '["a",';
    const checksum = createHash('sha256').update(`things\n${text}`).digest('base64url').slice(0, 6);
    expect(() => cursors.read(Buffer.from(`${checksum}${text}`).toString('base64url'))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_FAILED' }),
    );
  });

  it('make a page, which has a next one if there is a row more than the limit', () => {
    const page = cursors.page(
      [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ] as const,
      { limit: 2 },
      ([name, rank]) => [name, rank],
    );
    expect(page).toMatchObject({
      items: [
        ['a', 1],
        ['b', 2],
      ],
      hasNextPage: true,
      hasPreviousPage: false,
    });
    expect(cursors.read(page.cursorOf(['b', 2]))).toEqual(['b', 2]);
  });
});

describe('page size', () => {
  it.each([
    [undefined, 50],
    [0, 0],
    [1, 1],
    [200, 200],
    [201, 200],
  ])('%p becomes %p', (limit, size) => expect(pageSize({ limit })).toBe(size));
  it.each([-1, 1.5, Number.NaN])('refuses %p', (limit) =>
    expect(() => pageSize({ limit })).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' })),
  );
});
