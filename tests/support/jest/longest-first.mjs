import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Files that take long for their size, because they start many processes or generate many cases; the longest first. Jest
 * would otherwise begin them last in a new checkout, which has no stored durations yet, and one worker would idle at the end.
 */
const LONG = [
  'chaos/chaos',
  'gateway/execution',
  'wizard/kill',
  'gateway/reload',
  'squad/kill',
  'server/saga-simulation',
  'system/start',
  'squad/feed',
  'system/stop',
  'scripts/service-migrations',
  'system/under-attack',
  'gateway/pages',
  'nutrition/imports',
  'content/index-use',
  'squad/privacy-worlds',
  'system/fuzz',
  'squad/journals',
  'system/accounts',
  'system/accounts-kill',
].map((name) => `/tests/${name}.test.ts`);

/** Long files first, then by size. The order is the same in every run, so that a failure that depends on the order can be repeated. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONG.findIndex((name) => path.endsWith(name));
      return found === -1 ? LONG.length : found;
    };
    const size = new Map([...tests].map((test) => [test, statSync(test.path).size]));
    return [...tests].toSorted((a, b) => rank(a) - rank(b) || size.get(b) - size.get(a));
  }
}
