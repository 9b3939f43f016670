import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { SERVER_NAMES } from '#server/auth/service-secret.ts';
import {
  ALERTS,
  firingAlerts,
  ordinaryLoad,
  whyWithoutPromtool,
  type Series,
  type Values,
} from './support/simulation.ts';

interface Rule {
  alert?: string;
  expr: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
}
const { groups } = parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules).filter((rule) => rule.alert !== undefined);

/** Replaces the values of all series whose name matches, from a minute on. */
function from(
  minute: number,
  name: RegExp,
  value: (before: number | undefined, at: number, values: Values) => number | undefined,
): (series: Series) => void {
  return (series) => {
    let isFound = false;
    for (const [key, values] of series)
      if (name.test(key)) {
        isFound = true;
        values.forEach((before, at) => {
          if (at >= minute) values[at] = value(before, at, values);
        });
      }
    if (!isFound) throw new Error(`no series matches ${name}`);
  };
}
/** Lets counters grow by another number each minute. */
const growing = (minute: number, name: RegExp, perMinute: number) =>
  from(minute, name, (_, at, values) => (values[at - 1] ?? 0) + perMinute);
const becomes = (minute: number, name: RegExp, value: number) => from(minute, name, () => value);

/** From this minute on, no operation of the service takes less than 2.5 s: the buckets up to there no longer grow. */
const slow = (minute: number, service: string) => {
  const upToOneSecond = growing(
    minute,
    new RegExp(`^operation_duration_seconds_bucket.*service="${service}".*le="(0|1")`),
    0,
  );
  const upTo2500Millis = growing(
    minute,
    new RegExp(`^operation_duration_seconds_bucket.*service="${service}".*le="2.5"`),
    0,
  );
  return (series: Series) => {
    upToOneSecond(series);
    upTo2500Millis(series);
  };
};
const failing = (of: string, perMinute: number) =>
  growing(
    10,
    new RegExp(`^operation_duration_seconds_count.*service="gateway".*class="${of}".*outcome="failed"`),
    perMinute,
  );

