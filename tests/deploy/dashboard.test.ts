import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { SERVER_NAMES, type ServerName } from '#server/auth/service-secret.ts';
import { SERVICE_PORTS } from '#server/settings.ts';
import { whyWithoutPromtool } from './support/simulation.ts';

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}
const MONITORING = path.join(import.meta.dirname, '../../deploy/monitoring');
const read = (file: string): string => readFileSync(path.join(MONITORING, file), 'utf8');
const { panels } = JSON.parse(read('grafana/dashboard.json')) as { panels: Panel[] };
const shown = panels.filter(({ type }) => type !== 'row');

it('the panels of the dashboard have names of their own, and do not overlap', () => {
  expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

const describePromtool = whyWithoutPromtool ? describe.skip : describe;
describePromtool(`the queries of the dashboard${whyWithoutPromtool}`, () => {
  it('are valid', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'dashboard-'));
    try {
      const rules = shown
        .flatMap(({ targets = [] }) => targets)
        .map(({ expr }, index) => ({ record: `query_${index}`, expr: expr.replaceAll('$service', 'gym') }));
      expect(rules.length).toBeGreaterThan(40);
      writeFileSync(path.join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
      const output = execFileSync('promtool', ['check', 'rules', path.join(folder, 'rules.yaml')], {
        encoding: 'utf8',
      });
      expect(output).toContain(`SUCCESS: ${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it('Prometheus asks every server in Compose and on own servers, and has the same job and alerts there and in Kubernetes', () => {
  interface Configuration {
    scrape_configs: {
      job_name: string;
      honor_labels: boolean;
      dns_sd_configs?: { names: string[]; port: number }[];
      static_configs?: { labels: { service: string }; targets: string[] }[];
    }[];
    rule_files: string[];
  }
  const [compose, kubernetes, servers] = [
    'prometheus.yaml',
    'prometheus.kubernetes.yaml',
    'prometheus.servers.yaml',
  ].map((file) => parse(read(file)) as Configuration);
  for (const {
    scrape_configs: [job],
    rule_files,
  } of [compose!, kubernetes!, servers!]) {
    expect(job).toMatchObject({ job_name: 'fitness-platform', honor_labels: true });
    expect(rule_files).toEqual(['alerts.yaml']);
  }
  const [source] = compose!.scrape_configs[0]!.dns_sd_configs!;
  expect(source).toMatchObject({ names: expect.arrayContaining([...SERVER_NAMES]), port: 9464 });
  const targets = servers!.scrape_configs[0]!.static_configs!;
  expect(
    Object.fromEntries(targets.map(({ labels, targets: [first] }) => [labels.service, first?.split(':')[1]])),
  ).toEqual(Object.fromEntries(SERVER_NAMES.map((name) => [name, portOf(name)])));
});

const portOf = (name: ServerName): string => String(name === 'gateway' ? 4000 : SERVICE_PORTS[name]);
