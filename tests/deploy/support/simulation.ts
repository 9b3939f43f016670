import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { SERVER_NAMES } from '#server/auth/service-secret.ts';

export const ALERTS = path.join(import.meta.dirname, '../../../deploy/monitoring/alerts.yaml');

/** Why a test that runs Prometheus's promtool is skipped; empty if it is not. */
export const whyWithoutPromtool =
  spawnSync('promtool', ['--version']).status === 0 ? '' : ' (skipped: promtool not installed)';

/** The values of one series, one for each minute; `undefined`: not scraped. */
export type Values = (number | undefined)[];
/** All series of a simulated time, by their names with labels. */
export type Series = Map<string, Values>;

/** A random number from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const seriesOf = (name: string, labels: Record<string, string>): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}="${value}"`)
    .join(',')}}`;

const BUCKETS = ['0.05', '0.2', '0.5', '1', '2.5', '+Inf'];
/** Operations of each class per minute at a server with two replicas, in a large gym chain. */
const PER_MINUTE = { 'check-in': 60, read: 1_500, write: 200 };

/** The series of some minutes of ordinary load of every server. */
export function ordinaryLoad(
  minutes: number,
  seed: number,
  replicasOf: (server: string) => number[] = () => [0, 1],
): Series {
  const random = randomOf(seed);
  const load = new Load(minutes, random);
  for (const service of SERVER_NAMES)
    for (const replica of replicasOf(service)) {
      const target = { job: 'fitness-platform', service, instance: `${service}-${replica}` };
      load.gauge('up', target, () => 1);
      load.gauge('process_start_time_seconds', target, () => 1_000);
      load.gauge('process_open_fds', target, () => 100 + random() * 400);
      load.gauge('process_max_fds', target, () => 1_048_576);
      load.gauge('nodejs_eventloop_lag_p99_seconds', target, () => 0.01 + random() * 0.05);
      load.operations(target);
      if (service === 'gateway') load.gateway(target);
      else load.service(target);
    }
  return load.series;
}

class Load {
  readonly series: Series = new Map();
  private readonly minutes: number;
  private readonly random: () => number;

  constructor(minutes: number, random: () => number) {
    this.minutes = minutes;
    this.random = random;
  }

  gauge(name: string, labels: Record<string, string>, value: (minute: number) => number): void {
    this.series.set(
      seriesOf(name, labels),
      Array.from({ length: this.minutes + 1 }, (_, minute) => value(minute)),
    );
  }

  counter(name: string, labels: Record<string, string>, perMinute: (minute: number) => number): void {
    let sum = 0;
    this.gauge(name, labels, (minute) => (sum += perMinute(minute)));
  }

  /** About one operation in a hundred thousand fails; one in fifty is refused, because people err. */
  operations(target: Record<string, string>): void {
    for (const [operation, rate] of Object.entries(PER_MINUTE)) {
      const rates = () => Math.round((rate / 2) * (0.7 + this.random() * 0.6));
      const labels = { ...target, class: operation };
      this.counter('operation_duration_seconds_count', { ...labels, outcome: 'answered' }, rates);
      this.counter('operation_duration_seconds_count', { ...labels, outcome: 'refused' }, () =>
        Math.round(rates() / 50),
      );
      this.counter('operation_duration_seconds_count', { ...labels, outcome: 'failed' }, () =>
        this.random() < (rate / 2) * 1e-5 ? 1 : 0,
      );
      const shares = [0.7, 0.97, 0.995, 0.999, 1, 1];
      BUCKETS.forEach((le, index) =>
        this.counter(
          'operation_duration_seconds_bucket',
          { ...labels, le, outcome: 'answered' },
          () => (rate / 2) * (shares[index] ?? 1),
        ),
      );
    }
  }

