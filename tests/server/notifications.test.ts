import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { listenTo } from '#server/database/notifications.ts';
import { createLogger } from '#server/observability/logger.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';

const log = createLogger('notifications', 'silent');
let database: ClonedDatabase;
let admin: pg.Client;
let proxy: DatabaseProxy;
beforeAll(async () => {
  database = await cloneDatabase({ name: 'platform_notifications', entities: [], migrations: [] });
  admin = new pg.Client(connectionTo(database.server, database.name));
  [proxy] = await Promise.all([startDatabaseProxy(database.server), admin.connect()]);
});
afterAll(async () => {
  await admin.end();
  await proxy.stop();
  await database.drop();
});

describe('the connection for notifications', () => {
  it('is restored each time it is lost, and notifies its listeners that events may have been missed', async () => {
    const notifications = await listenTo(database.server, database.name, ['news', 'weather'], log);
    const name = `${database.name} notifications`;
    const received = new EventEmitter();
    for (const channel of ['news', 'weather'])
      notifications.on(channel, (text) => received.emit(`${channel} ${text ?? 'missed'}`));
    for (const round of ['one', 'two', 'three']) {
      const missed = Promise.all([once(received, 'news missed'), once(received, 'weather missed')]);
      await admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
        [name],
      );
      await missed;
      const arrived = once(received, `news ${round}`);
      await admin.query("select pg_notify('news', $1)", [round]);
      await arrived;
    }
    await notifications.close();
    const sessions = async () =>
      (await admin.query('select query from pg_stat_activity where application_name = $1', [name])).rows;
    // PostgreSQL lists a session for a moment after its client has closed the connection.
    await eventually(async () => (await sessions()).length === 0, 10_000).catch(() => undefined);
    expect(await sessions()).toEqual([]);
  });

  it('calls no listener after a close, although it was connecting again at that moment', async () => {
    const { notifications, received } = await throughProxy();
    const opened = proxy.opened;
    proxy.refuse();
    const held = proxy.hold();
    proxy.accept();
    await eventually(async () => proxy.opened > opened);
    await notifications.close();
    held.release();
    await eventually(async () => proxy.sockets === 0); // it has connected, and has closed the connection
    expect(received).toEqual([]);
  });

  it('calls no listener after a close with a notification that arrives while the connection is being closed', async () => {
    const { notifications, received } = await throughProxy();
    const held = proxy.hold();
    await admin.query("select pg_notify('news', 'late')");
    await eventually(async () => held.chunks > 0);
    const closing = notifications.close();
    held.release();
    await closing;
    expect(received).toEqual([]);
  });
});

/** A connection for notifications through the proxy, and the payloads that its listener has received. */
async function throughProxy() {
  const server = { url: `postgresql://postgres@${proxy.host}:${proxy.port}/postgres` };
  const notifications = await listenTo(server, database.name, ['news'], log);
  const received: string[] = [];
  notifications.on('news', (payload) => received.push(payload ?? 'missed'));
  return { notifications, received };
}
