import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../../support/graph-doubles/random.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { ChaosClient } from '../workload/client.ts';
import type { World } from '../workload/people.ts';
import { graphListener, rawListener, type Listener } from './listeners.ts';
import { sendSteadily, warmUp, type FailedRequest } from './steady-requests.ts';

export interface RollingOptions {
  /** The number of requests per second. */
  perSecond: number;
  /** Half of them raw sockets of squad, half GraphQL subscriptions. */
  sockets: number;
  progress(line: string): void;
}

export interface RollingResult {
  sent: number;
  failed: FailedRequest[];
  /** How many messages did not arrive, counted for each listener. */
  missed: number;
  /** The longest time from the acknowledgement of a message to its arrival at a listener. */
  slowestMillis: number;
  /** How often a connection was lost, by its close code. */
  closed: Record<string, number>;
}

const MESSAGE_INTERVAL_MILLIS = 500;

/** Restarts all replicas, one after the other, under steady requests and with many open sockets. */
export async function restartInTurn(
  cluster: ChaosCluster,
  client: ChaosClient,
  world: World,
  { perSecond, sockets, progress }: RollingOptions,
): Promise<RollingResult> {
  const squads = await Promise.all(world.pairs.map((pair) => squadOf(client, pair)));
  const listeners = Array.from({ length: sockets }, (_none, index) => {
    const pair = index % squads.length;
    const person = world.pairs[pair]![Math.floor(index / squads.length) % 2]!;
    const listen = Math.floor(index / (squads.length * 2)) % 2 ? graphListener : rawListener;
    return listen({ url: client.url, person, squadId: squads[pair]! });
  });
  await Promise.all(listeners.map(({ connected }) => connected));
  progress(`${sockets} sockets are connected`);
  await warmUp(client, world);
  const chat = sendMessages(client, world, squads);
  const requests = sendSteadily(client, world, { perSecond, random: randomFrom('rolling') });
  for (const replica of cluster.replicas) {
    await sleep(1_000);
    const code = await replica.end('SIGTERM');
    if (code !== 0) throw new Error(`Replica ${replica.index} ended with ${code} after SIGTERM.`);
    await replica.startUntilReady();
    await cluster.whenReady(60_000);
    progress(`replica ${replica.index} is restarted`);
  }
  await sleep(1_000);
  const [messages, { sent, failed }] = await Promise.all([chat.stop(), requests.stop()]);
  await sleep(3_000); // a message that has not arrived by then counts as missed
  await Promise.all(listeners.map((listener) => listener.close()));
  return { sent, failed, ...arrivals(listeners, messages), closed: closeCodes(listeners) };
}

/** Opens a squad with both people in it. */
async function squadOf(client: ChaosClient, [host, guest]: World['pairs'][number]): Promise<string> {
  const post = async (path: string, body: object, token: string): Promise<{ id: string }> => {
    const answer = await client.send({ method: 'POST', path, body }, token);
    if (answer.status >= 300 || answer.status === 0) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body as { id: string };
  };
  const { id } = await post('/squad/squads', {}, host.token);
  const invite = await post('/squad/invites', { toUserId: guest.id, squadId: id }, host.token);
  await post(`/squad/invites/${invite.id}/respond`, { accept: true }, guest.token);
  await post(`/squad/squads/${id}/join`, {}, guest.token);
  return id;
}

interface SentMessage {
  squadId: string;
  seq: number;
  at: number;
}

/** One message to each squad, again and again. A message without an answer is repeated under its `clientId`. */
function sendMessages(client: ChaosClient, world: World, squads: readonly string[]) {
  const sent: SentMessage[] = [];
  let isOver = false;
  const chat = async (squadId: string, index: number): Promise<void> => {
    for (let number = 1; !isOver; number += 1) {
      const body = { text: `message ${number}`, clientId: `rolling-${squadId}-${number}` };
      for (let status = 0; status !== 201;) {
        const answer = await client.send(
          { method: 'POST', path: `/squad/squads/${squadId}/messages`, body },
          world.pairs[index]![0].token,
        );
        ({ status } = answer);
        if (status === 201) sent.push({ squadId, seq: answer.body.seq as number, at: performance.now() });
      }
      await sleep(MESSAGE_INTERVAL_MILLIS);
    }
  };
  const all = Promise.all(squads.map(chat));
  return {
    async stop() {
      isOver = true;
      await all;
      return sent;
    },
  };
}

function arrivals(
  listeners: readonly Listener[],
  messages: readonly SentMessage[],
): Pick<RollingResult, 'missed' | 'slowestMillis'> {
  let missed = 0;
  let slowestMillis = 0;
  for (const { squadId, arrivedAt } of listeners)
    for (const message of messages.filter((one) => one.squadId === squadId)) {
      const at = arrivedAt.get(message.seq);
      if (at === undefined) missed += 1;
      else slowestMillis = Math.max(slowestMillis, at - message.at);
    }
  return { missed, slowestMillis: Math.round(slowestMillis) };
}

function closeCodes(listeners: readonly Listener[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const code of listeners.flatMap((listener) => listener.closeCodes))
    counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
