import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createClient } from 'redis';
import { settingsOf } from '#server/run.ts';
import { startSubgraph } from '#server/start-subgraph.ts';
import { encode } from '../../subgraphs/squad/storage/record-file.ts';
import { openDatabase } from '#server/database/database.ts';
import { database } from '../../subgraphs/squad/database.ts';
import { moveJournals } from '../../subgraphs/squad/move/move-journals.ts';
import { databasePlace, redisPlace } from '../../subgraphs/squad/move/places.ts';
import { squad } from '../../subgraphs/squad/subgraph.ts';
import { cloneDatabase } from '../support/database.ts';
import { startPlatform } from '../support/platform.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Journals in the format of the previous version: a squad with invites and chat, and the history row of an ended squad. */
function journalsOf([maya, leo, ida]: readonly string[], gymId: string) {
  const [running, ended] = [randomUUID(), randomUUID()];
  const [toLeo, toIda, message] = [randomUUID(), randomUUID(), randomUUID()];
  const expiresAt = minutesAgo(-5);
  const invite = (id: string, toUserId: string, status: string) => ({
    id,
    squadId: running,
    gymId,
    fromUserId: maya,
    toUserId,
    message: 'legs?',
    status,
    createdAt: minutesAgo(5),
    expiresAt,
    respondedAt: null,
  });
  const participant = (userId: string, joinedAt: string) => ({
    userId,
    joinedAt,
    leftAt: null,
    exerciseIndex: 0,
    setIndex: 2,
    phase: 'WORK',
    restEndsAt: null,
    lastSet: { reps: 5 },
    setsDone: 3,
  });
  const session = {
    id: running,
    gymId,
    hostId: maya,
    routineId: null,
    routineVersion: null,
    status: 'ACTIVE',
    revision: 7,
    participants: [participant(maya ?? '', minutesAgo(40))],
    createdAt: minutesAgo(40),
    startedAt: minutesAgo(30),
    pausedAt: null,
    endedAt: null,
    invited: { [ida ?? '']: { inviteId: toIda, fromUserId: maya, status: 'PENDING', expiresAt } },
    banned: [],
    pausedMillis: 600_000,
    events: [
      {
        event: 'squad_updated',
        squadId: running,
        revision: 7,
        at: minutesAgo(1),
        userId: maya,
        hostId: maya,
        status: 'ACTIVE',
        participant: null,
      },
    ],
    eventIds: [],
    isRecorded: false,
  };
  const row = {
    squadId: ended,
    routineId: null,
    startedAt: minutesAgo(200),
    endedAt: minutesAgo(150),
    minutes: 50,
    sets: 4,
    participantIds: [maya, leo],
  };
  return {
    running,
    ended,
    toLeo,
    toIda,
    records: {
      [`squads/${running}`]: [
        { type: 'snapshot', squad: session },
        {
          type: 'invited',
          userId: leo,
          invited: { inviteId: toLeo, fromUserId: maya, status: 'PENDING', expiresAt },
        },
      ],
      [`users/${maya}`]: [
        { type: 'entered', squadId: ended, gymId },
        { type: 'trained', workout: row },
        { type: 'entered', squadId: running, gymId },
        { type: 'sent', invite: invite(toLeo, leo ?? '', 'PENDING') },
        { type: 'sent', invite: invite(toIda, ida ?? '', 'PENDING') },
      ],
      [`users/${leo}`]: [{ type: 'received', invite: invite(toLeo, leo ?? '', 'PENDING') }],
      [`users/${ida}`]: [{ type: 'received', invite: invite(toIda, ida ?? '', 'PENDING') }],
      [`chats/${running}`]: [
        {
          type: 'message',
          message: {
            id: message,
            squadId: running,
            userId: maya,
            text: 'old words',
            clientId: null,
            seq: 1,
            sentAt: minutesAgo(3),
          },
        },
      ],
    } as Record<string, object[]>,
  };
}

