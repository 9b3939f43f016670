import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownSecretText, SERVER_NAMES, type ServerName } from '#server/auth/service-secret.ts';
import { SERVICE_NAMES, SERVICE_PORTS } from '#server/settings.ts';
import { settingsIn, unknownSettings } from './support/known-settings.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const balancer = read('deploy/haproxy/haproxy.cfg');
const portOf = (name: ServerName): number => (name === 'gateway' ? 4000 : SERVICE_PORTS[name]);

/** The lines of the section `listen <name>`. */
const section = (name: string): string =>
  new RegExp(`^listen ${name}\\n((?:  .*\\n)+)`, 'm').exec(balancer)?.[1] ?? '';

describe('the configuration of HAProxy', () => {
  it.each(SERVER_NAMES)('has both replicas of %s, on its port', (name) => {
    const servers = [...section(name).matchAll(/^ {2}server (\w+) (\S+)$/gm)];
    expect(servers.map(([, host, address]) => [host, address])).toEqual([
      ['first', `"\${FIRST_HOST}:${portOf(name)}"`],
      ['second', `"\${SECOND_HOST}:${portOf(name)}"`],
    ]);
  });
});

const why = spawnSync('haproxy', ['-v']).status === 0 ? '' : ' (skipped: haproxy not installed)';
(why ? describe.skip : describe)(`HAProxy${why}`, () => {
  it('accepts the configuration', () => {
    const env = { ...process.env, FIRST_HOST: '10.0.0.1', SECOND_HOST: '10.0.0.2' };
    const file = path.join(ROOT, 'deploy/haproxy/haproxy.cfg');
    expect(spawnSync('haproxy', ['-c', '-f', file], { env, encoding: 'utf8' })).toMatchObject({ status: 0 });
  });
});

it('the unit of systemd starts each server in /opt/fitness, the link that docs/own-servers.md creates', () => {
  expect(read('deploy/systemd/fitness@.service')).toMatch(/^WorkingDirectory=\/opt\/fitness$/m);
  expect(read('docs/own-servers.md')).toMatch(/^ln -sfn fitness-[\d.]+ \/opt\/fitness$/m);
});

describe('the settings of docs/own-servers.md', () => {
  const block = /^cat > common\.env <<END\n([^]*?)^END\n([^]*?)^```/m.exec(read('docs/own-servers.md'));
  const [, common = '', ofServers = ''] = block ?? [];
  const secret = 'x'.repeat(64);

  const environmentOf = (server: ServerName): Record<string, string> => {
    const appended = [...ofServers.matchAll(/^echo '([^']*)' >> (\w+)\.env$/gm)];
    const own = appended.filter(([, , name]) => name === server).map(([, lines]) => lines);
    const pairs = [common, ...own]
      .join('\n')
      .replaceAll('$METRICS_TOKEN', 'a'.repeat(48))
      .replaceAll('...', 'a-long-password-1')
      .split('\n')
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
    return {
      ...Object.fromEntries(pairs),
      SERVICE_SECRET: server === 'identity' ? secret : ownSecretText(secret, server),
      ...(server !== 'gateway' && { DATABASE_URL: `postgres://platform_${server}:x@host:5432/postgres` }),
    };
  };

  it.each(SERVER_NAMES)('of %s are complete, and the program knows all of them', (server) => {
    const env = environmentOf(server);
    expect(unknownSettings(server, Object.keys(env))).toEqual([]);
    const settings = settingsIn(server, env);
    expect(settings).toMatchObject({ demo: false, databaseMigrations: false });
    for (const name of SERVICE_NAMES) {
      const { port } = new URL(settings[`${name}Url`]);
      expect(section(name)).toContain(`bind 127.0.0.1:${port}\n`);
    }
  });
});
