import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVER_NAMES } from '#server/auth/service-secret.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { isAllowed, type End } from './support/connections.ts';
import {
  containersOf,
  KUBERNETES,
  named,
  podOf,
  podsOf,
  render,
  whyWithoutKubectl,
  type Manifest,
} from './support/manifests.ts';
import { brokenReferences, unrestricted } from './support/problems.ts';
import { schemaProblems } from './support/schema-problems.ts';

const FOLDERS = ['base', 'overlays/trial', 'overlays/production'];
const rendered = new Map<string, Manifest[]>();
const manifestsOf = (folder: string): Manifest[] => rendered.get(folder) ?? [];
const isSkipped = whyWithoutKubectl !== '';
const describeRendered = isSkipped ? describe.skip : describe;

beforeAll(() => {
  if (!isSkipped) for (const folder of FOLDERS) rendered.set(folder, render(folder));
});

describeRendered(`the manifests of Kubernetes${whyWithoutKubectl}`, () => {
  it('follow the API of Kubernetes, without unknown fields', async () => {
    const all = FOLDERS.flatMap(manifestsOf);
    expect(all.length).toBeGreaterThan(100);
    expect(await schemaProblems(all)).toEqual([]);

    const gym = structuredClone(named(all, 'Deployment', 'gym')!);
    podOf(gym).spec.containers[0].imagePolicy = 'Always';
    const gateway = structuredClone(named(all, 'Deployment', 'gateway')!);
    podOf(gateway).spec.containers[0].ports[0].containerPort = 'http';
    expect((await schemaProblems([gym])).join()).toMatch(/'"imagePolicy"' does not exist/);
    expect((await schemaProblems([gateway])).join()).toContain('containerPort must be integer');
  });

  it.each(FOLDERS)('refer to objects that exist (%s)', (folder) => {
    expect(brokenReferences(manifestsOf(folder))).toEqual([]);
  });

  it.each(FOLDERS)('contain no secret (%s)', (folder) => {
    const manifests = manifestsOf(folder);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const settings = manifests
      .filter(({ kind }) => kind === 'ConfigMap')
      .flatMap(({ data = {} }) => Object.entries(data));
    expect(
      settings.filter(([name]) => /PASSWORD|SECRET|TOKEN|_KEY|DATABASE_URL|REDIS_URL/.test(name)),
    ).toEqual([]);
  });

  it.each(FOLDERS)('give each server only its own secret and that of Redis (%s)', (folder) => {
    for (const manifest of podsOf(manifestsOf(folder))) {
      const { name } = manifest.metadata;
      const secrets = [
        ...JSON.stringify(podOf(manifest)).matchAll(
          /"secret(?:KeyRef|Ref)?":\{[^}]*"(?:name|secretName)":"([^"]+)"/g,
        ),
      ];
      const allowed =
        name === 'migrate' || name === 'postgres' || name === 'pgbouncer' ? [name] : [name, 'redis'];
      expect({
        name,
        others: secrets.map(([, secret]) => secret!).filter((secret) => !allowed.includes(secret)),
      }).toEqual({
        name,
        others: [],
      });
    }
  });

  it.each(FOLDERS)(
    'run as an ordinary user, on a read-only file system, by the profile "restricted" (%s)',
    (folder) => {
      const manifests = manifestsOf(folder);
      const namespace = manifests.find(({ kind }) => kind === 'Namespace');
      expect(namespace?.metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'restricted',
      });
      for (const manifest of podsOf(manifests)) expect(unrestricted(manifest)).toEqual([]);
    },
  );

  it.each(FOLDERS)('limit the memory of every container, and pin its image (%s)', (folder) => {
    for (const container of podsOf(manifestsOf(folder)).flatMap(containersOf)) {
      expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
      expect(container.resources.requests.cpu).toBeDefined();
      expect(container.image).toMatch(/:v?\d+\.\d+/);
    }
  });

  it.each(SERVER_NAMES)('probe the health of %s, and give it enough time to stop', (name) => {
    for (const folder of FOLDERS) {
      const pod = podOf(named(manifestsOf(folder), 'Deployment', name)!).spec;
      const { startupProbe, livenessProbe, readinessProbe } = pod.containers[0];
      expect(livenessProbe.httpGet).toEqual({ path: '/health/live', port: 'http' });
      expect(readinessProbe.httpGet).toEqual({ path: '/health/ready', port: 'http' });
      // A start waits for migrations for up to 60 s, and then takes time itself.
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(90);
      const settings = settingsIn(manifestsOf(folder));
      const stopMillis =
        Number(settings.DRAIN_DELAY_MILLIS) + Number(settings.STOP_GRACE_PERIOD_MILLIS) + 5_000;
      expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(stopMillis);
      expect(Number(settings.DRAIN_DELAY_MILLIS)).toBeGreaterThan(
        readinessProbe.periodSeconds * readinessProbe.failureThreshold * 1_000,
      );
    }
  });
});

