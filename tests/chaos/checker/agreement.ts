import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { REPLICAS, type ChaosCluster } from '../cluster/cluster.ts';
import type { ServerName } from '../cluster/replica.ts';
import type { Workload } from '../workload/workload.ts';
import type { World } from '../workload/people.ts';
import type { Violation } from './violation.ts';

/** Reads from the squad service of one replica. @throws Error if the answer is not 200 */
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

/** What is read of each replica: the service, the path, whose token. */
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
 * While no operation runs: whether every replica answers the same, and every member's socket has received the last
 * revision and all messages of its squad. Waits until `untilMillis`, a time of `performance.now`.
 */
export async function disagreements(
  cluster: ChaosCluster,
  world: World,
  workload: Workload,
  untilMillis: number,
): Promise<Violation[]> {
  for (;;) {
    const found = await differences(cluster, world, workload).catch((error: Error) => [error.message]);
    if (found.length === 0) return [];
    if (performance.now() > untilMillis)
      return found.map((what) => ({ rule: 'replicas differ', what, operations: [] }));
    await sleep(200);
  }
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
  for (const { squadId, host, sockets } of workload.pairs) {
    if (!squadId) continue;
    const read = replicaReader(cluster);
    const { revision, status } = await read<{ revision: number; status: string }>(
      0,
      `/squads/${squadId}`,
      host.token,
    );
    if (status === 'ENDED') continue;
    const messages = await read<{ seq: number }[]>(0, `/squads/${squadId}/messages?limit=200`, host.token);
    const seqs = messages.map(({ seq }) => seq).toReversed();
    for (const socket of sockets) {
      if (socket.revision < revision)
        found.push(
          `${host.name}: a socket has revision ${socket.revision} of ${squadId}; the squad has ${revision}`,
        );
      if (!isDeepStrictEqual(socket.received, seqs))
        found.push(
          `${host.name}: a socket received the messages ${socket.received.join()} of ${squadId}; stored are ${seqs.join()}`,
        );
    }
  }
  return found;
}

/** `updatedAt` of an occupancy is the time of the answer. Online users are compared as a set of people. */
function withoutTimes(answer: unknown): unknown {
  if (Array.isArray(answer) && answer.every((entry) => 'since' in (entry as object)))
    return (answer as { userId: string; status: string }[])
      .map(({ userId, status }) => `${userId} ${status}`)
      .toSorted();
  if (answer && typeof answer === 'object' && 'people' in answer) return { ...answer, updatedAt: undefined };
  return answer;
}
