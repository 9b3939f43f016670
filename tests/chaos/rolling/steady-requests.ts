import type { Random } from '../../support/graph-doubles/random.ts';
import { REPLICAS } from '../cluster/cluster.ts';
import type { ChaosClient, Request } from '../workload/client.ts';
import type { World } from '../workload/people.ts';

export interface FailedRequest {
  atSeconds: number;
  request: string;
  status: number;
  code: string | undefined;
}

/** Requests at a fixed rate, each sent once, without a repetition. */
export interface SteadyRequests {
  /** Sends no more requests, and resolves when the last one is answered. */
  stop(): Promise<{ sent: number; failed: FailedRequest[] }>;
}

const HOME = `{ me { displayName gym { name } nutritionDay { totals { calories } } presence { online } } workouts(first: 1) { nodes { title } } }`;
const LOG = 'mutation ($input: LogFoodInput!) { logFood(input: $input) { id } }';
const MEAL = { foodName: 'Rolled oats', calories: 100, protein: 3, carbs: 18, fats: 2 };

const requests = ({ challengeId, locations }: World): Request[] => [
  { query: HOME },
  { query: '{ posts(first: 5) { nodes { text likeCount } } }' },
  { query: LOG, variables: { input: MEAL } },
  { method: 'GET', path: '/gym/posts?limit=10' },
  { method: 'GET', path: '/content/workouts?limit=5' },
  { method: 'GET', path: '/identity/users/me' },
  { method: 'GET', path: `/gym/locations/${locations[0]}/occupancy` },
  { method: 'GET', path: '/squad/online-users' },
  { method: 'POST', path: '/nutrition/log', body: MEAL },
  { method: 'POST', path: `/gym/challenges/${challengeId}/progress`, body: { amount: 1 } },
];

/**
 * Sends every request to every replica. The first time takes longer, because code is compiled. A balancer sends connections,
 * not requests, to the replicas in turn, so as many requests as there are replicas are sent at once, each by a connection of
 * its own.
 */
export async function warmUp(client: ChaosClient, world: World): Promise<void> {
  const { token } = world.members[0]!;
  for (const request of requests(world))
    await Promise.all(Array.from({ length: REPLICAS }, () => client.send(request, token)));
}

const TICK_MILLIS = 20;

export function sendSteadily(
  client: ChaosClient,
  world: World,
  { perSecond, random }: { perSecond: number; random: Random },
): SteadyRequests {
  const choices = requests(world);
  const failed: FailedRequest[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const sendOne = async (): Promise<void> => {
    const request = random.pick(choices);
    const { token } = random.pick(world.members);
    const atSeconds = (performance.now() - startedAt) / 1_000;
    const { status, code } = await client.send(request, token);
    if (status < 200 || status >= 300)
      failed.push({
        atSeconds: Math.round(atSeconds * 10) / 10,
        request: 'query' in request ? request.query.slice(0, 30) : `${request.method} ${request.path}`,
        status,
        code,
      });
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    while (sent < due) {
      sent += 1;
      const one = sendOne();
      open.add(one);
      void one.finally(() => open.delete(one));
    }
  }, TICK_MILLIS);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      return { sent, failed };
    },
  };
}
