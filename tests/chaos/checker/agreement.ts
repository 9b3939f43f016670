import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { REPLICAS, type ChaosCluster } from '../cluster/cluster.ts';
import type { ServerName } from '../cluster/replica.ts';
import type { History } from '../history.ts';
import type { Workload } from '../workload/workload.ts';
import type { World } from '../workload/people.ts';
import type { Violation } from './violation.ts';

/** Reads from a server of one replica. @throws Error if the answer is not 200 */
export type ReadReplica = <Body>(replica: number, path: string, token: string) => Promise<Body>;

export const replicaReader =
  (cluster: ChaosCluster, server: ServerName = 'squad'): ReadReplica =>
  async <Body>(replica: number, path: string, token: string) => {
    const answer = await fetch(cluster.directUrl(server, replica) + path, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(5_000),
    });
    if (answer.status !== 200) throw new Error(`replica ${replica}: ${path} answered ${answer.status}`);
    return (await answer.json()) as Body;
  };

/** What is read from each replica: the service, the path and the token. */
function reads({ members, pairs, challengeId, locations }: World, workload: Workload) {
  const { token } = members[0]!;
  return [
    ['gym', '/posts?limit=50', token],
    ['gym', `/challenges/${challengeId}/leaderboard`, token],
    ...locations.map((id) => ['gym', `/locations/${id}/occupancy`, token] as const),
    ['nutrition', `/history/${members[0]!.id}?limit=50`, token],
    ['identity', '/users/me', pairs[0]![0].token],
    ['squad', '/online-users', token],
    ...workload.pairs.flatMap(({ squadId, host }) =>
      squadId
        ? ([
            ['squad', `/squads/${squadId}`, host.token],
            ['squad', `/squads/${squadId}/messages?limit=200`, host.token],
          ] as const)
        : [],
    ),
  ] as const;
}

/**
 * Checks, while no operation runs, that every member's socket has received what was acknowledged in its squad, and
 * that every replica answers the same. Waits for this until `untilMillis`, a time of `performance.now`. The sockets
 * are checked first: a replica that is read brings its own sockets up to date, which would hide that it has missed a
 * notice.
 */
export async function disagreements(
  cluster: ChaosCluster,
  world: World,
  workload: Workload,
  untilMillis: number,
): Promise<Violation[]> {
  const { history } = world.client;
  const late = await untilNone(() => Promise.resolve(missingAtSockets(history, workload)), untilMillis);
  const differing = await untilNone(
    () => differences(cluster, world, workload).catch((error: Error) => [error.message]),
    Math.max(untilMillis, performance.now() + 1_000),
  );
  return [
    ...late.map((what) => ({ rule: 'events are missing', what, operations: [] })),
    ...differing.map((what) => ({ rule: 'replicas differ', what, operations: [] })),
  ];
}

/** How long a difference is watched after the limit. It may vanish, because squad compares its journals every 15 s. */
const WATCH_MILLIS = 20_000;

/** The differences at the limit, each with a note: when it vanished, or that it was still there 20 s later. */
async function untilNone(look: () => Promise<string[]>, untilMillis: number): Promise<string[]> {
  let atLimit: string[] | undefined;
  for (;;) {
    const found = await look();
    const lateMillis = performance.now() - untilMillis;
    if (found.length === 0 && !atLimit) return [];
    if (lateMillis > 0) atLimit ??= found;
    const note =
      found.length === 0 ? `vanished ${Math.round(lateMillis)} ms too late` : 'still there 20 s later';
    if (atLimit && (found.length === 0 || lateMillis > WATCH_MILLIS))
      return atLimit.map((what) => `${what} (${note})`);
    await sleep(200);
  }
}

function missingAtSockets(history: History, { pairs }: Workload): string[] {
  return pairs.flatMap(({ squadId, host, sockets }) => {
    const valuesOf = (kind: string): number[] =>
      history
        .of<number>(kind)
        .filter(({ input, outcome }) => input.squadId === squadId && outcome === 'ok')
        .map(({ value }) => value ?? 0);
    // A squad that has ended sends nothing to members who connect again afterwards.
    if (history.of('end-squad').some(({ input }) => input.squadId === squadId)) return [];
    const revision = Math.max(0, ...valuesOf('set'));
    return sockets.flatMap((socket, index) => {
      const name = `${host.name}: socket ${index} of ${squadId}`;
      const missing = valuesOf('message').filter((seq) => !socket.received.includes(seq));
      return [
        ...(socket.revision < revision ? [`${name} has revision ${socket.revision}, not ${revision}`] : []),
        ...(missing.length > 0 ? [`${name} has not received the messages ${missing.join()}`] : []),
      ];
    });
  });
}

async function differences(cluster: ChaosCluster, world: World, workload: Workload): Promise<string[]> {
  const found: string[] = [];
  for (const [server, path, token] of reads(world, workload)) {
    const read = replicaReader(cluster, server);
    const answers = await Promise.all(
      Array.from({ length: REPLICAS }, (_none, replica) => read<unknown>(replica, path, token)),
    );
    const comparable = answers.map((answer) => withoutTimes(answer));
    if (comparable.some((answer) => !isDeepStrictEqual(answer, comparable[0])))
      found.push(
        `${server} ${path}: ${comparable.map((answer) => JSON.stringify(answer).slice(0, 1_500)).join('\n  ')}`,
      );
  }
  return [...found, ...(await wrongOrders(cluster, workload))];
}

/** Sockets that received other messages than those that are stored, or in another order. */
async function wrongOrders(cluster: ChaosCluster, { pairs }: Workload): Promise<string[]> {
  const read = replicaReader(cluster);
  const found: string[] = [];
  for (const { squadId, host, sockets } of pairs) {
    if (!squadId) continue;
    const { status } = await read<{ status: string }>(0, `/squads/${squadId}`, host.token);
    if (status === 'ENDED') continue;
    const messages = await read<{ seq: number }[]>(0, `/squads/${squadId}/messages?limit=200`, host.token);
    const stored = messages.map(({ seq }) => seq).toReversed();
    for (const { received } of sockets)
      if (!isDeepStrictEqual(received, stored))
        found.push(
          `${host.name}: a socket received the messages ${received.join()} of ${squadId}; stored are ${stored.join()}`,
        );
  }
  return found;
}

/** Removes `updatedAt` of an occupancy, which is the time of the answer, and the order and times of online users. */
function withoutTimes(answer: unknown): unknown {
  if (Array.isArray(answer) && answer.every((entry) => 'since' in (entry as object)))
    return (answer as { userId: string; status: string }[])
      .map(({ userId, status }) => `${userId} ${status}`)
      .toSorted();
  if (answer && typeof answer === 'object' && 'people' in answer) return { ...answer, updatedAt: undefined };
  return answer;
}
