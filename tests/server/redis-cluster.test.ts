import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeWith, expectToWork, redisClients, traffic } from '../support/redis-clients.ts';
import { startCluster, type ClusterInstallation } from '../support/redis-installations.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const { open } = redisClients();

describeWith('a cluster', ['redis-server', 'redis-cli'], () => {
  let cluster: ClusterInstallation;
  beforeAll(async () => {
    cluster = await startCluster();
  }, 60_000);
  afterAll(() => cluster?.stop());
  /** A new name of a key or channel whose slot the master at this index has. */
  const keyAt = (at: number): string => {
    for (;;) {
      const key = `{${randomUUID()}}`;
      const slot = Number(cluster.masters[0]!.command('CLUSTER', 'KEYSLOT', key));
      if (Math.floor(slot / 5_461) === at) return key;
    }
  };

  it('distributes keys and channels to all its masters', async () => {
    await expectToWork({ redisUrl: cluster.url });
    const { channels } = await open({ redisUrl: cluster.url });
    for (const at of [0, 1, 2]) await channels.subscribe(keyAt(at), () => undefined);
    for (const node of cluster.masters)
      expect(node.command('PUBSUB', 'SHARDCHANNELS').split('\n').filter(Boolean).length).toBeGreaterThan(0);
  });

  it('with a node that hangs refuses only commands for this node, each within a second', async () => {
    const { connection } = await open({ redisUrl: cluster.url });
    const [hung, healthy] = [keyAt(1), keyAt(2)];
    const read = (key: string) => connection.run(key, (client) => client.get(key));
    await Promise.all([read(hung), read(healthy)]);
    cluster.masters[1]!.hang();
    try {
      for (let round = 0; round < 30; round += 1) {
        const begunAt = performance.now();
        await expect(read(hung)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
        expect(performance.now() - begunAt).toBeLessThan(withinOnThisMachine(1_000));
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

  it('of which a slot moves to another node loses neither the channel nor the key of this slot', async () => {
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
    expect((await sending.stop()).at(-1)).toBeLessThan(withinOnThisMachine(1_000));
    await eventually(async () => restored > 0);
    await eventually(async () => !publisher.connection.isLost && !subscriber.channels.isLost);
  }, 90_000);
});
