import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#server/embedded-postgres/embedded-postgres.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { startProcess, type StartedProcess } from '../support/process.ts';

// The services run as in deploy/kubernetes: each with its own database user and its own secret; `migrate` runs as the owner of
// the databases.

/** The service secret of the installation. */
const SECRET = randomBytes(32).toString('hex');
let folder: string;
let postgres: EmbeddedPostgres;
/** The own secret of each server, by its name. */
const own = new Map<string, string>();
const started: StartedProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'least-rights-'));
  postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), durable: false });
  await as('postgres', 'postgres', 'create role owner login createdb');
  for (const name of SERVICE_NAMES) await as('postgres', 'postgres', `create role platform_${name} login`);
  const { output } = await command(['service-secrets'], { SERVICE_SECRET: SECRET });
  for (const [, name, value] of output.matchAll(/^([A-Z]+)_SERVICE_SECRET=(\S+)$/gm))
    own.set(name!.toLowerCase(), value!);
});
afterAll(async () => {
  await Promise.all(started.map((one) => one.end('SIGKILL')));
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const urlFor = (role: string, database = 'postgres'): string => {
  if (!('socketDir' in postgres.server)) throw new Error('the embedded server has a socket');
  return `postgres://${role}@/${database}?host=${encodeURIComponent(postgres.server.socketDir)}`;
};

async function as(role: string, database: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: urlFor(role, database) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function command(args: readonly string[], env: Record<string, string>) {
  const process = startProcess(args, { LOG_LEVEL: 'silent', ...env });
  return { code: await process.ended, output: process.output() };
}
const migrate = () =>
  command(['migrate', 'identity', 'gym', '--grant-to', 'platform_{service}'], {
    DATABASE_URL: urlFor('owner'),
  });

const service = (name: string, env: Record<string, string> = {}): StartedProcess => {
  const process = startProcess([name], {
    DATABASE_URL: urlFor(`platform_${name}`),
    DATABASE_MIGRATIONS: 'off',
    DEMO: 'on',
    HOST: '127.0.0.1',
    DATA_DIR: path.join(folder, name),
    [`${name.toUpperCase()}_PORT`]: '0',
    LOG_LEVEL: 'info',
    SERVICE_SECRET: own.get(name) ?? SECRET,
    ...env,
  });
  started.push(process);
  return process;
};
const ready = async (process: StartedProcess): Promise<string> =>
  (await process.printed(/is ready: (http:\/\/\S+)/))[1]!;

const post = async (url: string, body: object, token?: string) => {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};

describe('services whose users may not change tables, each with its own secret', () => {
  let identityUrl: string;
  let gymUrl: string;

  it('wait for the migrations, which the owner of the databases runs, and work', async () => {
    const identity = service('identity');
    await identity.printed(/waiting for \\?"npm start -- migrate/);
    // Two at once, as two jobs of a deployment that is repeated.
    const both = await Promise.all([migrate(), migrate()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    identityUrl = await ready(identity);
    gymUrl = await ready(service('gym', { IDENTITY_URL: identityUrl }));
    const again = await migrate();
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('platform_gym: is up to date') });

    const login = await post(`${identityUrl}/auth/login`, {
      email: 'maya@iron.test',
      password: 'demo-password-1',
    });
    const me = await fetch(`${identityUrl}/users/me`, {
      headers: { Authorization: `Bearer ${login.body.token}` },
    });
    const { qrCode } = (await me.json()) as { qrCode: string };
    // Gym reads the owner of the code from identity with a token that it gets for its own secret.
    const locationId = '01900000-0000-7000-8301-030100000001';
    const visit = await post(`${gymUrl}/locations/check-in`, { qrCode, locationId }, login.body.token);
    expect(visit).toMatchObject({ status: 201 });
  });

  it('cannot change or empty tables, disable their triggers, or read the database of another service', async () => {
    const refused = (database: string, statement: string) =>
      as('platform_gym', database, statement).then(
        () => 'allowed',
        (error: { code?: string }) => error.code,
      );
    for (const statement of [
      'create table stolen (id int)',
      'create schema stolen',
      'alter table audit_event disable trigger all',
      'truncate check_in',
      'drop table check_in',
      'create function stolen() returns int language sql as $$ select 1 $$',
      "insert into mikro_orm_migrations (name) values ('stolen')",
      'create temporary table stolen (id int)',
      'set role owner',
    ])
      expect([statement, await refused('platform_gym', statement)]).toEqual([statement, '42501']);
    expect(await refused('platform_identity', 'select 1')).toBe('42501');
    expect(await refused('platform_gym', 'select count(*) from check_in')).toBe('allowed');
    expect(await refused('platform_gym', 'analyze check_in')).toBe('allowed');
  });

  it('get no token of another service with their own secret', async () => {
    const token = (client_id: string, client_secret: string) =>
      post(`${identityUrl}/auth/token`, { grant_type: 'client_credentials', client_id, client_secret });
    const [, clientSecret = '', proof = ''] = own.get('gym')!.split('.');
    expect(await token('gym', clientSecret)).toMatchObject({ status: 200 });
    for (const other of ['identity', 'wizard', 'squad', 'gateway']) {
      expect(await token(other, clientSecret)).toMatchObject({ status: 401 });
      expect(await token(other, proof)).toMatchObject({ status: 401 });
    }
  });

  it.each([
    ['identity', /SERVICE_SECRET is a server's own secret/],
    ['squad', /SERVICE_SECRET is the own secret of gym, but this is squad/],
  ])('do not start with the secret of another server (%s)', async (name, message) => {
    const process = service(name, {
      SERVICE_SECRET: own.get('gym')!,
      ...(name === 'squad' && { DATABASE_URL: '', DATABASE_MIGRATIONS: '' }),
    });
    expect(await process.ended).toBe(1);
    expect(process.output()).toMatch(message);
    expect(process.output()).not.toContain(own.get('gym')!);
  });
});

describe('the commands', () => {
  it('refuse wrong arguments, and print which ones they expect', async () => {
    for (const args of [
      ['migrate', 'coach'],
      ['migrate', '--grant-to'],
      ['service-secrets', 'gym'],
    ])
      expect(await command(args, { DATABASE_URL: urlFor('owner'), SERVICE_SECRET: SECRET })).toMatchObject({
        code: 1,
        output: expect.stringContaining(`npm start -- ${args[0]}`),
      });
    expect(await command(['migrate'], {})).toMatchObject({
      code: 1,
      output: expect.stringContaining('DATABASE_URL'),
    });
    const unknown = await command(['migrate', 'gym', '--grant-to', 'nobody'], {
      DATABASE_URL: urlFor('owner'),
    });
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('CREATE ROLE "nobody"') });
  });

  it('print a complete set of secrets for a new installation, another one each time', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => command(['service-secrets', '--new'], {})));
    const names = (output: string) => [...output.matchAll(/^([A-Z_]+)=(\S{32,})$/gm)].map(([, name]) => name);
    expect(names(one!.output)).toEqual(
      expect.arrayContaining([
        'SERVICE_SECRET',
        'GATEWAY_SERVICE_SECRET',
        'REDIS_PASSWORD',
        'GYM_DATABASE_PASSWORD',
      ]),
    );
    expect(names(one!.output)).not.toContain('IDENTITY_SERVICE_SECRET');
    const secrets = new Set([...one!.output.split('\n'), ...other!.output.split('\n')].filter(Boolean));
    expect(secrets.size).toBe(2 * names(one!.output).length);
  });
});
