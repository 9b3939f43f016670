import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import {
  reportingAllProblems,
  missingChoices,
  readSettings,
  serverSettings,
  SERVICE_NAMES,
  SettingsError,
  variableOf,
  withDemoDefaults,
} from '#server/settings.ts';
import { gatewaySettings } from '../../gateway/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { identitySettings } from '../../subgraphs/identity/settings.ts';
import { squadSettings } from '../../subgraphs/squad/settings.ts';
import { KEEPS_GONE_MILLIS } from '../../subgraphs/squad/squads/connection-times.ts';

const variables = [gatewaySettings, ...subgraphs.map((subgraph) => subgraph.settings)]
  .flatMap((schema) => Object.keys(schema.shape))
  .map(variableOf);

describe('settings', () => {
  it('are all described in docs/operations.md', async () => {
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const documented = new Set([...page.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name));
    expect(
      [...new Set(variables), ...SERVICE_NAMES.map((name) => `${name.toUpperCase()}_PORT`)].filter(
        (name) => !documented.has(name),
      ),
    ).toEqual([]);
  });

  it('have the defaults that docs/operations.md names', async () => {
    const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const documented = new Map<string, string>();
    for (const [, names = '', defaults = ''] of page.matchAll(
      /^\| (`[A-Z].*?) \| (`[^`|]*`(?:, `[^`|]*`)*) \| .* \|$/gm,
    )) {
      const values = [...defaults.matchAll(/`([^`]*)`/g)].map(([, value = '']) => value);
      // one value for each name, or one for all of them
      for (const [index, [, name = '']] of [...names.matchAll(/`(\w+)`/g)].entries())
        documented.set(name, values[index] ?? values[0] ?? '');
    }
    const different: object[] = [];
    let compared = 0;
    for (const schema of [gatewaySettings, ...subgraphs.map((subgraph) => subgraph.settings)])
      for (const [field, setting] of Object.entries(schema.shape)) {
        const name = variableOf(field);
        const text = documented.get(name);
        const { data } = (setting as z.ZodType<string | number | boolean | undefined>).safeParse(undefined);
        if (text === undefined || data === undefined) continue;
        compared += 1;
        const word = data ? 'on' : 'off';
        const byDefault = typeof data === 'boolean' && text !== String(data) ? word : String(data);
        if (text !== byDefault) different.push({ name, text, byDefault });
      }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(60);
  });

  it('fail with the name of every wrong variable, and hide secrets', () => {
    const read = () =>
      readSettings(gatewaySettings, {
        GATEWAY_PORT: '99999',
        RATE_LIMITS: 'maybe',
        DATABASE_URL: 'mysql://root:hunter2@db/x',
      });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(/GATEWAY_PORT: expected a port number from 0 to 65535; got "99999"/);
    expect(read).toThrow(/RATE_LIMITS: expected on or off; got "maybe"/);
    expect(read).toThrow(/DATABASE_URL: expected postgres:\/\/.*; got "mysql:\/\/\*\*\*@db\/x"/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('accept the URL of a database with one or several hosts', () => {
    const read = (url: string) => readSettings(serverSettings, { DATABASE_URL: url }).databaseUrl;
    for (const url of [
      'postgres://user:p%40ss@host:5432/postgres?sslmode=require',
      'postgresql://host',
      'postgres://postgres@/postgres?host=/var/run/postgresql',
      'postgres://user:secret@one:5432,two:5433,[::1]/postgres',
    ])
      expect(read(url)).toBe(url);
    for (const url of ['postgres://host:99999/db', 'postgres://one:5432,two:x/db', 'postgres://one:0/db'])
      expect(() => read(url)).toThrow(/DATABASE_URL: expected postgres:\/\/user:password@host/);
  });

  it('keep a new signing key published longer than caches keep the key set', () => {
    const read = (value: string) =>
      readSettings(identitySettings, { KEY_PUBLISH_AHEAD_SECONDS: value }).keyPublishAheadSeconds;
    expect([read(''), read('10')]).toEqual([600, 10]);
    expect(() => read('9')).toThrow(/KEY_PUBLISH_AHEAD_SECONDS: expected at least 10 seconds; got "9"/);
  });

  it('limit the connections of a pool', () => {
    const read = (value: string) =>
      readSettings(serverSettings, { DATABASE_POOL_MAX: value }).databasePoolMax;
    expect([read(''), read('2'), read('40')]).toEqual([10, 2, 40]);
    for (const value of ['1', '1001', '2.5', 'many'])
      expect(() => read(value)).toThrow(/DATABASE_POOL_MAX: expected a number of connections from 2 to 1000/);
  });

  it('for absences are at most as long as squad stores the time at which a user left', () => {
    for (const name of ['SQUAD_LOBBY_LIFETIME_MILLIS', 'SQUAD_HOST_AWAY_MILLIS']) {
      expect(() => readSettings(squadSettings, { [name]: String(KEEPS_GONE_MILLIS) })).not.toThrow();
      expect(() => readSettings(squadSettings, { [name]: String(KEEPS_GONE_MILLIS + 1) })).toThrow(name);
    }
  });

  it('treat an empty variable as absent', () => {
    expect(readSettings(serverSettings, { LOG_LEVEL: '', REDIS_URL: '' })).toMatchObject({
      logLevel: 'info',
    });
  });
});

describe('a start without the choices of an operator', () => {
  const WHOLE = { hasDatabase: true, isSeparate: false, storesFiles: true, sendsMails: true };
  const ALONE = { ...WHOLE, isSeparate: true };
  const NUTRITION = { ...ALONE, storesFiles: false, sendsMails: false };
  const production = { NODE_ENV: 'production' };
  const url = { DATABASE_URL: 'postgres://db/postgres' };
  const secret = { SERVICE_SECRET: 'x'.repeat(32) };
  const redis = { REDIS_URL: 'redis://r' };
  const bucket = { FILES_URL: 's3://bucket' };
  const smtp = { SMTP_URL: 'smtp://mail' };
  const all = { ...production, ...url, ...secret, ...redis, ...smtp };
  const namesOf = (missing: readonly string[]) => missing.map((problem) => problem.split(':', 1)[0]);

  it.each([
    ['the demo on this machine', {}, WHOLE, []],
    ['one service of the demo', {}, ALONE, []],
    ['production with nothing else', production, WHOLE, ['DATABASE_URL', 'SMTP_URL']],
    [
      'one service in production with nothing else',
      production,
      ALONE,
      ['DATABASE_URL', 'SERVICE_SECRET', 'SMTP_URL'],
    ],
    ['one service with Redis', redis, ALONE, ['DATABASE_URL', 'FILES_URL']],
    [
      'a direct address without a pooler',
      { DATABASE_DIRECT_URL: 'postgres://db/postgres' },
      WHOLE,
      ['DATABASE_URL'],
    ],
    ['the whole platform with Redis', redis, WHOLE, []],
    ['one of several whole platforms', { ...redis, ...url }, WHOLE, ['FILES_URL']],
    ['one service on a database', url, ALONE, ['SERVICE_SECRET']],
    ['the whole platform on a database', { ...production, ...url, ...smtp }, WHOLE, []],
    ['the embedded database without the demo', { ...production, ...smtp, DEMO: 'off' }, WHOLE, []],
    ['mails in files by choice', { ...production, ...url, SMTP_URL: 'outbox:' }, WHOLE, []],
    ['replicas with files on disks of their own', all, ALONE, ['FILES_URL']],
    ['replicas with a folder that is not shared', { ...all, FILES_URL: 'file:///f' }, ALONE, ['FILES_URL']],
    ['replicas with a shared folder', { ...all, FILES_URL: 'file:///f?shared=true' }, ALONE, []],
    ['replicas with a bucket', { ...all, ...bucket }, ALONE, []],
    ['replicas of a service without files and mails', { ...all, SMTP_URL: '' }, NUTRITION, []],
    ['the demo in production by choice', { ...production, DEMO: 'on' }, ALONE, []],
  ])('(%s) names the missing variables', (_what, env, kind, expected) => {
    expect(namesOf(missingChoices(env, kind))).toEqual(expected);
  });

  it.each([
    ['without settings', {}, { DEMO: 'on', HOST: '127.0.0.1' }],
    ['with a HOST', { HOST: '0.0.0.0' }, { DEMO: 'on', HOST: '0.0.0.0' }],
    ['in production', production, { DEMO: 'off', HOST: '0.0.0.0' }],
    ['on a database', url, { DEMO: 'off', HOST: '0.0.0.0' }],
    ['on a database with DEMO=1', { ...url, DEMO: '1' }, { DEMO: '1', HOST: '127.0.0.1' }],
  ])('gets defaults for DEMO and HOST: with demo accounts, only this machine (%s)', (_how, env, expected) => {
    expect(withDemoDefaults(env)).toMatchObject(expected);
  });

  it('reports everything that is missing or wrong in one message', () => {
    const missing = missingChoices(production, ALONE);
    const read = () => readSettings(serverSettings, { LOG_LEVEL: 'loud' });
    expect(() => reportingAllProblems(missing, read)).toThrow(
      /DATABASE_URL: [^]*SERVICE_SECRET: [^]*SMTP_URL: [^]*LOG_LEVEL: /,
    );
  });
});
