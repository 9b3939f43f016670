import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Files that take more than 7 s, because they start many processes, wait for time limits or generate many cases; the
 * longest first. Jest would otherwise begin them last in a new checkout, which has no stored durations yet, and one worker
 * would idle at the end.
 */
const LONG = [
  'chaos/chaos',
  'events/webhooks',
  'gateway/reference-pages',
  'wizard/kill',
  'system/under-attack',
  'gateway/partial-answers',
  'server/rest-dispatcher',
  'server/redis-sentinels',
  'system/start',
  'system/fuzz',
  'squad/presence-by-gym',
  'events/kill',
  'server/slow-bodies',
  'server/redis-cluster',
  'squad/kill',
  'system/faults',
  'squad/abuse',
  'system/accounts',
  'squad/instances',
  'system/stop',
  'system/accounts-kill',
  'content/index-use',
  'gateway/pages',
  'squad/presence',
  'system/files-in-bucket',
  'wizard/deployments',
  'gateway/reload',
  'squad/journal-files',
  'squad/gym-change',
  'identity/mail',
  'gym/index-use',
  'identity/tokens',
  'server/database-faults',
  'squad/invite-interleavings',
  'server/jobs-of-replicas',
  'server/embedded-postgres',
  'events/feed',
  'identity/sessions',
  'gateway/breaker',
  'server/file-storage',
  'gateway/subscriptions-shared',
  'gateway/execution',
  'scripts/service-migrations',
  'squad/upkeep',
  'gym/shop-and-switches',
  'gateway/idle-sockets',
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