/** What happens, the minute at which the alerts are read, and the alerts that fire then. */
const INCIDENTS: [string, (series: Series) => void, number, string[]][] = [
  ['all replicas of gym are down', becomes(10, /^up.*service="gym"/, 0), 14, ['ServiceDown']],
  [
    'gym is no longer found by the discovery',
    (series) => {
      for (const name of series.keys()) if (name.includes('service="gym"')) series.delete(name);
    },
    14,
    ['ServiceDown'],
  ],
  ['one replica of gym is down', becomes(10, /^up.*instance="gym-1"/, 0), 20, ['ReplicaDown']],
  ['nothing can be scraped', (series) => series.clear(), 20, ['NoMetrics']],
  [
    'a replica restarts again and again',
    from(10, /^process_start_time_seconds.*gym-0/, (_, at) => 1_000 + Math.floor(at / 3) * 180),
    25,
    ['Restarts'],
  ],
  [
    'the gateway has given up a service',
    becomes(10, /^subgraph_breaker_open.*subgraph="squad"/, 1),
    13,
    ['BreakerOpen'],
  ],
  ['everything is slow', slow(10, 'gateway'), 30, ['SlowForMembers']],
  ['a service is slow', slow(10, 'nutrition'), 30, ['SlowService']],
  [
    'a service fails',
    growing(10, /^operation_duration_seconds_count.*service="content".*outcome="failed"/, 100),
    20,
    ['ServiceFails'],
  ],
  [
    'a process computes for too long',
    becomes(10, /^nodejs_eventloop_lag_p99_seconds.*gym-0/, 0.6),
    25,
    ['EventLoopBlocked'],
  ],
  [
    'connections are not closed',
    becomes(10, /^process_open_fds.*gateway-0/, 1e6),
    20,
    ['FileDescriptorsNearlyUsed'],
  ],
  ['a storm of log-ins', becomes(10, /^worker_tasks_waiting\{.*passwords/, 90), 15, ['LogInsWait']],
  [
    'more pictures than one helper can take',
    becomes(10, /^worker_tasks_waiting\{.*pictures/, 24),
    15,
    ['LogInsWait'],
  ],
  [
    'Redis is away',
    (series) =>
      series.set(
        'degraded{service="squad",instance="squad-0",part="presence"}',
        Array.from({ length: 61 }, () => 1),
      ),
    20,
    ['PartDoesNotWork'],
  ],
  [
    'the connections of a pool are stuck',
    becomes(10, /^database_connection_requests_waiting.*wizard-0/, 5),
    15,
    ['PoolStuck'],
  ],
  [
    'a pool is too small',
    becomes(10, /^database_connections.*content-0.*in_use/, 10),
    25,
    ['PoolNearlyUsed'],
  ],
  ['a disk is nearly full', becomes(10, /^data_dir_free_bytes.*identity-0/, 4e9), 20, ['DiskNearlyFull']],
  [
    'a disk fills up',
    from(0, /^data_dir_free_bytes.*squad-0/, (_, at) => 4.9e10 - at * 5e7),
    100,
    ['DiskFillsUp'],
  ],
  ['jobs wait', becomes(10, /^jobs_oldest_due_seconds.*service="gym"/, 900), 15, ['JobsLate']],
  ['a job has failed for good', growing(10, /^jobs_failed_total.*gym-0/, 0.1), 20, ['JobFailed']],
  [
    'a deployment cannot be undone',
    becomes(10, /^sagas_waiting_for_decision.*wizard-0/, 1),
    12,
    ['SagaNeedsDecision'],
  ],
  [
    'events are not published',
    becomes(10, /^events_oldest_unpublished_seconds.*service="gym"/, 600),
    15,
    ['EventsNotPublished'],
  ],
  [
    'the senders of webhooks stand still',
    becomes(10, /^webhook_oldest_due_seconds/, 300),
    20,
    ['WebhooksLate'],
  ],
  ['webhooks fail', growing(10, /^webhook_attempts_total.*failed/, 60), 40, ['WebhooksFail']],
  ['the mail server refuses', growing(10, /^mails_total.*refused/, 5), 30, ['MailsRefused']],
  ['mails are given up', growing(10, /^mails_total.*given_up/, 0.1), 20, ['MailGivenUp']],
  ['old rows are not removed', growing(10, /^retention_failures_total.*gym-0/, 0.1), 70, ['OldRowsStay']],
  // 4 % of 30 check-ins a minute, the load of one replica; the service itself is below the limit of ServiceFails
  ['check-ins fail', failing('check-in', 1.2), 60, ['CheckInBudgetBurnsFast', 'CheckInBudgetBurnsSlowly']],
  ['some check-ins fail', failing('check-in', 0.08), 59, ['CheckInBudgetBurnsSlowly']],
  ['reads fail', failing('read', 15), 60, ['ReadBudgetBurnsFast', 'ReadBudgetBurnsSlowly']],
  ['some reads fail', failing('read', 1.6), 59, ['ReadBudgetBurnsSlowly']],
  [
    'events arrive late',
    growing(10, /^event_to_viewer_seconds_bucket.*le="0\.(05|2)"/, 150),
    60,
    ['LiveBudgetBurnsFast', 'LiveBudgetBurnsSlowly'],
  ],
  [
    'some events arrive late',
    growing(10, /^event_to_viewer_seconds_bucket.*le="0\.(05|2)"/, 287),
    59,
    ['LiveBudgetBurnsSlowly'],
  ],
];

const describePromtool = whyWithoutPromtool ? describe.skip : describe;
/** Hours of ordinary load that are simulated. */
const HOURS = Number(process.env.ALERT_HOURS ?? 3);

describePromtool(`the alerts${whyWithoutPromtool}`, () => {
  it.each(INCIDENTS)('fire if %s', (_what, happens, minute, expected) => {
    // Only gym has a second replica, because more series would make the test longer.
    const series = ordinaryLoad(minute, 7, (server) => (server === 'gym' ? [0, 1] : [0]));
    happens(series);
    expect(firingAlerts(series, [minute])).toEqual(expected);
  });

  it('are silent if two check-ins fail in an hour', () => {
    const series = ordinaryLoad(59, 7, () => [0]);
    failing('check-in', 0.04)(series);
    expect(firingAlerts(series, [59])).toEqual([]);
  });

  it.each(Array.from({ length: HOURS }, (_, hour) => hour + 1))(
    'are silent in an hour of ordinary load (seed %i)',
    (seed) => {
      const series = ordinaryLoad(60, seed);
      // Once in this hour the replicas are replaced: the first one of every server, and 5 minutes later the second
      // one. Each of them misses one scrape.
      for (const [key, values] of series) {
        const replica = /instance="(\w+)-(\d)"/.exec(key);
        const at = 20 + Number(replica?.[2]) * 5;
        if (key.startsWith('up')) values[at] = 0;
        else if (!key.startsWith('process_start')) values[at] = undefined;
        else
          from(
            at,
            new RegExp(`^${key.replaceAll(/[{}]/g, '\\$&')}$`),
            () => 1_000 + at * 60,
          )(new Map([[key, values]]));
      }
      const fired = firingAlerts(series, [5, 15, 21, 26, 30, 45, 60]);
      expect([...fired.values()].flat()).toEqual([]);
    },
  );
});

it('ServiceDown knows every server', () => {
  const { expr = '' } = alerts.find(({ alert }) => alert === 'ServiceDown') ?? {};
  const names = [...expr.matchAll(/absent\(up\{.*service="(\w+)"\}\)/g)].map(([, name]) => name);
  expect(names).toHaveLength(SERVER_NAMES.length);
  expect(new Set(names)).toEqual(new Set(SERVER_NAMES));
});

describe('every alert', () => {
  it.each(alerts.map((rule) => [rule.alert!, rule] as const))(
    '%s has a simulated incident and a section in the runbook',
    (name, rule) => {
      expect(INCIDENTS.filter(([, , , expected]) => expected.includes(name)).length).toBeGreaterThan(0);
      expect(rule.labels.severity).toMatch(/^(page|ticket)$/);
      expect(rule.annotations?.summary).toMatch(/\.$|\)\.$/);
      expect(rule.annotations?.runbook_url).toBe(`docs/runbook.md#${name.toLowerCase()}`);
      const runbook = readFileSync(path.join(import.meta.dirname, '../../docs/runbook.md'), 'utf8');
      expect(runbook).toMatch(new RegExp(`^### ${name}$`, 'm'));
    },
  );
});
