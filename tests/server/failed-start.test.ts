import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { database } from '../../subgraphs/gym/database.ts';
import { gym } from '../../subgraphs/gym/subgraph.ts';
import { cloneDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
});
afterAll(() => platform.stop());
afterEach(() => void delete platform.env.METRICS_PORT);

it('a service that cannot listen at its port closes what it has opened, its database included', async () => {
  const { server, name } = await cloneDatabase(database);
  const { settings } = settingsOf(gym, platform.env);
  await expect(
    startSubgraph(gym, {
      settings,
      port: Number(new URL(platform.url('gym')).port),
      databaseServer: server,
      databaseName: name,
    }),
  ).rejects.toThrow('is in use');

  const client = new PlatformClient(connectionTo(server, 'postgres'));
  await client.connect();
  try {
    // PostgreSQL ends a process a moment after its client has closed the connection.
    await eventually(async () => {
      const { rows } = await client.query(
        'select count(*)::int as open from pg_stat_activity where datname = $1',
        [name],
      );
      return rows[0].open === 0;
    }, 20_000);
  } finally {
    await client.end();
  }
});

it('a server whose METRICS_PORT was in use starts in the same process when the port is free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  platform.env.METRICS_PORT = String(port);
  for (let start = 1; start <= 2; start += 1)
    await expect(platform.replica('gym')).rejects.toThrow(`Port ${port} is in use`);
  other.close();
  await once(other, 'close');

  const replica = await platform.replica('gym');
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
  // While the last server stops, the next one opens the port again.
  const [, next] = await Promise.all([replica.stop(), platform.replica('gym')]);
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
  await next.stop();
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow('fetch failed');
});