describeRendered(`the overlay for production${whyWithoutKubectl}`, () => {
  const production = () => manifestsOf('overlays/production');

  it('has at least three replicas of every server, of which only one at a time may be evicted', () => {
    for (const name of SERVER_NAMES) {
      const { minReplicas, metrics } = named(production(), 'HorizontalPodAutoscaler', name)!.spec;
      expect(minReplicas).toBeGreaterThanOrEqual(3);
      expect(metrics[0].resource.name).toBe('cpu');
      expect(named(production(), 'Deployment', name)!.spec.replicas).toBeUndefined(); // the autoscaler sets it
      expect(named(production(), 'PodDisruptionBudget', name)!.spec.maxUnavailable).toBe(1);
    }
    for (const name of ['gateway', 'squad'])
      expect(named(production(), 'HorizontalPodAutoscaler', name)!.spec.metrics[1].pods.metric.name).toBe(
        'open_sockets',
      );
    expect(named(production(), 'StatefulSet', 'redis')!.spec.replicas).toBe(3);
  });

  it('gives PgBouncer enough connections for the largest number of replicas', () => {
    const ini = named(production(), 'ConfigMap', configMapNamed('pgbouncer'))!.data!['pgbouncer.ini']!;
    const setting = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(ini)?.[1]);
    const replicas = Math.max(
      ...SERVICE_NAMES.map((name) => named(production(), 'HorizontalPodAutoscaler', name)!.spec.maxReplicas),
    );
    const poolMax = Number(settingsIn(production()).DATABASE_POOL_MAX ?? 10);
    const poolers = named(production(), 'Deployment', 'pgbouncer')!.spec.replicas;
    // One PgBouncer alone must have enough connections for all clients while the other one is replaced.
    expect(setting('max_client_conn')).toBeGreaterThanOrEqual(poolMax * SERVICE_NAMES.length * replicas);
    expect(setting('default_pool_size') * poolers).toBeGreaterThan((poolMax / 2) * replicas);
    expect(setting('max_prepared_statements')).toBeGreaterThan(0);
  });
  const configMapNamed = (start: string) =>
    production().find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${start}-`))!
      .metadata.name;
});

describeRendered(`the network policies${whyWithoutKubectl}`, () => {
  const ingress = { namespace: { 'fitness-platform/ingress': 'true' } };
  const monitoring = { namespace: { 'fitness-platform/monitoring': 'true' } };
  const other = { namespace: { 'kubernetes.io/metadata.name': 'default' } };
  const dns = { namespace: { 'kubernetes.io/metadata.name': 'kube-system' } };
  const internet = { address: '93.184.215.14' };
  const inside = { address: '10.1.2.3' };

  const both: [End, End, number, boolean][] = [
    [ingress, 'gateway', 4000, true],
    [ingress, 'gym', 3002, false],
    [other, 'gateway', 4000, false],
    [other, 'redis', 6379, false],
    [monitoring, 'gateway', 9464, true],
    [monitoring, 'gym', 9464, true],
    [monitoring, 'gym', 3002, false],
    ['gateway', 'gym', 3002, true],
    ['gateway', 'gym', 9464, false],
    ['gym', 'identity', 3007, true],
    ['gym', 'gateway', 4000, false],
    ['gym', dns, 53, true],
    ['gateway', 'redis', 6379, true],
    ['migrate', 'redis', 6379, false],
    ['migrate', 'identity', 3007, false],
    ['gym', internet, 443, true],
    ['gym', internet, 8443, true], // a webhook
    ['gym', { address: '2606:4700::1111' }, 8443, true],
    ['gym', { address: 'fd00::1' }, 443, false],
    ['gym', inside, 443, false],
    ['gym', inside, 8443, false],
    ['identity', internet, 465, true],
    ['content', internet, 8443, false],
    ['gym', { address: '169.254.169.254' }, 80, false],
    ['squad', internet, 443, false],
    ['gateway', internet, 443, false],
    ['redis', internet, 443, false],
  ];
  it.each([
    [
      'overlays/trial',
      [
        ['gym', 'postgres', 5432, true],
        ['migrate', 'postgres', 5432, true],
        ['gateway', 'postgres', 5432, false],
        ['redis', 'postgres', 5432, false],
      ],
    ],
    [
      'overlays/production',
      [
        ['gym', 'pgbouncer', 6432, true],
        ['gateway', 'pgbouncer', 6432, false],
        ['pgbouncer', { address: '10.20.0.7' }, 5432, true],
        ['gym', { address: '10.20.0.7' }, 5432, true],
        ['migrate', { address: '10.20.0.7' }, 5432, true],
        ['gateway', { address: '10.20.0.7' }, 5432, false],
        ['redis', 'redis', 26379, true],
        ['gateway', 'redis', 26379, true],
      ],
    ],
  ] satisfies [string, [End, End, number, boolean][]][])(
    'allow only the connections that are needed (%s)',
    (folder, own) => {
      const cases = [...both, ...own];
      expect(
        cases.filter(
          ([from, to, port, expected]) => isAllowed(manifestsOf(folder), from, to, port) !== expected,
        ),
      ).toEqual([]);
    },
  );
});

describeRendered(`the commands of a release in docs/kubernetes.md${whyWithoutKubectl}`, () => {
  const text = readFileSync(path.join(KUBERNETES, '../../docs/kubernetes.md'), 'utf8');
  const servers = /^for server in (.*); do$/m.exec(text)?.[1]?.split(' ') ?? [];
  const applied = [...text.matchAll(/kubectl apply -k \$OVERLAY -l '?([^'\n]+?)'?(?: &&)?$/gm)].flatMap(
    ([, selector = '']) =>
      selector.includes('$server') ? servers.map((name) => selector.replace('$server', name)) : [selector],
  );

  it('replace identity first, then gym, and the gateway last', () => {
    expect(servers.toSorted()).toEqual(SERVER_NAMES.toSorted());
    expect([servers[0], servers[1], servers.at(-1)]).toEqual(['identity', 'gym', 'gateway']);
  });

  it.each(['overlays/trial', 'overlays/production'])(
    'apply every manifest once, the migrations after the settings and before the servers (%s)',
    (folder) => {
      const steps = applied.map((selector) =>
        manifestsOf(folder).filter(({ metadata }) => isSelected(selector, metadata.labels)),
      );
      expect(steps.flat()).toHaveLength(manifestsOf(folder).length);
      expect(new Set(steps.flat())).toEqual(new Set(manifestsOf(folder)));
      const [first = [], ...others] = steps;
      expect(first.map(({ kind }) => kind)).toContain('ConfigMap');
      expect(others.map((step) => step.map(({ kind, metadata }) => `${kind} ${metadata.name}`))).toEqual([
        ['Job migrate'],
        ...servers.map((name) => [`Deployment ${name}`]),
      ]);
    },
  );
});

describe('the roles of the databases', () => {
  it('are created for every service', () => {
    const script = readFileSync(path.join(KUBERNETES, '../postgres/create-roles.sh'), 'utf8');
    const names = /^for service in (.*); do$/m.exec(script)?.[1]?.split(' ');
    expect(names?.toSorted()).toEqual(SERVICE_NAMES.toSorted());
  });
});

/** Whether labels match a selector of `kubectl`, `key=value` or `key notin (a, b)`. */
function isSelected(selector: string, labels: Record<string, string> = {}): boolean {
  const [, key = '', list] = /^(\S+) notin \((.*)\)$/.exec(selector) ?? [];
  if (list !== undefined) return !list.split(', ').includes(labels[key] ?? '');
  const [name = '', value] = selector.split('=');
  return labels[name] === value;
}

const settingsIn = (manifests: readonly Manifest[]): Record<string, string> =>
  manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('settings-'))
    ?.data ?? {};
