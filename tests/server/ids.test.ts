import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { isUuid, uuidv7 } from '#server/ids.ts';

describe('ids', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('are UUIDs of version 7 with the time of their creation', () => {
    const before = Date.now();
    const id = uuidv7();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(isUuid(id)).toBe(true);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('increase, also within one millisecond and beyond its counter', () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000);
    const ids = Array.from({ length: 20_000 }, () => uuidv7());
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('increase when the clock is set back', () => {
    const first = uuidv7();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    expect(uuidv7() > first).toBe(true);
  });

  it.each([
    '',
    'x',
    '01a1fc3c-25e7-7056-b8fb-17e0d3db093',
    '01a1fc3c-25e7-7056-b8fb-17e0d3db0936\n',
    '{01a1fc3c-25e7-7056-b8fb-17e0d3db0936}',
  ])('do not include %j', (text) => expect(isUuid(text)).toBe(false));
});

function timeOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
}
