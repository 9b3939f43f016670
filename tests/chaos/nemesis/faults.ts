import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../support/graph-doubles/random.ts';
import { REPLICAS, type ChaosCluster } from '../cluster/cluster.ts';
import type { Line } from '../cluster/line.ts';

/** A fault. `inflict` returns when the fault is over; the cluster may still need time to recover. */
export interface Fault {
  name: string;
  /** Whether this machine allows the fault; it does by default. */
  isPossible?(cluster: ChaosCluster): boolean;
  inflict(cluster: ChaosCluster, random: Random): Promise<void>;
}

/** The random duration of a fault: a whole number of seconds, in milliseconds. */
const durationMillis = (random: Random, leastSeconds: number, mostSeconds: number): number =>
  1_000 * (leastSeconds + random.below(mostSeconds - leastSeconds + 1));

const killReplica: Fault = {
  name: 'kill -9 of a replica',
  async inflict({ replicas }, random) {
    const replica = random.pick(replicas);
    await replica.end('SIGKILL');
    await sleep(durationMillis(random, 0, 2));
    await replica.startUntilReady();
  },
};

const suspendReplica: Fault = {
  name: 'a replica hangs (SIGSTOP)',
  async inflict({ replicas }, random) {
    const replica = random.pick(replicas);
    replica.suspend();
    await sleep(durationMillis(random, 2, 6));
    replica.resume();
  },
};

const rollingRestart: Fault = {
  name: 'rolling restart (SIGTERM)',
  async inflict(cluster) {
    for (const replica of cluster.replicas) {
      const code = await replica.end('SIGTERM');
      if (code !== 0) throw new Error(`Replica ${replica.index} ended with ${code} after SIGTERM.`);
      await replica.startUntilReady();
      await cluster.whenReady(60_000);
    }
  },
};

const crashPostgres: Fault = {
  name: 'PostgreSQL crashes',
  inflict: ({ postgres }, random) => postgres.crash(durationMillis(random, 0, 3)),
};

const failOverPostgres: Fault = {
  name: 'PostgreSQL fails over',
  inflict: ({ postgres }) => postgres.failOver(),
};

const fillDisk: Fault = {
  name: "the primary's disk is full",
  isPossible: ({ postgres }) => postgres.canFillDisk,
  inflict: ({ postgres }, random) => postgres.fillDisk(durationMillis(random, 3, 8)),
};

const failOverRedis: Fault = {
  name: 'Redis fails over, its last writes are lost',
  inflict: ({ redis }, random) => redis.failOver(durationMillis(random, 1, 3), 500 + random.below(1_500)),
};

const hangRedis: Fault = {
  name: 'Redis hangs',
  inflict: ({ redis }, random) => redis.hang(durationMillis(random, 2, 5)),
};

/** Faults of the network to PostgreSQL, to Redis, or between the balancers and one replica. */
function networkFaults(
  what: string,
  linesOf: (cluster: ChaosCluster, random: Random) => readonly Line[],
): Fault[] {
  const fault = (name: string, begin: (line: Line, random: Random) => void): Fault => ({
    name: `${what} ${name}`,
    async inflict(cluster, random) {
      const lines = linesOf(cluster, random);
      for (const line of lines) begin(line, random);
      await sleep(durationMillis(random, 2, 5));
      for (const line of lines) line.heal();
    },
  });
  return [
    fault('is slow', (line, random) => (line.delayMillis = 200 + random.below(1_800))),
    fault('is silent', (line) => line.silence()),
    {
      name: `${what} loses answers`,
      async inflict(cluster, random) {
        const lines = linesOf(cluster, random);
        for (let cut = 0; cut < 3; cut += 1) {
          for (const line of lines) line.holdAnswers();
          await sleep(500 + random.below(1_000));
          for (const line of lines) line.cut();
          await sleep(random.below(1_000));
        }
      },
    },
    {
      name: `${what} is cut`,
      async inflict(cluster, random) {
        const lines = linesOf(cluster, random);
        for (let cut = 0; cut < 5; cut += 1) {
          for (const line of lines) line.cut();
          await sleep(random.below(500));
        }
      },
    },
  ];
}

/** The lines of one replica, or of all. */
const someOf = (lines: readonly Line[], random: Random): readonly Line[] =>
  random.chance(0.5) ? lines : [lines[random.below(lines.length)]!];

/** All faults. The first ones are the most important: a short run inflicts only these. */
export const FAULTS: readonly Fault[] = [
  killReplica,
  failOverPostgres,
  failOverRedis,
  crashPostgres,
  suspendReplica,
  ...networkFaults('the network to PostgreSQL', ({ postgres }, random) => someOf(postgres.lines, random)),
  rollingRestart,
  fillDisk,
  ...networkFaults('the network to Redis', ({ redis }, random) => someOf(redis.lines, random)),
  hangRedis,
  ...networkFaults('the network to a replica', ({ balancers }, random) => {
    const index = random.below(REPLICAS);
    return [...balancers.values()].map(({ lines }) => lines[index]!);
  }),
];
