import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { newLocation, newMember } from '../gym/support.ts';
import { testRun } from '../support/test-run.ts';
import { clientToken, FeedReader, type PublicEvent } from './support.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

let platform: TestPlatform;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'] });
  staff = await platform.demo('admin@iron.test');
});
afterAll(() => platform.stop());

/** An event as a transaction writes it; its id and the id of its gym are the values. */
const INSERT_EVENT = `insert into event_outbox (id, type, gym_id, subject, people, occurred_at, data)
  values ($1, 'gym.deployed', $2, 'gym/x', '{}', now(), '{}')`;

/** A transaction in the database of a service, on a connection of its own. */
async function openTransaction(service: 'gym') {
  const [{ name }] = (await platform.sql(service, 'select current_database() as name', [])) as [
    { name: string },
  ];
  const client = new pg.Client(connectionTo(withoutPooler(testRun.current().server), name));
  await client.connect();
  await client.query('begin');
  return {
    query: (text: string, values: unknown[] = []) => client.query(text, values),
    async commit(): Promise<void> {
      await client.query('commit');
      await client.end();
    },
  };
}

/** Delays some commits, so that their order is not the one in which the transactions took their positions. */
async function withSlowCommits(work: () => Promise<void>): Promise<void> {
  await platform.sql(
    'gym',
    `create function slow_commit() returns trigger language plpgsql as
       $$ begin perform pg_sleep(case when random() < 0.3 then 0.1 else 0 end); return null; end $$`,
    [],
  );
  for (const table of ['event_outbox', 'event'])
    await platform.sql(
      'gym',
      `create constraint trigger slow_commit after insert on ${table} deferrable initially deferred
       for each row execute function slow_commit()`,
      [],
    );
  try {
    await work();
  } finally {
    // One table at a time, because the publisher locks both.
    for (const table of ['event_outbox', 'event'])
      await platform.sql('gym', `drop trigger slow_commit on ${table}`, []);
    await platform.sql('gym', 'drop function slow_commit', []);
  }
}

