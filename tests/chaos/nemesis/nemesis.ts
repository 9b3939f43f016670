import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../support/graph-doubles/random.ts';
import type { ChaosCluster } from '../cluster/cluster.ts';
import type { FaultWindow, History } from '../history.ts';
import type { Fault } from './faults.ts';

interface Options {
  cluster: ChaosCluster;
  history: History;
  faults: readonly Fault[];
  random: Random;
  /** No fault begins later than this, in milliseconds since the beginning of the run. */
  untilMillis: number;
  /** Called after the cluster has recovered from a fault. */
  onRecovered(window: FaultWindow): Promise<void>;
}

/** The longest time in which every replica must be ready again after a fault. */
const RECOVERY_MILLIS = 60_000;

/** Inflicts each fault once, in the given order, and then random ones, with pauses between, until the time is over. */
export async function runNemesis({
  cluster,
  history,
  faults,
  random,
  untilMillis,
  onRecovered,
}: Options): Promise<void> {
  for (let count = 0; history.now() < untilMillis; count += 1) {
    await sleep(2_000 + random.below(3_000));
    const fault = faults[count] ?? random.pick(faults);
    const start = history.now();
    await fault.inflict(cluster, random);
    const end = history.now();
    await cluster.whenReady(RECOVERY_MILLIS);
    const window = { fault: fault.name, start, end, recovered: history.now() };
    history.add(window);
    await onRecovered(window);
  }
}
