import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { settingsOf } from '#server/run.ts';
import { startSubgraph, type RunningSubgraph } from '#server/start-subgraph.ts';
import { SquadClient } from '../../subgraphs/squad/client/squad-client.socket.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import { exerciseOf } from './support/people.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { startProcess } from '../support/process.ts';
import { connectionTo } from '#server/database/connection.ts';
import { PlatformClient } from '#server/database/platform-client.ts';
import { database } from '../../subgraphs/squad/database.ts';
import { cloneDatabase, type ClonedDatabase } from '../support/database.ts';
import { hasRedis, startRedis, type OwnRedis } from '../support/redis.ts';

describe('a user who is erased from journals in files', () => {
  describeErasure('files');
});
(hasRedis ? describe : describe.skip)(
  `a user who is erased from journals in PostgreSQL, by two instances${hasRedis ? '' : ' (skipped: redis-server is not installed)'}`,
  () => {
    describeErasure('PostgreSQL');
  },
);

/** The tests of an erasure. With journals in PostgreSQL there are two instances, connected by Redis; with files there is one. */
function describeErasure(journalsIn: 'files' | 'PostgreSQL'): void {
  const isShared = journalsIn === 'PostgreSQL';
  let platform: TestPlatform;
  let redis: OwnRedis | undefined;
  let clone: ClonedDatabase | undefined;
  let one: RunningSubgraph;
  let other: RunningSubgraph;
  const start = () => {
    const { settings } = settingsOf(squad, {
      ...platform.env,
      ...(redis && { REDIS_URL: redis.url }),
      SQUAD_PRESENCE_GRACE_MILLIS: '60000',
    });
    return startSubgraph(squad, {
      settings,
      port: 0,
      verifyAnswers: true,
      databaseServer: clone?.server,
      databaseName: clone?.name,
    });
  };
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'content'] });
    if (isShared) [redis, clone] = await Promise.all([startRedis(), cloneDatabase(database)]);
    one = await start();
    other = isShared ? await start() : one;
  });
  afterAll(async () => {
    await Promise.all([one?.stop(), other?.stop()]);
    await redis?.stop();
    await platform?.stop();
  });

  /** Everything that is stored: one text for each journal, with its id and records. */
  const everything = async (): Promise<string[]> => {
    if (!clone) {
      const folder = path.join(platform.dataDir, 'squad');
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
      return Promise.all(
        files.map(
          async ({ parentPath, name }) => `${name} ${await readFile(path.join(parentPath, name), 'utf8')}`,
        ),
      );
    }
    const client = new PlatformClient(connectionTo(clone.server, clone.name));
    await client.connect();
    const { rows } = (await client.query(
      `select kind || ' ' || id || ' ' || coalesce((select string_agg(record::text, ',') from journal_record r
         where r.kind = j.kind and r.id = j.id), '') || coalesce((select records::text from journal_snapshot s
         where s.kind = j.kind and s.id = j.id), '') as text from journal j`,
    )) as { rows: { text: string }[] };
    await client.end();
    return rows.map(({ text }) => text);
  };

  const call = async (at: RunningSubgraph, method: string, path_: string, token: string, body?: object) => {
    const answer = await fetch(`${at.url}${path_}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : undefined };
  };
  const erase = async (at: RunningSubgraph, userId: string) =>
    call(at, 'DELETE', `/accounts/${userId}`, await platform.serviceToken('identity'));

  it('is offline everywhere at once, leaves running squads, and cannot write any more', async () => {
    const [anna, ben] = await Promise.all([platform.register(), platform.register()]);
    const annas = await SquadClient.connect({ url: one.url, token: anna.token });
    const bens = await SquadClient.connect({ url: other.url, token: ben.token });
    await bens.send('user_online', {});
    await annas.send('user_online', { activity: 'legs' });
    await bens.next('online_users_updated', ({ users }) => users.some(({ userId }) => userId === anna.id));
    const { invite } = await annas.send('send_squad_invite', { toUserId: ben.id, message: 'secret-word' });
    const { squadId } = invite;
    await bens.send('join_squad', { squadId });
    await annas.send('join_squad', { squadId });
    await annas.send('update_workout', {
      squadId,
      eventId: 'e',
      exerciseIndex: 0,
      exerciseId: (await exerciseOf(platform)).id,
      setIndex: 0,
      phase: 'WORK',
    });
    await annas.send('send_squad_message', { squadId, text: 'secret-word' });
    await bens.send('send_squad_message', { squadId, text: 'mine' });

    expect((await erase(other, anna.id)).body).toMatchObject({ outcome: 'ANONYMISED' });
    await bens.next('squad_left', (event) => event.userId === anna.id && event.hostId === ben.id);
    await bens.next('online_users_updated', ({ users }) => users.every(({ userId }) => userId !== anna.id));
    // The token is still valid, because the account was erased in this service only.
    await expect(annas.send('user_online', {})).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(annas.send('send_squad_message', { squadId, text: 'still here' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await call(one, 'POST', '/groups', anna.token, { name: randomUUID() })).status).toBe(409);
    expect((await call(one, 'POST', '/squads', anna.token, {})).status).toBe(409);
    expect((await call(one, 'POST', `/blocks/${ben.id}`, anna.token)).status).toBe(409);

    const { message } = await bens.send('send_squad_message', { squadId, text: 'alone' });
    expect(message.seq).toBe(3); // The numbers of messages continue.
    const { session } = await bens.send('end_squad', { squadId });
    expect(session).toMatchObject({ hostId: ben.id, participants: [{ userId: ben.id }] });
    const kept = await everything();
    expect(kept.filter((text) => text.includes('secret-word'))).toEqual([]);
    expect(kept.filter((text) => text.includes(anna.id))).toHaveLength(1); // only the user's own, empty journal
    await annas.close();
    await bens.close();
  });

  it('is in no journal of others, even if requests of the erased user run at the same time', async () => {
    const [anna, ben] = await Promise.all([platform.register(), platform.register()]);
    const squadIds: string[] = [];
    let isOver = false;
    const writers = [1, 2, 3].map(async () => {
      while (!isOver) {
        const { status, body } = await call(one, 'POST', '/squads', anna.token, {});
        if (status !== 201) continue;
        squadIds.push(body.id);
        await call(other, 'POST', '/invites', anna.token, { toUserId: ben.id, squadId: body.id });
        await call(one, 'POST', `/squads/${body.id}/messages`, anna.token, { text: 'once more' });
        await call(other, 'POST', '/groups', anna.token, { name: randomUUID() });
      }
    });
    while (squadIds.length < 4) await new Promise(setImmediate);
    const answers = await Promise.all([erase(one, anna.id), erase(other, anna.id)]);
    isOver = true;
    await Promise.all(writers);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const kept = await everything();
    expect(kept.filter((text) => text.includes('once more'))).toEqual([]);
    expect(kept.filter((text) => text.includes(anna.id))).toHaveLength(1);
  });
}

describe('kill -9', () => {
  it('in the middle of an erasure: the repeated erasure completes it', async () => {
    const platform = await startPlatform({ services: ['identity'] });
    const [anna, ben] = await Promise.all([platform.register(), platform.register()]);
    const folder = path.join(platform.dataDir, 'squad');
    const kept = async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return Promise.all(
        entries
          .filter(({ name }) => name.endsWith('.jsonl'))
          .map(({ parentPath, name }) => readFile(path.join(parentPath, name), 'utf8')),
      );
    };
    const start = async () => {
      const service = startProcess(['squad'], { ...platform.env, SQUAD_PORT: '0' });
      const [, url = ''] = await service.printed(/is ready: (http:\/\/\S+)/);
      const call = async (method: string, at: string, token: string, body?: object) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const answer = await fetch(url + at, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        return text ? JSON.parse(text) : undefined;
      };
      return { service, call };
    };
    const identity = await platform.serviceToken('identity');
    const before = await start();
    for (let squads = 0; squads < 12; squads += 1) {
      const { id } = await before.call('POST', '/squads', anna.token, {});
      await before.call('POST', '/invites', anna.token, { toUserId: ben.id, squadId: id });
      await before.call('POST', `/squads/${id}/join`, ben.token);
      await before.call('POST', `/squads/${id}/messages`, anna.token, { text: 'half-way' });
      await before.call('POST', `/squads/${id}/host`, anna.token, { userId: ben.id }); // A user hosts at most five squads.
      if (squads >= 4) await before.call('POST', `/squads/${id}/start`, ben.token);
      if (squads >= 4) await before.call('POST', `/squads/${id}/end`, ben.token);
    }
    const written = async () => (await kept()).filter((text) => text.includes('half-way')).length;
    expect(await written()).toBe(12);
    const cut = before.call('DELETE', `/accounts/${anna.id}`, identity).catch(() => undefined);
    while ((await written()) === 12) await new Promise(setImmediate);
    await before.service.end('SIGKILL');
    await cut;

    const after = await start();
    expect(await after.call('DELETE', `/accounts/${anna.id}`, identity)).toMatchObject({
      outcome: 'ANONYMISED',
    });
    expect(await written()).toBe(0);
    expect((await kept()).filter((text) => text.includes(anna.id))).toHaveLength(1);
    await after.service.end();
    await platform.stop();
  });
});
