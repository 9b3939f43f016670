import type { Random } from '../../support/graph-doubles/random.ts';

const LONG = 'x'.repeat(100_000);

/** Texts that have broken parsers, databases and pages. */
export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  '\u200B',
  '\u202Egnp.exe',
  '%',
  '_',
  '\\',
  "' or 1=1 --",
  '$1',
  '?',
  '../../etc/passwd',
  '%2e%2e%2f',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '=cmd|calc',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e400',
  '9007199254740993',
  '2147483648',
  '0000-01-01',
  '0001-01-01',
  '2026-02-30',
  '9999-12-31',
  '-000001-01-01',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-14:00',
  '2026-01-31T25:61:61Z',
  '2016-12-31T23:59:60Z',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'Europe/Berlin',
  '👩‍🚒'.repeat(50),
  'ﷺ'.repeat(500),
  LONG,
];

const HOSTILE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  0.1,
  1.5,
  -1e-300,
  1e300,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  -(2 ** 53),
  1e15,
];

/** An unexpected value of any type. */
export function hostileValue(random: Random, depth = 0): unknown {
  const kind = random.below(depth > 3 ? 4 : 7);
  if (kind === 0) return null;
  if (kind === 1) return random.pick(HOSTILE_NUMBERS);
  if (kind === 2) return random.chance(0.5);
  if (kind === 3 || kind === 4) return random.pick(HOSTILE_TEXTS);
  if (kind === 5) return Array.from({ length: random.below(4) }, () => hostileValue(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length: random.below(4) }, () => [
      random.pick(HOSTILE_TEXTS).slice(0, 50),
      hostileValue(random, depth + 1),
    ]),
  );
}

export const hostileText = (random: Random): string => random.pick(HOSTILE_TEXTS);
export const hostileNumber = (random: Random): number => random.pick(HOSTILE_NUMBERS);