  gateway(target: Record<string, string>): void {
    for (const subgraph of SERVER_NAMES.filter((name) => name !== 'gateway'))
      this.gauge('subgraph_breaker_open', { ...target, subgraph }, () => 0);
    const events = 300; // per minute
    this.counter('event_to_viewer_seconds_count', target, () => events);
    [0.9, 0.998, 1, 1, 1, 1].forEach((share, index) =>
      this.counter(
        'event_to_viewer_seconds_bucket',
        { ...target, le: BUCKETS[index] ?? '' },
        () => events * share,
      ),
    );
  }

  service(target: Record<string, string>): void {
    const { random } = this;
    this.gauge('database_connections', { ...target, state: 'in_use' }, () => Math.floor(random() * 6));
    this.gauge('database_connections', { ...target, state: 'max' }, () => 10);
    this.gauge('database_connection_requests_waiting', target, () => (random() < 0.05 ? 1 : 0));
    this.gauge('data_dir_size_bytes', target, () => 1e11);
    this.gauge('data_dir_free_bytes', target, (minute) => 6e10 - minute * 1e6 + random() * 1e7);
    this.gauge('jobs_oldest_due_seconds', { ...target, name: 'remove_old_rows' }, () => random() * 20);
    this.counter('jobs_failed_total', { ...target, name: 'remove_old_rows' }, () => 0);
    this.counter('retention_failures_total', { ...target, what: 'visits' }, () => 0);
    this.gauge('sagas_waiting_for_decision', { ...target, kind: 'wizard-deployment' }, () => 0);
    this.gauge('events_oldest_unpublished_seconds', target, () => random() * 10);
    if (target.service === 'identity') {
      this.gauge('worker_tasks_waiting', { ...target, pool: 'passwords' }, () => Math.floor(random() * 10));
      this.gauge('worker_tasks_waiting_max', { ...target, pool: 'passwords' }, () => 200);
      this.counter('mails_total', { ...target, outcome: 'sent' }, () => Math.round(random() * 3));
      this.counter('mails_total', { ...target, outcome: 'refused' }, () => (random() < 0.01 ? 1 : 0));
      this.counter('mails_total', { ...target, outcome: 'given_up' }, () => 0);
    }
    if (target.service === 'content') {
      // One helper on a machine with one or two processors.
      this.gauge('worker_tasks_waiting', { ...target, pool: 'pictures' }, () => Math.floor(random() * 5));
      this.gauge('worker_tasks_waiting_max', { ...target, pool: 'pictures' }, () => 25);
    }
    if (target.service === 'gym') {
      this.counter('webhook_attempts_total', { ...target, result: 'received' }, () =>
        Math.round(random() * 20),
      );
      this.counter('webhook_attempts_total', { ...target, result: 'failed' }, () => Math.round(random() * 2));
      this.gauge('webhook_oldest_due_seconds', target, () => random() * 5);
    }
  }
}

/** The names of the alerts that fire at one of the given minutes, according to promtool. */
export function firingAlerts(series: Series, minutes: readonly number[]): string[] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'alerts-'));
  const file = path.join(folder, 'incident.yaml');
  writeFileSync(file, stringify(unitTest(series, minutes)));
  try {
    execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8', stdio: 'pipe' });
    return [];
  } catch (error) {
    // The unit test expects no alert, so promtool fails with the names that it found.
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    const names = [...`${stdout}${stderr}`.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name!);
    if (names.length === 0) throw new Error(`promtool failed: ${stdout}${stderr}`, { cause: error });
    return [...new Set(names)].toSorted();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of promtool's unit tests: https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/ */
const unitTest = (series: Series, minutes: readonly number[]) => ({
  rule_files: [ALERTS],
  evaluation_interval: '1m',
  tests: [
    {
      interval: '1m',
      input_series: [...series].map(([name, values]) => ({
        series: name,
        values: values.map((value) => (value === undefined ? '_' : String(value))).join(' '),
      })),
      promql_expr_test: minutes.map((minute) => ({
        expr: 'group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[59s]))',
        eval_time: `${minute}m`,
        exp_samples: [],
      })),
    },
  ],
});
