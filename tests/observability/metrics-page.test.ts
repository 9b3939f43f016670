import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '#server/settings.ts';
import { startPlatform, type Called, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
/** The metrics that docs/operations.md describes, with their types and labels. */
let documented: Map<string, { type: string; labels: string[] }>;
/** The metrics of all servers, with their types. */
let exposed: Map<string, string>;
let samples: string[];
let usage: string;

const SERVERS: readonly Called[] = [...SERVICE_NAMES, 'gateway'];
/** Metrics that the library prom-client names; docs/operations.md describes them together. */
const isOfLibrary = (name: string): boolean => /^(process|nodejs)_/.test(name);

beforeAll(async () => {
  usage = await mkdtemp(join(os.tmpdir(), 'usage-'));
  const env = { USAGE_REPORT: usage };
  platform = await startPlatform({ services: [...SERVICE_NAMES], gateway: true, env });
  const token = await platform.demo('maya@iron.test');
  await platform.graph('gateway', '{ me { gym { name } } }', {}, { token });
  const texts = await Promise.all(
    SERVERS.map(async (server) => (await fetch(`${platform.url(server)}/metrics`)).text()),
  );
  exposed = new Map(
    texts.flatMap((text) =>
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    ),
  );
  samples = texts.flatMap((text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const chapter = page.slice(page.indexOf('\n## Metrics\n'), page.indexOf('\n## Objectives\n'));
  documented = new Map(
    [...chapter.matchAll(/^\| `([a-z_]+)` \| (\w+) \|([^|]*)\|/gm)].map(
      ([, name = '', type = '', labels = '']) => [
        name,
        { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
      ],
    ),
  );
});
afterAll(async () => {
  await platform.stop();
  await rm(usage, { recursive: true, force: true });
});

describe('the metrics', () => {
  it('are all described in docs/operations.md, and all metrics that it describes exist', () => {
    const own = [...exposed].filter(([name]) => !isOfLibrary(name));
    expect(own.length).toBeGreaterThan(30);
    expect(Object.fromEntries([...documented].map(([name, { type }]) => [name, type]))).toEqual(
      Object.fromEntries(own),
    );
  });

  it('have the labels that docs/operations.md names', () => {
    for (const sample of samples) {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(sample) ?? [];
      const metric = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ''));
      if (!metric) continue;
      const given = [...labels.matchAll(/(\w+)="/g)]
        .map(([, label]) => label)
        .filter((label) => label !== 'le' && label !== 'service');
      expect({ name, labels: new Set(given) }).toEqual({ name, labels: new Set(metric.labels) });
    }
  });

  it('of failures begin with 0, because an alert does not notice a counter that begins with 1', async () => {
    const rules = await readFile(new URL('../../deploy/monitoring/alerts.yaml', import.meta.url), 'utf8');
    const counters = [...rules.matchAll(/(?:rate|increase)\((\w+)(?:\{([^}]*)\})?\[/g)].filter(
      ([, , labels]) => /(outcome|result)="(failed|refused|given_up)"/.test(labels ?? ''),
    );
    const wanted = counters.map(([, name, labels = '']) => ({ name, labels: labels.split(/, */) }));
    wanted.push({ name: 'jobs_failed_total', labels: [] }, { name: 'retention_failures_total', labels: [] });
    expect(wanted.length).toBeGreaterThan(8);
    const isIn = ({ name, labels }: (typeof wanted)[number]) =>
      samples.some(
        (sample) =>
          sample.startsWith(`${name}{`) &&
          sample.endsWith(' 0') &&
          labels.every((one) => sample.includes(one)),
      );
    expect(wanted.filter((one) => !isIn(one))).toEqual([]);
  });

  it('do not count the requests of balancers and scrapers as operations', async () => {
    const counted = async () => {
      const text = await (await fetch(`${platform.url('gateway')}/metrics`)).text();
      return text.split('\n').filter((line) => line.startsWith('operation_duration_seconds_count'));
    };
    const before = await counted();
    for (const path of ['/health/ready', '/health/live', '/metrics', '/gym/health/ready'])
      await platform.rest('gateway', 'GET', path);
    expect(await counted()).toEqual(before);
  });

  it('count a request by its class and outcome, at the gateway and at a service', () => {
    for (const service of ['gateway', 'gym'])
      expect(samples).toContainEqual(
        expect.stringMatching(
          new RegExp(
            `^operation_duration_seconds_count\\{service="${service}",class="read",outcome="answered"\\} [1-9]`,
          ),
        ),
      );
  });
});
