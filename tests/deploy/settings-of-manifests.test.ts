import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ownSecretText, SERVER_NAMES, type ServerName } from '#server/auth/service-secret.ts';
import { SERVICE_NAMES, SERVICE_PORTS, serverSettings, variableOf } from '#server/settings.ts';
import { settingsIn, unknownSettings } from './support/known-settings.ts';
import {
  containersOf,
  KUBERNETES,
  podOf,
  render,
  whyWithoutKubectl,
  type Manifest,
} from './support/manifests.ts';

const OVERLAYS = ['trial', 'production'];

/** What the Secrets contain, as docs/kubernetes.md describes them. */
const secretValue = (server: ServerName, key: string): string => {
  const installation = 'x'.repeat(64);
  const values: Record<string, string> = {
    'service-secret': server === 'identity' ? installation : ownSecretText(installation, server),
    'database-url': `postgres://platform_${server}:secret@pgbouncer:6432/postgres`,
    'database-direct-url': `postgres://platform_${server}:secret@postgres.example.com:5432/postgres`,
    'smtp-url': 'smtp://user:secret@smtp.example.com:587',
    'bootstrap-admin-email': 'admin@example.com',
    'bootstrap-admin-password': 'a-long-password-1',
    'gemini-api-key': 'key',
    url: 'redis+sentinel://:secret@redis-0.redis:26379,redis-1.redis:26379/fitness?sentinel_password=secret',
  };
  const value = values[key];
  if (value === undefined) throw new Error(`docs/kubernetes.md and this test do not know the key "${key}"`);
  return value;
};

/** The environment of a server's container. */
function environmentOf(manifests: readonly Manifest[], server: ServerName): Record<string, string> {
  const deployment = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === server,
  )!;
  const [container] = containersOf(deployment);
  const env: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom)
    Object.assign(
      env,
      manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name)
        ?.data,
    );
  for (const { name, value, valueFrom } of container.env)
    env[name] = value ?? secretValue(server, valueFrom.secretKeyRef.key);
  return env;
}

const describeRendered = whyWithoutKubectl ? describe.skip : describe;

describeRendered.each(OVERLAYS)(`the settings of the overlay %s${whyWithoutKubectl}`, (overlay) => {
  const manifests = whyWithoutKubectl ? [] : render(`overlays/${overlay}`);

  it.each(SERVER_NAMES)('of %s are complete, and the program knows all of them', (server) => {
    const env = environmentOf(manifests, server);
    expect(unknownSettings(server, Object.keys(env))).toEqual([]);

    const settings = settingsIn(server, env);
    expect(settings).toMatchObject({
      demo: false,
      databaseMigrations: false,
      host: '0.0.0.0',
      metricsPort: 9464,
    });
    for (const name of SERVICE_NAMES)
      expect(settings[`${name}Url`]).toBe(`http://${name}:${SERVICE_PORTS[name]}`);
    expect(settings.redisUrl).toBeDefined();
  });

  it.each(SERVER_NAMES)('of %s are the ports and the command with which it is started', (server) => {
    const deployment = manifests.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === server,
    )!;
    const [container] = containersOf(deployment);
    const port = server === 'gateway' ? 4000 : SERVICE_PORTS[server];
    expect(container.args).toEqual(['main.ts', server]);
    expect(container.ports).toContainEqual({ name: 'http', containerPort: port });
    expect(container.ports).toContainEqual({ name: 'metrics', containerPort: 9464 });
    expect(podOf(deployment).spec.enableServiceLinks).toBe(false);
    const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === server)!;
    expect(service.spec.ports).toEqual([{ name: 'http', port, targetPort: 'http' }]);
  });
});

describe('the files of settings', () => {
  it.each(['base', 'overlays/trial', 'overlays/production'])(
    'have names that every server knows (%s)',
    (folder) => {
      const lines = readFileSync(path.join(KUBERNETES, folder, 'settings.env'), 'utf8').split('\n');
      const names = lines
        .filter((line) => line && !line.startsWith('#'))
        .map((line) => line.split('=', 1)[0]!);
      const known = new Set([...Object.keys(serverSettings.shape).map(variableOf), 'NODE_ENV']);
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    },
  );
});
