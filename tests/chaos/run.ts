import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../support/graph-doubles/random.ts';
import { disagreements, replicaReader } from './checker/agreement.ts';
import { errorViolations, summaryOf, type ErrorSummary } from './checker/errors.ts';
import { squadViolations } from './checker/squads.ts';
import type { Violation } from './checker/violation.ts';
import { capacityViolations, RECORD_VISITS, visitViolations, type Query } from './checker/visits.ts';
import { likeViolations, profileViolations, progressViolations, textViolations } from './checker/writes.ts';
import { startCluster, type ChaosCluster } from './cluster/cluster.ts';
import { History, type FaultWindow } from './history.ts';
import { FAULTS } from './nemesis/faults.ts';
import { runNemesis } from './nemesis/nemesis.ts';
import { ChaosClient } from './workload/client.ts';
import { LOCATION_CAPACITY, makeWorld, type World } from './workload/people.ts';
import { startWorkload, type Workload } from './workload/workload.ts';

export interface ChaosOptions {
  seed: string;
  /** How long faults are inflicted. The last one may end later. */
  seconds: number;
  /** About how many operations a second the members carry out. */
  perSecond: number;
  /** Only faults whose name contains this text; all by default. */
  faults?: string;
  /** Receives a line of progress. */
  progress(line: string): void;
}

export interface ChaosResult {
  violations: Violation[];
  errors: ErrorSummary;
  history: History;
}

/** Within this time after a recovery every replica must answer the same. */
const AGREE_MILLIS = 5_000;

/** Lets members work while faults happen, and compares what is stored with what was acknowledged. */
export async function runChaos(
  { cluster, world, history }: Stage,
  options: ChaosOptions,
): Promise<ChaosResult> {
  const workload = startWorkload(world, options);
  try {
    const violations = await inflictFaults(cluster, world, workload, history, options);
    await workload.end();
    violations.push(
      ...(await storedViolations(cluster, world, workload, history)),
      ...errorViolations(history),
    );
    return { violations, errors: summaryOf(history), history };
  } finally {
    await workload.end();
  }
}

/** A running cluster with its people. */
export interface Stage {
  cluster: ChaosCluster;
  client: ChaosClient;
  world: World;
  history: History;
  stop(): Promise<void>;
}

export async function startStage(
  seed: string,
  sizes: { members: number; pairs: number },
  env: Record<string, string> = {},
): Promise<Stage> {
  const history = new History(path.join(os.tmpdir(), `chaos-history-${seed}-${process.pid}.jsonl`));
  const cluster = await startCluster(env);
  const client = new ChaosClient(history, cluster.gatewayUrl);
  const stop = async (): Promise<void> => {
    await cluster.stop();
    await client.close();
  };
  try {
    await cluster.postgres.query('platform_gym', RECORD_VISITS);
    return { cluster, client, world: await makeWorld(client, sizes), history, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function inflictFaults(
  cluster: ChaosCluster,
  world: World,
  workload: Workload,
  history: History,
  { seed, seconds, faults = '', progress }: ChaosOptions,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const random = randomFrom(`${seed} faults`);
  const onRecovered = async (window: FaultWindow): Promise<void> => {
    // A lost notice of a change is found only if no later operation replaces it; other errors are found only with
    // later ones.
    await sleep(random.pick([0, 0, 2_500]));
    const recoveredAt = performance.now() - (history.now() - window.recovered);
    await workload.gate.close();
    const drainedAt = performance.now();
    const until = Math.max(recoveredAt + AGREE_MILLIS, drainedAt + 2_000);
    const found = await disagreements(cluster, world, workload, until);
    violations.push(...found.map((one) => ({ ...one, what: `after "${window.fault}": ${one.what}` })));
    progress(
      `${(history.now() / 1_000).toFixed(0)} s: ${window.fault}, ${((window.end - window.start) / 1_000).toFixed(1)} s, ` +
        `recovered after ${((window.recovered - window.end) / 1_000).toFixed(1)} s; ` +
        `${history.operations.length} operations, replicas ${found.length === 0 ? 'agree' : 'DIFFER'}`,
    );
    workload.gate.open();
  };
  const wanted = FAULTS.filter(({ name }) => name.includes(faults));
  const possible = wanted.filter(({ isPossible }) => isPossible?.(cluster) ?? true);
  for (const { name } of wanted)
    if (!possible.some((fault) => fault.name === name)) progress(`skipped, not possible here: ${name}`);
  await runNemesis({
    cluster,
    history,
    faults: possible,
    random,
    untilMillis: history.now() + seconds * 1_000,
    onRecovered,
  });
  return violations;
}

async function storedViolations(
  cluster: ChaosCluster,
  world: World,
  workload: Workload,
  history: History,
): Promise<Violation[]> {
  const query: Query = (database, text, values) => cluster.postgres.query(database, text, values);
  const found = await Promise.all([
    capacityViolations(query, world.locations, LOCATION_CAPACITY),
    visitViolations(query, history, world.locations),
    textViolations(query, history, world.mark),
    progressViolations(query, history, world.challengeId),
    likeViolations(query, history, world.mark),
    profileViolations(query, history),
    ...workload.pairs.map((pair) => squadViolations(query, replicaReader(cluster), history, pair)),
  ]);
  return found.flat();
}
