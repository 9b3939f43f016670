import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import fs from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { ownSecretText, SERVER_NAMES } from '#server/auth/service-secret.ts';
import { SERVICE_NAMES, SERVICE_PORTS } from '#server/settings.ts';
import { settingsIn, unknownSettings } from '../deploy/support/known-settings.ts';

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
  volumes: Record<string, null>;
}
interface ComposeService {
  image: string;
  profiles?: string[];
  read_only?: boolean;
  security_opt?: string[];
  command?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  restart?: string;
  mem_limit?: string;
  pids_limit?: number;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => fs.readFileSync(path.join(root, file), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as ComposeFile;
const ports: Record<string, number> = { ...SERVICE_PORTS, gateway: 4000 };
const servers = SERVER_NAMES;
/** The containers that run all the time: all except the one that migrates the databases. */
const lasting = Object.entries(compose.services).filter(([name]) => name !== 'migrate');
const ofMonitoring = Object.entries(compose.services).filter(([, { profiles }]) =>
  profiles?.includes('monitoring'),
);

const byValue = (one: number, other: number): number => one - other;

describe('docker-compose.yml', () => {
  it("follows the Compose specification's schema, which refuses unknown properties", () => {
    const { $schema: _draft, ...schema } = JSON.parse(
      read('node_modules/dclint/schemas/compose.schema.json'),
    ) as Record<string, unknown>;
    // strict mode and formats concern the style of the schema, not this file
    const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    validate({
      ...compose,
      services: { ...compose.services, gym: { ...compose.services.gym, prots: ['1:1'] } },
    });
    expect(validate.errors).not.toBeNull();
  });

  it('has the seven servers and their stores', () => {
    const withoutProfile = Object.keys(compose.services).filter((name) => !compose.services[name]!.profiles);
    expect(withoutProfile.toSorted()).toEqual([...servers, 'migrate', 'postgres', 'redis'].toSorted());
    expect(ofMonitoring.map(([name]) => name)).toEqual(['prometheus', 'grafana', 'jaeger']);
  });

  it.each(servers)('starts %s on its port, which the others and its health check use', (name) => {
    const service = compose.services[name]!;
    const port = ports[name]!;
    expect(service.command).toEqual(['main.ts', name]);
    expect(service.environment!.HEALTH_URL).toBe(`http://127.0.0.1:${port}/health/ready`);
    for (const other of SERVICE_NAMES) {
      const url = service.environment![`${other.toUpperCase()}_URL`];
      expect(url).toBe(`http://${other}:${SERVICE_PORTS[other]}`);
    }
  });

  it('has the ports that the Dockerfile and the README name', () => {
    const [, exposed = ''] = /^EXPOSE (.*)$/m.exec(read('Dockerfile')) ?? [];
    expect(exposed.split(' ').map(Number).toSorted(byValue)).toEqual(Object.values(ports).toSorted(byValue));
    const rows = [...read('README.md').matchAll(/^\| (\w+) \| (\d+) \| `\/\w+` \|/gm)];
    expect(Object.fromEntries(rows.map(([, name, port]) => [name, Number(port)]))).toEqual(ports);
  });

  it('publishes the gateway and, for this machine only, the monitoring', () => {
    const published = Object.entries(compose.services).filter(([, service]) => service.ports);
    expect(published.map(([name]) => name)).toEqual(['gateway', ...ofMonitoring.map(([name]) => name)]);
    for (const [, { ports: [port] = [] }] of ofMonitoring) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(compose.services.gateway!.ports).toEqual(['${GATEWAY_BIND:-0.0.0.0}:4000:4000']);
  });

  it("makes services trust forwarded addresses from the containers' network, and no others", () => {
    const [{ subnet }] = compose.networks.default.ipam.config as [{ subnet: string }];
    for (const name of SERVICE_NAMES)
      expect(compose.services[name]!.environment!.TRUSTED_PROXIES).toBe(subnet);
    expect(Number(subnet.split('/')[1])).toBeGreaterThanOrEqual(24);
    expect(compose.services.gateway!.environment!.TRUSTED_PROXIES).toBe('${TRUSTED_PROXIES:-loopback}');
  });

  it('requires a password for Redis, which its clients and health check have', () => {
    const { command, environment } = compose.services.redis!;
    expect(command!.join(' ')).toContain('--requirepass');
    expect(environment!.REDISCLI_AUTH).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    for (const name of servers)
      expect(compose.services[name]!.environment!.REDIS_URL).toMatch(
        /^redis:\/\/:\$\{REDIS_PASSWORD:\?.*\}@redis:6379$/,
      );
  });

  it.each(Object.entries(compose.services))('limits the memory and the processes of %s', (_, service) => {
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  it('pins its images by minor version', () => {
    const images = Object.values(compose.services).map(({ image }) => image);
    images.push(...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!));
    const others = images.filter((image) => image !== 'fitness-platform'); // which Compose builds
    expect(others.length).toBe(7);
    for (const image of others) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z-]+)?$/);
  });

  it.each(Object.entries(compose.services))(
    'gives %s a read-only file system, and no further rights',
    (_, service) => {
      expect(service.read_only).toBe(true);
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
    },
  );

  it.each(lasting)('checks the health of %s, and restarts it', (_, service) => {
    expect(service.restart).toBe('unless-stopped');
    expect(service.healthcheck!.test.length).toBeGreaterThan(1);
  });

  it('gives each server a secret of its own, and each service a database user of its own', () => {
    const required = (variable: string) => `\${${variable}:?Set ${variable} in .env, see .env.example}`;
    for (const name of servers) {
      const { SERVICE_SECRET, DATABASE_URL, DATABASE_MIGRATIONS } = compose.services[name]!.environment!;
      const upper = name.toUpperCase();
      expect(SERVICE_SECRET).toBe(
        required(name === 'identity' ? 'SERVICE_SECRET' : `${upper}_SERVICE_SECRET`),
      );
      expect(DATABASE_MIGRATIONS).toBe('off');
      expect(DATABASE_URL).toBe(
        name === 'gateway'
          ? undefined
          : `postgres://platform_${name}:${required(`${upper}_DATABASE_PASSWORD`)}@postgres:5432/postgres`,
      );
    }
    expect(compose.services.migrate!.command).toEqual([
      'main.ts',
      'migrate',
      '--grant-to',
      'platform_{service}',
    ]);
  });

  it('starts each service after its dependencies, which contain no cycle', () => {
    for (const name of SERVICE_NAMES) {
      expect(compose.services[name]!.depends_on).toMatchObject({
        postgres: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    }
    expect(Object.keys(compose.services.gateway!.depends_on!)).toEqual(
      expect.arrayContaining([...SERVICE_NAMES]),
    );

    const started = new Set<string>();
    for (const _ of Object.keys(compose.services)) {
      for (const [name, service] of Object.entries(compose.services)) {
        if (Object.keys(service.depends_on ?? {}).every((needed) => started.has(needed))) started.add(name);
      }
    }
    expect(started.size).toBe(Object.keys(compose.services).length);
  });

  it('stores data in declared volumes', () => {
    const sources = Object.values(compose.services)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0]!);
    const isFile = (source: string) => source.startsWith('./');
    expect([...new Set(sources.filter((source) => !isFile(source)))].toSorted()).toEqual(
      Object.keys(compose.volumes).toSorted(),
    );
    for (const file of sources.filter(isFile)) expect(fs.existsSync(path.join(root, file))).toBe(true);
    // from version 18 on the image stores its data one level below this
    expect(compose.services.postgres!.volumes![0]).toBe('postgres-data:/var/lib/postgresql');
  });

  it('contains no secret, and fails with the name of a missing password', () => {
    const passwords = Object.values(compose.services)
      .flatMap((service) => Object.entries(service.environment ?? {}))
      .filter(([name]) => /PASSWORD|SECRET|TOKEN|KEY|AUTH$|DATABASE_URL|REDIS_URL/.test(name));
    expect(passwords.length).toBeGreaterThan(0);
    for (const [, value] of passwords) expect(value).toMatch(/\$\{[A-Z_]+:(\?|-\})/);
    expect(read('docker-compose.yml')).toContain('${POSTGRES_PASSWORD:?');
  });

  it('names its variables in .env.example', () => {
    const used = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
    const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
    expect(new Set(documented).size).toBe(documented.length);
    expect(documented.toSorted()).toEqual([...new Set(used)].toSorted());
  });

  it('sets only variables that the servers read', () => {
    for (const name of servers) {
      const variables = Object.keys(compose.services[name]!.environment!);
      // the health check of the container reads HEALTH_URL
      expect(unknownSettings(name, variables)).toEqual(['HEALTH_URL']);
    }
  });

  it.each(SERVER_NAMES)('sets all that %s needs in production', (name) => {
    const installation = 'x'.repeat(64);
    const required = (variable: string): string => {
      if (variable === 'SMTP_URL') return 'smtp://mail.example.com';
      if (!variable.endsWith('SERVICE_SECRET')) return 'password';
      return name === 'identity' ? installation : ownSecretText(installation, name);
    };
    const env = Object.fromEntries(
      Object.entries(compose.services[name]!.environment!).map(([variable, value]) => [
        variable,
        value
          .replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, missing: string) => required(missing))
          .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
      ]),
    );
    expect(settingsIn(name, { ...env, NODE_ENV: 'production' })).toMatchObject({
      demo: false,
      databaseMigrations: false,
      metricsPort: 9464,
    });
  });
});

describe('the image', () => {
  it('copies only existing files, and all that .dockerignore allows', () => {
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
      files!.split(' '),
    );
    expect(copied.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
    const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, file]) => file!);
    expect(allowed.toSorted()).toEqual([...new Set(copied)].toSorted());
  });

  it.each([
    [200, 0],
    [503, 1],
  ])(
    'has a health check that, if the server answers %i, ends with exit code %i',
    async (status, expected) => {
      const server = createServer((_, response) => void response.writeHead(status).end('{}')).listen(
        0,
        '127.0.0.1',
      );
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health/ready`;
      expect(await healthcheck(url)).toBe(expected);
      server.close();
      server.closeAllConnections();
    },
  );

  it('counts a server that does not answer as unhealthy', async () => {
    expect(await healthcheck('http://127.0.0.1:1/health/ready')).toBe(1);
  });
});

async function healthcheck(url: string): Promise<number> {
  const script = path.join(root, 'scripts/healthcheck.mjs');
  const run = promisify(execFile)(process.execPath, [script], { env: { ...process.env, HEALTH_URL: url } });
  return run.then(
    () => 0,
    (error: { code: number }) => error.code,
  );
}
