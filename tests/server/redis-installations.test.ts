import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith, expectToWork, redisClients, type UrlSettings } from '../support/redis-clients.ts';
import { RedisProcess, startTlsServer, type TlsInstallation } from '../support/redis-installations.ts';

const { open, lines } = redisClients();

describeWith('a server with a password', ['redis-server', 'redis-cli'], () => {
  const password = 'pass@word:/1';
  let server: RedisProcess;
  beforeAll(async () => {
    server = await RedisProcess.start(['--requirepass', password], ['-a', password]);
  });
  afterAll(() => server?.stop());
  const urlWith = (user: string) => `redis://${user}127.0.0.1:${server.port}/1`;

  it('works with the password of the default user, and with a user of its own', async () => {
    await expectToWork({ redisUrl: urlWith(`:${encodeURIComponent(password)}@`) });
    server.command('ACL', 'SETUSER', 'squad', 'on', '>own:pw', '~*', '&*', '+@all', '-@dangerous');
    await expectToWork({ redisUrl: urlWith('squad:own%3Apw@') });
  });

  it.each(['', ':wrong-s3cret@', 'nobody:wrong-s3cret@'])(
    'refuses "%s", and no line of the log has the password',
    async (user) => {
      const { connection } = await open({ redisUrl: urlWith(user) });
      expect(connection.refusal?.message).toMatch(/NOAUTH|WRONGPASS/);
      await expect(connection.run('key', (client) => client.get('key'))).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
      });
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join()).not.toContain('s3cret');
    },
  );
});

describeWith('a server that is part of a cluster', ['redis-server', 'redis-cli'], () => {
  it('needs another URL', async () => {
    const node = await RedisProcess.start(['--cluster-enabled', 'yes', '--cluster-port', '0']).catch(() =>
      RedisProcess.start(['--cluster-enabled', 'yes']),
    );
    const { connection } = await open({ redisUrl: `redis://127.0.0.1:${node.port}` });
    expect(connection.refusal?.message).toContain('redis+cluster://');
    await node.stop();
  });
});

describeWith('a sentinel', ['redis-server', 'redis-sentinel', 'redis-cli'], () => {
  it('needs another URL', async () => {
    const master = await RedisProcess.start();
    const sentinel = await RedisProcess.startSentinel(master, []);
    try {
      const { connection } = await open({ redisUrl: `redis://127.0.0.1:${sentinel.port}` });
      expect(connection.refusal?.message).toContain('redis+sentinel://');
      await expect(connection.run('key', (client) => client.get('key'))).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
      });
    } finally {
      await Promise.all([sentinel.stop(), master.stop()]);
    }
  });
});

describeWith('a server with TLS', ['redis-server', 'redis-cli', 'openssl'], () => {
  let tls: TlsInstallation;
  let settings: UrlSettings;
  beforeAll(async () => {
    tls = await startTlsServer();
    settings = {
      redisUrl: `rediss://:${tls.password}@127.0.0.1:${tls.server.port}`,
      redisCaFile: tls.files.ca,
      redisCertFile: tls.files.cert,
      redisKeyFile: tls.files.key,
      redisServerName: 'redis.test',
    };
  });
  afterAll(() => tls?.stop());

  it('works with its own authority and a client certificate', () => expectToWork(settings));

  it('is refused if its certificate is of another authority, or for another name', async () => {
    for (const wrong of [
      { redisCaFile: tls.files.otherCa },
      { redisCaFile: undefined },
      { redisServerName: 'other.test' },
    ]) {
      const { connection } = await open({ ...settings, ...wrong });
      expect(connection.refusal?.message).toMatch(/certificate|altnames/i);
    }
  });

  it('refuses a client without a certificate, and one without TLS', async () => {
    for (const wrong of [
      { redisCertFile: undefined, redisKeyFile: undefined },
      {
        redisUrl: `redis://:${tls.password}@127.0.0.1:${tls.server.port}`,
        redisCaFile: undefined,
        redisCertFile: undefined,
        redisKeyFile: undefined,
        redisServerName: undefined,
      },
    ]) {
      const { connection } = await open({ ...settings, ...wrong });
      await expect(connection.run('key', (client) => client.get('key'))).rejects.toMatchObject({
        code: 'UPSTREAM_UNAVAILABLE',
      });
      expect(connection.isLost).toBe(true);
    }
  });
});
