import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Files that take more than 10 s, because they start many processes, wait for time limits or generate many cases; the
 * longest first. Otherwise, in a new checkout, which has no stored durations yet, Jest could begin them last, and the other
 * workers would wait for one of them at the end.
 */
const LONG = [
  'chaos/chaos',
  'gateway/reference-pages',
  'system/start',
  'server/rest-dispatcher',
  'wizard/kill',
  'system/under-attack',
  'gym/index-use',
  'backup/backup',
  'content/training-import-limits',
  'system/membership-kill',
  'gym/kiosk',
  'events/kill',
  'events/webhook-attempts',
  'gateway/partial-answers',
  'system/fuzz',
  'deploy/alerts',
  'events/integrators-day',
  'deploy/least-rights',
  'squad/kill',
  'gateway/pages-live',
  'gateway/graph-clients',
  'squad/training-kill',
  'system/stop',
  'content/index-use',
  'server/opening-hours',
  'gateway/reload',
  'system/season',
  'gateway/pages',
  'upgrade/upgrade',
  'agents/rights',
  'server/slow-bodies',
  'wizard/deployments',
  'system/faults',
  'gateway/subscriptions-shared',
  'identity/memberships',
  'squad/presence-by-gym',
  'squad/squad-trainings',
  'observability/off',
  'squad/instances',
  'system/accounts',
  'squad/privacy-worlds',
  'system/accounts-kill',
  'squad/abuse',
  'identity/avatars',
  'system/files-in-bucket',
  'backup/archive',
  'examples/examples',
  'gateway/execution',
  'identity/tokens',
  'server/redis-sentinels',
  'squad/presence',
  'identity/joining',
  'server/rights',
  'events/webhooks',
  'squad/gym-change',
  'squad/journal-files',
  'server/client-rights',
  'server/database-faults',
  'server/worker-pool',
  'identity/user-imports',
].map((name) => `/tests/${name}.test.ts`);

/**
 * Long files first, then by size. The order is the same in every run, so that a failure that depends on the order can be
 * repeated.
 */
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
