import { expect, it } from '@jest/globals';
import { expectedVersionOf } from '#server/rest/versions.ts';

// RFC 9110, section 13.1.1: `If-Match` is "*" or a list of tags, one of which has to be that of the current version.
it.each([
  ['"7"', 7],
  ['"7.abcdefghijkl"', 7],
  ['W/"7"', 7],
  ['"7.abcdefghijkl", "7.mnopqrstuvwx"', 7],
  ['"6", "7"', 7], // versions only increase, so 6 cannot be the current one if the client has seen 7
  ['"7" ,\t"6"', 7],
  ['"of another, server", "7"', 7],
  ['*', undefined],
  [undefined, undefined],
])('If-Match: %s expects the version %s', (header, version) => {
  expect(expectedVersionOf(header, {})).toBe(version);
});

it.each(['7', '"abc"', '"7" "8"', '"7", *', '"7",, x', '"7', ''])('If-Match: %s is refused', (header) => {
  expect(() => expectedVersionOf(header, {})).toThrow(/If-Match/);
});

it('the body may have the highest version of the list, and no other one', () => {
  expect(expectedVersionOf('"6", "7"', { version: 7 })).toBe(7);
  expect(() => expectedVersionOf('"6", "7"', { version: 5 })).toThrow(/version/);
});