describe('a reader of the feed', () => {
  it('misses no event and gets none twice, whatever the order of the commits and whichever replica writes', async () => {
    const replica = await platform.replica('gym');
    const urls = [platform.url('gym'), replica.url];
    const members = await Promise.all(Array.from({ length: 10 }, () => newMember(platform)));
    // Each member has a location of their own, because check-ins at one location are committed one after the other.
    const locations = await Promise.all(members.map(() => newLocation(platform, staff)));
    const send = async (url: string, token: string, path: string, body: object) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return response.status;
    };
    const reader = await new FeedReader(platform, 'gym', staff).latest();
    let isOver = false;
    const tail = (async () => {
      while (!isOver) await reader.read();
    })();
    let visits = 0;
    await withSlowCommits(async () => {
      await Promise.all(
        members.map(async ({ token, qrCode }, index) => {
          for (let round = 0; round < 6; round += 1) {
            const url = urls[(index + round) % 2] ?? '';
            expect(
              await send(url, token, '/locations/check-in', { qrCode, locationId: locations[index] }),
            ).toBe(201);
            visits += 1;
            expect(await send(url, token, '/locations/check-out', {})).toBe(200);
          }
        }),
      );
    });
    isOver = true;
    await tail;
    await reader.read();
    const read = reader.events.filter(({ data }) => locations.includes(data.locationId as string));
    expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
    const bySubject = Map.groupBy(read, ({ subject }) => subject);
    expect(bySubject.size).toBe(visits);
    for (const events of bySubject.values())
      expect(events.map(({ type }) => type)).toEqual(['check_in.opened', 'check_in.closed']);
  });

  it('gets the events of a process that was killed before it published them', async () => {
    const reader = await new FeedReader(platform, 'gym', staff).latest();
    const id = randomUUID();
    await platform.sql('gym', INSERT_EVENT, [id, DEMO_GYMS.ironTemple.id]);
    expect((await reader.read()).map((event) => event.id)).toEqual([id]);
  });

  it('misses no event whose publication is committed later than that of other events', async () => {
    const reader = await new FeedReader(platform, 'gym', staff, '&types=gym.deployed').latest();
    const ids = [randomUUID(), randomUUID()];
    const publication = await openTransaction('gym');
    await publication.query(INSERT_EVENT, [ids[0], DEMO_GYMS.ironTemple.id]);
    await publication.query('select publish_events(10)');
    await platform.sql('gym', INSERT_EVENT, [ids[1], DEMO_GYMS.ironTemple.id]);
    const reading = reader.read(); // publishes the second event, which has to wait for the first publication
    const isWaiting = eventually(async () => {
      const [{ count }] = (await platform.sql(
        'gym',
        `select count(*)::int from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
        [],
      )) as [{ count: number }];
      return count > 0;
    });
    await Promise.race([reading, isWaiting]);
    await publication.commit();
    await reading;
    await reader.read();
    expect(reader.events.map((event) => event.id)).toEqual(ids);
  });

  it('gets 410 for a cursor that is older than 30 days, and 200 for a younger one', async () => {
    const page = async (after: string) =>
      platform.rest('gym', 'GET', `/events?after=${encodeURIComponent(after)}`, { token: staff });
    const { next } = (await page('latest')).body as { next: string };
    const withTime = (millis: number) => {
      const { createHash } = process.getBuiltinModule('node:crypto');
      const [position] = JSON.parse(Buffer.from(next, 'base64url').toString().slice(6)) as [number, number];
      const text = JSON.stringify([position, Date.now() - millis]);
      const checksum = createHash('sha256').update(`events:gym\n${text}`).digest('base64url').slice(0, 6);
      return Buffer.from(`${checksum}${text}`).toString('base64url');
    };
    const day = 86_400_000;
    expect((await page(withTime(29 * day))).status).toBe(200);
    const expired = await page(withTime(31 * day));
    expect([expired.status, expired.body.code]).toEqual([410, 'CURSOR_EXPIRED']);
  });
});

describe('the collected feed', () => {
  it('has each event once, also if several replicas collect, and after a restart', async () => {
    const reader = await new FeedReader(platform, 'gym', staff, '&types=member.joined').latest();
    const replica = await platform.replica('gym');
    const joined: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const members = await Promise.all(Array.from({ length: 5 }, () => platform.register()));
      joined.push(...members.map(({ id }) => id));
      await platform.restart('gym');
    }
    await replica.stop();
    const ids = (events: readonly PublicEvent[]) => events.map(({ data }) => data.id as string);
    await eventually(async () => {
      await reader.read();
      return joined.every((id) => ids(reader.events).includes(id));
    });
    expect(ids(reader.events).toSorted()).toEqual(joined.toSorted());
  });

  it('collects the other service from the beginning if its database was restored, and stores no event twice', async () => {
    const before = await platform.sql(
      'gym',
      "select count(*)::int from event where type = 'member.joined'",
      [],
    );
    await platform.sql('identity', "select setval('event_position_seq', 1)", []);
    await platform.sql(
      'identity',
      'update event set position = position - (select max(position) from event)',
      [],
    );
    await platform.sql(
      'gym',
      "update collected_feed set cursor = cursor || 'x' where service = 'identity'",
      [],
    );
    await platform.restart('gym');
    const member = await platform.register();
    const reader = new FeedReader(platform, 'gym', staff, '&types=member.joined');
    await reader.until(({ data }) => data.id === member.id);
    const after = await platform.sql(
      'gym',
      "select count(*)::int from event where type = 'member.joined'",
      [],
    );
    expect(after[0]?.count).toBe((before[0]?.count as number) + 1);
  });
});

describe('the events of a deleted account', () => {
  it('contain nothing of the person but the id of the member who was removed', async () => {
    const reader = await new FeedReader(platform, 'gym', staff).latest();
    const member = await platform.register();
    const { body } = await platform.rest('identity', 'GET', '/users/me', { token: member.token });
    const locationId = await newLocation(platform, staff);
    const scan = { qrCode: body.qrCode as string, locationId };
    await platform.rest('gym', 'POST', '/locations/check-in', { token: member.token, body: scan });
    await reader.until(({ data }) => data.id === member.id);
    await platform.rest('identity', 'DELETE', '/users/me', {
      token: member.token,
      body: { password: member.password },
    });
    await reader.until(({ type, data }) => type === 'member.removed' && data.id === member.id);
    const client = await clientToken(platform, ['events:read', 'members:read', 'visits:read']);
    for (const service of ['gym', 'identity'] as const)
      await eventually(async () => {
        const feed = new FeedReader(platform, service, client);
        const about = (await feed.read()).filter((event) => event.subject === `member/${member.id}`);
        return about.length === 2 && about.every(({ data }) => Object.keys(data).join() === 'id');
      });
    const stored = await platform.sql(
      'gym',
      'select type, data from event where data::text like $1 order by position',
      [`%${locationId}%`],
    );
    expect(stored.map(({ type }) => type)).toEqual(['check_in.opened', 'check_in.closed']);
    for (const { data } of stored) expect((data as { userId: unknown }).userId).toBeNull();
  });
});

describe('a waiting request', () => {
  it('is answered as soon as the service is drained', async () => {
    const { next } = (await platform.rest('gym', 'GET', '/events?after=latest', { token: staff })).body as {
      next: string;
    };
    const started = performance.now();
    const waiting = platform.rest('gym', 'GET', `/events?wait=20&after=${next}`, { token: staff });
    await new Promise((resolve) => setTimeout(resolve, 100)); // until the request has arrived
    platform.running('gym').drain();
    expect((await waiting).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(withinOnThisMachine(10_000));
  });
});
