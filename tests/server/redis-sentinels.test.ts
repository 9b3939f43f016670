import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { itConcurrently } from '../support/it-concurrently.ts';
import { eventually } from '../support/eventually.ts';
import { connected, describeWith, expectToWork, redisClients, traffic } from '../support/redis-clients.ts';
import { startSentinels, type SentinelInstallation } from '../support/redis-installations.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const { open } = redisClients();

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

/** Expects that no publisher waits for long, and that messages arrive again from the next master. */
async function expectFailover(fault: 'is killed' | 'hangs'): Promise<void> {
  const installation = await startSentinels();
  const settings = { redisUrl: installation.url };
  const [publisher, subscriber] = [await connected(settings), await connected(settings)];
  try {
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
    expect(millis.at(-1)).toBeLessThan(withinOnThisMachine(1_000)); // 100 ms, and the time that a busy machine needs
    expect(recovered).toContain(true);
    await eventually(async () => !publisher.connection.isLost && !subscriber.channels.isLost);
  } finally {
    publisher.close();
    subscriber.close();
    await installation.stop();
  }
}

describeWith('a failover by sentinels', ['redis-server', 'redis-sentinel', 'redis-cli'], () => {
  for (const fault of ['is killed', 'hangs'] as const)
    itConcurrently(
      `under traffic: if the master ${fault}, no publisher waits for long, and messages arrive again from the next master`,
      () => expectFailover(fault),
      90_000,
    );
});
