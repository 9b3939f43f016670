import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/database.ts';
import { database } from '../../subgraphs/gym/database.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';
import { brokenRows, documentedRelations } from './relations.ts';

let platform: TestPlatform;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const byName = (one: { table: string; column: string }) => `${one.table}.${one.column}`;
const sorted = <One extends { table: string; column: string }>(all: One[]) =>
  all.toSorted((a, b) => byName(a).localeCompare(byName(b)));

describe('the relations of the gym service', () => {
  it('are the foreign keys that the documentation lists, and no others', async () => {
    const stored = await platform.sql(
      'gym',
      `select child.relname as table, parent.relname as parent, column_of.attname as column,
         case confdeltype when 'c' then 'cascade' when 'r' then 'restrict' else confdeltype::text end as "onDelete"
       from pg_constraint join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
       join pg_attribute column_of on column_of.attrelid = conrelid and column_of.attnum = conkey[1]
       where contype = 'f'`,
    );
    expect(documentedRelations().length).toBeGreaterThan(10);
    expect(sorted(stored)).toEqual(sorted(documentedRelations()));
  });

  it('have an index to find the rows that refer to a deleted row', async () => {
    const withoutIndex = await platform.sql(
      'gym',
      `select conrelid::regclass::text as table, conname from pg_constraint where contype = 'f' and not exists (
         select 1 from pg_index where indrelid = conrelid and indkey[0] = conkey[1] and indpred is null)`,
    );
    expect(withoutIndex).toEqual([]);
  });

  it('exist for every column that refers to a row of this service, except in tables that keep the reference after a deletion', async () => {
    const columns = await platform.sql(
      'gym',
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and column_name in ('gym_id', 'location_id', 'post_id', 'challenge_id', 'webhook_id', 'class_id', 'session_id', 'comment_id', 'order_id')
         and table_name not in ('audit_event', 'event', 'event_outbox') and (table_name, column_name) <> ('stock_movement', 'order_id')`,
    );
    expect(sorted(columns).map(byName)).toEqual(sorted(documentedRelations()).map(byName));
  });

  it('allow deleting a challenge with its participants, whose scores a trigger counts', async () => {
    const token = await platform.demo('admin@iron.test');
    const { body } = await platform.rest('gym', 'POST', '/challenges', {
      token,
      body: {
        title: 'Short',
        metric: 'CUSTOM',
        goal: 9,
        startsAt: new Date(Date.now() - 1_000).toISOString(),
        endsAt: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    for (const email of ['maya@iron.test', 'leo@iron.test'] as const)
      await platform.rest('gym', 'POST', `/challenges/${body.id}/join`, {
        token: await platform.demo(email),
      });
    await platform.sql('gym', 'delete from challenge where id = $1', [body.id]);
    const left = await platform.sql(
      'gym',
      `select 1 from challenge_participant where challenge_id = $1
       union all select 1 from challenge_score_count where challenge_id = $1`,
      [body.id],
    );
    expect(left).toEqual([]);
    expect(await brokenRows(platform)).toEqual([]);
  });
});

const running = { startsAt: '2026-01-01T00:00:00Z', endsAt: '2990-01-01T00:00:00Z' };
describe('a gym that does not exist', () => {
  it.each([
    ['/locations', { name: 'Hall', timezone: 'UTC', capacity: 5 }, 'createLocation', 'CreateLocationInput'],
    ['/posts', { text: 'Hello' }, 'createPost', 'CreatePostInput'],
    [
      '/challenges',
      { title: 'C', metric: 'CUSTOM', goal: 5, ...running },
      'createChallenge',
      'CreateChallengeInput',
    ],
    ['/announcements', { title: 'A', text: 'B' }, 'createAnnouncement', 'CreateAnnouncementInput'],
  ])('is refused with the path gymId: %s', async (path, fields, mutation, input) => {
    const body = { ...fields, gymId: randomUUID() };
    const answer = await platform.rest('gym', 'POST', path, { token: superAdmin, body });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'gymId' }] },
    });
    const keyed = { token: superAdmin, body, headers: { 'idempotency-key': randomUUID() } };
    expect((await platform.rest('gym', 'POST', path, keyed)).status).toBe(400);
    const { errors } = await platform.graph(
      'gym',
      `mutation ($input: ${input}!) { ${mutation}(input: $input) { id } }`,
      { input: body },
      { token: superAdmin },
    );
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'gymId' }] } },
    ]);
  });

  it('has no list of products or routines', async () => {
    for (const list of ['products', 'programs'])
      expect(
        (
          await platform.rest('gym', 'PUT', `/gym/${randomUUID()}/${list}`, {
            token: superAdmin,
            body: { [list]: [] },
          })
        ).status,
      ).toBe(404);
  });
});

describe('the migration to foreign keys', () => {
  it('removes rows whose parent is missing, also the children of such rows, and keeps all others', async () => {
    const { server } = testRun.current();
    const name = `${testRun.current().runId}_orphans`;
    const before = database.migrations.filter(({ name: migration }) => migration < '20261123010000');
    await (await openDatabase({ ...database, migrations: before }, { server, name })).close(true);
    const client = new pg.Client(connectionTo(server, name));
    await client.connect();
    try {
      const [gym, noGym, post, lostPost, hall, lostHall, race, lostRace] = Array.from({ length: 8 }, () =>
        randomUUID(),
      );
      const someone = randomUUID();
      await client.query(`
        insert into gym (id, slug, name, theme, assets, features, version, created_at, updated_at)
          values ('${gym}', 'kept', 'Kept', '{}', '{}', '{}', 1, now(), now());
        insert into gym_config_version (gym_id, version, theme, assets, features, published_by, published_at)
          select id, 1, '{}', '{}', '{}', 'x', now() from unnest(array['${gym}', '${noGym}']::uuid[]) as id;
        insert into location (id, gym_id, name, timezone, capacity, created_at, updated_at)
          values ('${hall}', '${gym}', 'Hall', 'UTC', 5, now(), now()), ('${lostHall}', '${noGym}', 'Lost', 'UTC', 5, now(), now());
        insert into check_in (id, user_id, gym_id, location_id, checked_in_at, expires_at, checked_out_at, method)
          select gen_random_uuid(), '${someone}', '${gym}', id, now(), now(), now(), 'QR'
          from unnest(array['${hall}', '${lostHall}']::uuid[]) as id;
        insert into check_in_denial (id, gym_id, location_id, reason, denied_at)
          select gen_random_uuid(), '${gym}', id, 'WRONG_GYM', now() from unnest(array['${hall}', '${lostHall}']::uuid[]) as id;
        insert into challenge (id, gym_id, title, metric, goal, starts_at, ends_at, created_at)
          values ('${race}', '${gym}', 'C', 'CUSTOM', 1, now(), now(), now()), ('${lostRace}', '${noGym}', 'C', 'CUSTOM', 1, now(), now(), now());
        insert into challenge_participant (challenge_id, user_id, reached_at, joined_at)
          select id, '${someone}', now(), now() from unnest(array['${race}', '${lostRace}']::uuid[]) as id;
        insert into post (id, gym_id, text, created_at)
          values ('${post}', '${gym}', 'Kept', now()), ('${lostPost}', '${noGym}', 'Lost', now());
        insert into post_like (post_id, user_id, created_at)
          select id, '${someone}', now() from unnest(array['${post}', '${lostPost}', '${randomUUID()}']::uuid[]) as id;
        insert into post_comment (id, post_id, author_id, text, created_at)
          select gen_random_uuid(), id, '${someone}', 'Yes', now() from unnest(array['${post}', '${lostPost}']::uuid[]) as id;
        insert into post_report (post_id, reporter_id, gym_id, reason, created_at)
          select id, '${someone}', '${gym}', 'Rude', now() from unnest(array['${post}', '${lostPost}']::uuid[]) as id;`);
      await (await openDatabase(database, { server, name })).close(true);
      const tables = [
        'gym_config_version',
        'location',
        'check_in',
        'check_in_denial',
        'challenge',
        'challenge_participant',
        'challenge_score_count',
        'post',
        'post_like',
        'post_comment',
        'post_report',
      ];
      for (const table of tables)
        expect([table, (await client.query(`select 1 from ${table}`)).rowCount]).toEqual([table, 1]);
    } finally {
      await client.end();
    }
  });
});
