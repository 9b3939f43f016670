import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { RedisChannels } from '#server/redis/redis-channels.ts';
import type { RedisSettings } from '#server/redis/redis-client.ts';
import { RedisConnection } from '#server/redis/redis-connection.ts';
import { openRateLimitStores } from '#server/rest/rate-limit-store.ts';
import { readSettings, serverSettings } from '#server/settings.ts';
import { eventually } from '../support/eventually.ts';
import {
  RedisProcess,
  startCluster,
  startSentinels,
  startTlsServer,
  whyWithout,
  type ClusterInstallation,
  type SentinelInstallation,
  type TlsInstallation,
} from '../support/redis-installations.ts';

type UrlSettings = RedisSettings & { redisUrl: string };

const describeWith = (name: string, programs: string[], body: () => void) => {
  const why = whyWithout(...programs);
  (why ? describe.skip : describe)(`${name}${why}`, body);
};

const lines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
const without = 'nothing is shared';
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
  lines.length = 0;
});

const open = async (settings: UrlSettings) => {
  const connection = await RedisConnection.open(settings, { log, without });
  const channels = new RedisChannels(connection, { log, without });
  opened.push(channels, connection);
  return { connection, channels };
};

/** Commands, messages and shared limits work. */
async function expectToWork(settings: UrlSettings): Promise<void> {
  const [one, other] = [await open(settings), await open(settings)];
  expect(one.connection.isLost).toBe(false);
  const received: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    const key = `{${randomUUID()}}`; // another slot of a cluster
    await one.connection.run(key, (client) => client.set(key, String(number)));
    expect(await other.connection.run(key, (client) => client.get(key))).toBe(String(number));
    await one.channels.subscribe(key, (message) => received.push(message));
    await other.channels.publish(key, `message ${number}`);
  }
  await eventually(async () => received.length === 20);
  await expectSharedLimits(settings);
}

async function expectSharedLimits({ redisUrl, ...files }: UrlSettings): Promise<void> {
  const settings = { ...readSettings(serverSettings, { REDIS_URL: redisUrl }), ...files };
  const service = randomUUID();
  const stores = await Promise.all([1, 2].map(() => openRateLimitStores(service, settings, log)));
  const [one, other] = stores.map((all) => all('general'));
  for (const store of [one, other]) void store?.init?.({ windowMs: 60_000 } as never);
  for (const caller of ['maya', 'leo', 'zoe', 'kim']) {
    await one?.increment(caller);
    expect(await other?.increment(caller)).toMatchObject({ totalHits: 2 });
  }
  for (const all of stores) await all.close();
}

