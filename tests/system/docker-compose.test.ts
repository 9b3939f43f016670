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
import { SERVICE_NAMES, SERVICE_PORTS, serverSettings, variableOf } from '#server/settings.ts';

interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
  volumes: Record<string, null>;
}
interface ComposeService {
  image: string;
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
const servers = [...SERVICE_NAMES, 'gateway'];

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
    expect(Object.keys(compose.services).toSorted()).toEqual([...servers, 'postgres', 'redis'].toSorted());
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

  it('publishes the gateway and nothing else', () => {
    const published = Object.entries(compose.services).filter(([, service]) => service.ports);
    expect(published.map(([name]) => name)).toEqual(['gateway']);
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
    const images = ['postgres', 'redis'].map((name) => compose.services[name]!.image);
    images.push(...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image!));
    expect(images.length).toBe(4);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+(-[a-z-]+)?$/);
  });

  it.each(Object.entries(compose.services))('checks the health of %s, and restarts it', (_, service) => {
    expect(service.restart).toBe('unless-stopped');
    expect(service.healthcheck!.test.length).toBeGreaterThan(1);
  });

  it('starts each service after its dependencies, which contain no cycle', () => {
    for (const name of SERVICE_NAMES) {
      expect(compose.services[name]!.depends_on).toMatchObject({
        postgres: { condition: 'service_healthy' },
      });
    }
    expect(Object.keys(compose.services.gateway!.depends_on!)).toEqual(
      expect.arrayContaining([...SERVICE_NAMES]),
    );

    const started = new Set<string>();
    for (const _ of servers.concat('postgres', 'redis')) {
      for (const [name, service] of Object.entries(compose.services)) {
        if (Object.keys(service.depends_on ?? {}).every((needed) => started.has(needed))) started.add(name);
      }
    }
    expect(started.size).toBe(Object.keys(compose.services).length);
  });

  it('stores data in declared volumes', () => {
    const used = Object.values(compose.services).flatMap((service) => service.volumes ?? []);
    expect([...new Set(used.map((volume) => volume.split(':')[0]!))].toSorted()).toEqual(
      Object.keys(compose.volumes).toSorted(),
    );
    // from version 18 on the image stores its data one level below this
    expect(compose.services.postgres!.volumes).toEqual(['postgres-data:/var/lib/postgresql']);
  });

  it('contains no secret, and names the missing password', () => {
    const passwords = Object.values(compose.services)
      .flatMap((service) => Object.entries(service.environment ?? {}))
      .filter(([name]) => /PASSWORD|SECRET|TOKEN|KEY|AUTH|DATABASE_URL|REDIS_URL/.test(name));
    expect(passwords.length).toBeGreaterThan(0);
    for (const [, value] of passwords) expect(value).toMatch(/\$\{[A-Z_]+:(\?|-\})/);
    expect(read('docker-compose.yml')).toContain('${POSTGRES_PASSWORD:?');
  });

  it('names its variables in .env.example', () => {
    const used = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
    const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
    expect(documented.toSorted()).toEqual([...new Set(used)].toSorted());
  });

  it('sets shared settings under the names that the servers read', () => {
    const known = new Set(Object.keys(serverSettings.shape).map(variableOf));
    const own = new Set([
      'HEALTH_URL',
      'BOOTSTRAP_ADMIN_EMAIL',
      'BOOTSTRAP_ADMIN_PASSWORD',
      'GYM_PUBLIC_URL',
      'WIZARD_PUBLIC_URL',
      'SMTP_URL',
      'MAIL_FROM',
    ]);
    for (const name of servers) {
      const unknown = Object.keys(compose.services[name]!.environment!).filter(
        (variable) => !known.has(variable) && !own.has(variable),
      );
      expect(unknown).toEqual([]);
    }
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