describe.each([
  ['files', false],
  ...(hasRedis ? [['Redis, after a move to PostgreSQL', true] as const] : []),
] as const)('journals of the previous version in %s', (_storage, inRedis) => {
  test('are read: invites let users join, the squad continues and ends, history and chat are complete', async () => {
    const platform = await startPlatform({ services: ['identity'] });
    const redis = inRedis ? await startRedis() : undefined;
    const people = await Promise.all([platform.register(), platform.register(), platform.register()]);
    const [maya, leo, ida] = people;
    const gymId = JSON.parse(Buffer.from(maya.token.split('.')[1] as string, 'base64url').toString('utf8'))
      .gymId as string;
    const old = journalsOf(
      people.map(({ id }) => id),
      gymId,
    );
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'squad-previous-'));
    const client = redis && (await createClient({ url: redis.url }).connect());
    for (const [name, records] of Object.entries(old.records)) {
      const [kind = '', id = ''] = name.split('/');
      const folder = path.join(dataDir, 'squad', kind, id.slice(-2));
      await mkdir(folder, { recursive: true });
      if (!client) await writeFile(path.join(folder, `${id}.jsonl`), encode(records));
      const key = `squad:journal:{${kind}:${id}}`;
      await client?.rPush(
        key,
        records.map((record) => JSON.stringify(record)),
      );
      await client?.hSet(`${key}:meta`, 'total', String(records.length));
    }
    client?.destroy();
    const { settings } = settingsOf(squad, {
      ...platform.env,
      DATA_DIR: dataDir,
      ...(redis && { REDIS_URL: redis.url }),
    });
    const clone = redis && (await cloneDatabase(database));
    if (redis && clone) {
      const orm = await openDatabase(database, clone);
      const source = await redisPlace({ redisUrl: redis.url });
      await moveJournals(source, databasePlace(orm), () => undefined);
      await source.close();
      await orm.close(true);
    }
    const service = await startSubgraph(squad, {
      settings,
      port: 0,
      verifyAnswers: true,
      databaseServer: clone?.server,
      databaseName: clone?.name,
    });
    const call = async (by: { token: string }, method: string, at: string, body?: object) => {
      const answer = await fetch(service.url + at, {
        method,
        headers: { Authorization: `Bearer ${by.token}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    };

    expect((await call(leo, 'GET', '/invites')).body).toMatchObject([
      { id: old.toLeo, status: 'PENDING', message: 'legs?' },
    ]);
    expect((await call(leo, 'POST', `/invites/${old.toLeo}/respond`, { accept: true })).body).toMatchObject({
      status: 'ACCEPTED',
    });
    expect((await call(leo, 'POST', `/squads/${old.running}/join`)).status).toBe(200);
    expect((await call(ida, 'POST', `/squads/${old.running}/join`)).status).toBe(200);
    expect((await call(ida, 'GET', '/invites')).body).toMatchObject([
      { status: 'ACCEPTED', message: 'legs?' },
    ]);
    expect((await call(leo, 'GET', `/squads/${old.running}/messages`)).body).toMatchObject([
      { text: 'old words', deleted: false },
    ]);
    expect((await call(maya, 'GET', `/history/${maya.id}`)).body).toEqual([
      expect.objectContaining({
        squadId: old.ended,
        minutes: 50,
        sets: 4,
        routineVersion: null,
        trainingId: null,
        participantIds: [maya.id, leo.id],
      }),
    ]);
    expect((await call(maya, 'POST', `/squads/${old.running}/end`)).status).toBe(200);
    expect((await call(maya, 'GET', `/history/${maya.id}`)).body).toMatchObject([
      { squadId: old.running, minutes: 20, sets: 3 }, // 30 minutes since the start, 10 of them paused
      { squadId: old.ended },
    ]);
    expect((await call(leo, 'GET', `/history/${leo.id}`)).body).toMatchObject([
      { squadId: old.running, minutes: 0, sets: 0 },
    ]);
    await service.stop();
    await redis?.stop();
    await platform.stop();
    await rm(dataDir, { recursive: true });
  });
});