describeWith('a server with a password', ['redis-server', 'redis-cli'], () => {
  const password = 'pass@word:/1';
  let server: RedisProcess;
  beforeAll(async () => {
    server = await RedisProcess.start(['--requirepass', password], ['-a', password]);
  });
  afterAll(() => server?.stop());
  const urlWith = (user: string) => `redis://${user}127.0.0.1:${server.port}/1`;

  it('works, with a user of its own, too', async () => {
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

  it('that is part of a cluster needs another URL, and so does a sentinel', async () => {
    const node = await RedisProcess.start(['--cluster-enabled', 'yes', '--cluster-port', '0']).catch(() =>
      RedisProcess.start(['--cluster-enabled', 'yes']),
    );
    const { connection } = await open({ redisUrl: `redis://127.0.0.1:${node.port}` });
    expect(connection.refusal?.message).toContain('redis+cluster://');
    await node.stop();
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

  it('is refused if another authority signed it, or if it has another name', async () => {
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

/** Sends a numbered message every 20 ms, and notes how long each call took. */
function traffic({ channels }: Awaited<ReturnType<typeof open>>, name: string) {
  const millis: number[] = [];
  const sent: number[] = [];
  let isRunning = true;
  const running = (async () => {
    for (let number = 0; isRunning; number += 1) {
      const begunAt = performance.now();
      await channels.publish(name, String(number)).then(
        () => sent.push(number),
        () => undefined,
      );
      millis.push(performance.now() - begunAt);
      await sleep(20);
    }
  })();
  return {
    sent,
    async stop() {
      isRunning = false;
      await running;
      return millis.toSorted((one, other) => one - other);
    },
  };
}

describeWith('sentinels', ['redis-server', 'redis-sentinel', 'redis-cli'], () => {
  let installation: SentinelInstallation;
  beforeAll(async () => {
    installation = await startSentinels();
  }, 60_000);
  afterAll(() => installation?.stop());

  it('lead to the master, also if the first of them is gone', async () => {
    await expectToWork({ redisUrl: installation.url });
    await installation.sentinels[0]!.kill();
    await expectToWork({ redisUrl: installation.url });
    await installation.sentinels[0]!.restart();
  });

  it('that know no such master refuse the URL', async () => {
    const { connection } = await open({ redisUrl: installation.url.replace(/own$/, 'another') });
    expect(connection.refusal?.message).toContain('knows no master "another"');
  });
});

describeWith('a failover by sentinels', ['redis-server', 'redis-sentinel', 'redis-cli'], () => {
  it.each(['is killed', 'hangs'])(
    'under traffic: if the master %s, nobody waits for long, and messages arrive again from the next master',
    async (fault) => {
      const installation = await startSentinels();
      const settings = { redisUrl: installation.url };
      const [publisher, subscriber] = [await open(settings), await open(settings)];
      const received: number[] = [];
      await subscriber.channels.subscribe('news', (message) => received.push(Number(message)));
      const restored = Promise.withResolvers<void>();
      subscriber.channels.onRestored(restored.resolve);
      const recovered: boolean[] = [];
      publisher.connection.onRecovered((wasLost) => recovered.push(wasLost));
      const sending = traffic(publisher, 'news');
      await eventually(async () => received.length > 10);
      const old = installation.master();
      if (fault === 'hangs') old.hang();
      else await old.kill();
      await eventually(async () => installation.master() !== old, 20_000);
      await restored.promise;
      const last = sending.sent.at(-1) ?? 0;
      await eventually(async () => received.some((number) => number > last + 10), 20_000);
      const millis = await sending.stop();
      expect(millis.at(-1)).toBeLessThan(1_000); // 100 ms, and the time that a busy machine needs
      expect(recovered).toContain(true);
      await eventually(async () => !publisher.connection.isLost && !subscriber.channels.isLost);
      await installation.stop();
    },
    90_000,
  );
});

describeWith('a cluster', ['redis-server', 'redis-cli'], () => {
  let cluster: ClusterInstallation;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster?.stop());
  /** A key, or channel, of which that node has the slot. */
  const keyAt = (at: number): string => {
    for (;;) {
      const key = `{${randomUUID()}}`;
      const slot = Number(cluster.masters[0]!.command('CLUSTER', 'KEYSLOT', key));
      if (Math.floor(slot / 5_461) === at) return key;
    }
  };

  it('shares its keys and channels among its nodes', async () => {
    await expectToWork({ redisUrl: cluster.url });
    const { channels } = await open({ redisUrl: cluster.url });
    for (const at of [0, 1, 2]) await channels.subscribe(keyAt(at), () => undefined);
    for (const node of cluster.masters)
      expect(node.command('PUBSUB', 'SHARDCHANNELS').split('\n').filter(Boolean).length).toBeGreaterThan(0);
  });

  it('with a node that hangs delays only commands for this node, and these for 100 ms', async () => {
    const { connection } = await open({ redisUrl: cluster.url });
    const [hung, healthy] = [keyAt(1), keyAt(2)];
    const read = (key: string) => connection.run(key, (client) => client.get(key));
    await Promise.all([read(hung), read(healthy)]);
    cluster.masters[1]!.hang();
    try {
      for (let round = 0; round < 30; round += 1) {
        const begunAt = performance.now();
        await expect(read(hung)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
        expect(performance.now() - begunAt).toBeLessThan(1_000);
        expect(await read(healthy)).toBeNull();
      }
      expect(connection.isLost).toBe(true);
    } finally {
      cluster.masters[1]!.resume();
    }
    await eventually(async () =>
      read(hung).then(
        () => true,
        () => false,
      ),
    );
    await eventually(async () => !connection.isLost);
  });

  it('whose slot moves to another node loses neither its channel nor its keys', async () => {
    const { connection, channels } = await open({ redisUrl: cluster.url });
    const name = keyAt(2);
    const received: string[] = [];
    await channels.subscribe(name, (message) => received.push(message));
    await connection.run(name, (client) => client.set(name, 'before'));
    const slot = cluster.masters[0]!.command('CLUSTER', 'KEYSLOT', name);
    const [from, to] = [cluster.masters[2]!, cluster.masters[1]!];
    to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.command('CLUSTER', 'MYID'));
    from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.command('CLUSTER', 'MYID'));
    from.command('MIGRATE', '127.0.0.1', String(to.port), name, '0', '5000');
    for (const node of [to, from, cluster.masters[0]!])
      node.command('CLUSTER', 'SETSLOT', slot, 'NODE', to.command('CLUSTER', 'MYID'));
    await eventually(
      async () => (await connection.run(name, (client) => client.get(name)).catch(() => '')) === 'before',
    );
    await eventually(async () => {
      await channels.publish(name, 'after').catch(() => undefined);
      return received.includes('after');
    }, 20_000);
    expect(received).toContain('after');
  });

  it('under traffic: if a master is killed, its replica takes over, and messages arrive again', async () => {
    const [publisher, subscriber] = [
      await open({ redisUrl: cluster.url }),
      await open({ redisUrl: cluster.url }),
    ];
    const [name, elsewhere] = [keyAt(0), keyAt(2)];
    const received: number[] = [];
    await subscriber.channels.subscribe(name, (message) => received.push(Number(message)));
    await subscriber.channels.subscribe(elsewhere, () => undefined);
    const sending = traffic(publisher, name);
    await eventually(async () => received.length > 10);
    let restored = 0;
    subscriber.channels.onRestored(() => (restored += 1));
    await cluster.masters[0]!.kill();
    await eventually(async () => /role:master/.test(cluster.replica.command('INFO', 'replication')), 30_000);
    const last = sending.sent.at(-1) ?? 0;
    await eventually(async () => received.some((number) => number > last + 10), 30_000);
    expect((await sending.stop()).at(-1)).toBeLessThan(1_000);
    await eventually(async () => restored > 0);
    await eventually(async () => !publisher.connection.isLost && !subscriber.channels.isLost);
  }, 90_000);
});
