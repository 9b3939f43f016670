import { expect, it } from '@jest/globals';
import { urlAt } from '#server/http/listen.ts';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3002'],
  ['10.0.0.1', 'http://10.0.0.1:3002'],
  ['gym.internal', 'http://gym.internal:3002'],
  ['::1', 'http://[::1]:3002'],
  ['0.0.0.0', 'http://127.0.0.1:3002'],
  ['::', 'http://[::1]:3002'],
])('a server that listens at %s can be reached at %s', (host, url) => {
  expect(urlAt(host, 3002)).toBe(url);
});
