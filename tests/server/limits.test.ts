import { describe, expect, it } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { ANONYMOUS_LIMITS, operationLimiter, OPERATION_LIMITS } from '#server/graphql/limits.ts';

const limiter = operationLimiter(OPERATION_LIMITS);
/** `{ a { a { ... } } }`, with `innermost` as the innermost selection. */
const nested = (depth: number, innermost = '') =>
  `${'{ a '.repeat(depth)}${innermost && `{ ${innermost} }`}${'}'.repeat(depth)}`;
/** Nested conditions around the selections. */
const conditions = (count: number, selections: string) =>
  `${'... @include(if: true) { '.repeat(count)}${selections}${' }'.repeat(count)}`;
const refusal = (query: string): string | undefined => {
  try {
    limiter.check(query);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('limits of a GraphQL operation', () => {
  it.each([
    ['depth 13', nested(13)],
    ['depth 200', nested(200)],
    [
      'depth hidden in fragments',
      `{ a { ...A } } fragment A on T ${nested(5, '...B')} fragment B on T ${nested(7)}`,
    ],
    ['31 aliases', `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: a`).join(' ')} }`],
    [
      'aliases multiplied by fragments',
      `{ ...A ...A ...A ...A } fragment A on T { ${Array.from({ length: 8 }, (_, i) => `a${i}: a`).join(' ')} }`,
    ],
    ['10,000 aliases', `{ ${Array.from({ length: 10_000 }, (_, i) => `a${i}: a`).join(' ')} }`],
    ['21 root fields', `{ ${Array.from({ length: 21 }, (_, i) => `f${i}`).join(' ')} }`],
    [
      '2,001 selections',
      `{ a { ${'b '.repeat(1_000)} } c { ${'...F '.repeat(5)} } } fragment F on T { ${'b '.repeat(200)} }`,
    ],
    [
      '2,048 selections, by 11 fragments of which each doubles the next',
      `{ ...F0 } ${Array.from({ length: 11 }, (_, i) => `fragment F${i} on T { ...F${i + 1} ...F${i + 1} }`).join(' ')} fragment F11 on T { a }`,
    ],
    ['201 objects', `{ a { ${'b { c } '.repeat(200)} } }`],
    [
      '110 objects inside a condition, which count twice',
      `{ a { ${conditions(1, 'b { c } '.repeat(110))} } }`,
    ],
    [
      '10 objects inside 20 nested conditions, each of which counts them again',
      `{ ${conditions(20, 'b { c } '.repeat(10))} }`,
    ],
    [
      'a condition around a fragment of 110 objects, which count twice',
      `query ($v: Boolean!) { ...F @skip(if: $v) } fragment F on T { ${'b { c } '.repeat(110)} }`,
    ],
    ['a comment of 64 KiB', `{ a } # ${'x'.repeat(64 * 1024)}`],
    ['a text value of 64 KiB', `{ a(b: "${'x'.repeat(64 * 1024)}") }`],
    ['1,000 directives', `{ a ${'@x '.repeat(1_000)} }`],
  ])('refuses %s', (_name, query) => {
    expect(refusal(query)).toBe('OPERATION_LIMIT_EXCEEDED');
  });

  it.each([
    ['depth 12', nested(12)],
    ['200 objects', `{ a { ${'b { c } '.repeat(199)} } }`],
    ['90 objects inside a condition, which count twice', `{ a { ${conditions(1, 'b { c } '.repeat(90))} } }`],
    ['20 nested conditions around leaves', `{ a { ${conditions(20, 'b c d')} } }`],
    ['1,900 selections', `{ a { ${'b '.repeat(1_900)} } }`],
    ['a comment of 60,000 characters', `{ a } # ${'x'.repeat(60_000)}`],
    ['a fragment that uses itself (validation refuses it)', '{ ...A } fragment A on T { a ...A }'],
    ['a text that does not parse (the parser refuses it)', '{ a'],
    [
      'deep introspection',
      '{ __schema { types { fields { type { ofType { ofType { ofType { ofType { ofType { ofType { ofType { name } } } } } } } } } } } }',
    ],
  ])('accepts %s', (_name, query) => {
    expect(refusal(query)).toBeUndefined();
  });

  it('refuses fragments that multiply to 2^60 fields, without visiting every field', () => {
    const fragments = Array.from(
      { length: 60 },
      (_, i) => `fragment F${i} on T { ...F${i + 1} ...F${i + 1} }`,
    ).join(' ');
    expect(refusal(`{ ...F0 } ${fragments} fragment F60 on T { x: a }`)).toBe('OPERATION_LIMIT_EXCEEDED');
  });
});

describe('limits of a caller without an access token', () => {
  const limiterWithAnonymous = operationLimiter(OPERATION_LIMITS, ANONYMOUS_LIMITS);
  const user = {
    kind: 'user',
    userId: '1',
    role: 'MEMBER',
    gymId: null,
    sessionId: '1',
    expiresAt: Infinity,
  } as const;

  it.each([
    // These are the lexical tokens of a document (GraphQL specification, 2.1.6), not access tokens.
    ['tokens', `{ a { ${'b '.repeat(400)} } c { ${'d @x(e: f) '.repeat(20)} ${'b(c: $d) '.repeat(90)} } }`],
    ['selections', `{ a { ${'b '.repeat(600)} } }`],
    ['objects', `{ a { ${'b { c } '.repeat(70)} } }`],
  ])('refuse too many %s, also if a user has sent the same text before', (what, query) => {
    const refused = expect.objectContaining({
      code: 'OPERATION_LIMIT_EXCEEDED',
      message: expect.stringContaining(`${ANONYMOUS_LIMITS[what as 'objects']} ${what}`),
    });
    expect(thrownBy(() => limiterWithAnonymous.check(query, ANONYMOUS))).toEqual(refused);
    expect(thrownBy(() => limiterWithAnonymous.check(query, user))).toBeUndefined();
    expect(thrownBy(() => limiterWithAnonymous.check(query, ANONYMOUS))).toEqual(refused);
  });

  it.each([
    ['the usual introspection query', getIntrospectionQuery({ descriptions: true })],
    ['30 aliases', `{ a { ${Array.from({ length: 30 }, (_, i) => `a${i}: b`).join(' ')} } }`],
    ['20 root fields', `{ ${Array.from({ length: 20 }, (_, i) => `f${i} { g }`).join(' ')} }`],
    ['depth 12', nested(12)],
  ])('allow %s', (_what, query) => {
    expect(thrownBy(() => limiterWithAnonymous.check(query, ANONYMOUS))).toBeUndefined();
  });
});

function thrownBy(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
