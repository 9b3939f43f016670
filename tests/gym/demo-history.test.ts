import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ANONYMOUS } from '#server/auth/viewer.ts';
import { openDatabase } from '#server/database/database.ts';
import { DEMO_MEMBERS } from '#server/demo-history.ts';
import { DEMO_GYMS, DEMO_PEOPLE } from '#server/demo-ids.ts';
import { createLogger } from '#server/observability/logger.ts';
import { NO_ORIGIN, UnitOfWork } from '#server/unit-of-work.ts';
import { database } from '../../subgraphs/gym/database.ts';
import { demo } from '../../subgraphs/gym/demo.ts';
import { cloneDatabase } from '../support/database.ts';

/**
 * First starts at noon, around midnight in both gyms, at the end of a month and of a year, and at changes of the
 * clocks.
 */
const STARTS = [
  '2026-11-24T12:00:00Z',
  '2026-11-24T22:58:00Z', // before midnight in Berlin
  '2026-11-30T23:55:00Z',
  '2026-12-01T00:05:00Z',
  '2026-12-31T23:59:30Z',
  '2027-01-03T04:58:00Z', // before midnight in New York
  '2027-03-28T01:30:00Z', // half an hour after the change in Berlin
  '2027-11-07T05:30:00Z', // half an hour before the change in New York, which repeats this hour
];

const gyms = [DEMO_GYMS.ironTemple.id, DEMO_GYMS.aquaClub.id];

/** Contradictions in the rows; each query returns the wrong rows. */
const CONTRADICTIONS = {
  'a session counts other places and waiting members than its bookings': `
    select s.id from class_session s left join booking b on b.session_id = s.id group by s.id
    having s.booked <> count(*) filter (where b.has_place) or s.waiting <> count(*) filter (where b.status = 'WAITING')
      or s.last_number <> coalesce(max(b.number), 0)`,
  'somebody waits although there is a place': `select id from class_session where waiting > 0 and booked < capacity`,
  'a session is not DONE after its end, is DONE before it, or is DONE with open bookings': `
    select s.id from class_session s left join booking b on b.session_id = s.id
    where (s.ends_at <= $1) <> (s.status = 'DONE') or (s.status = 'DONE' and b.status in ('BOOKED', 'WAITING'))`,
  'a member has two visits at once': `
    select one.id from check_in one join check_in other using (user_id) where one.id < other.id
      and one.checked_in_at < coalesce(other.checked_out_at, $1) and other.checked_in_at < coalesce(one.checked_out_at, $1)`,
  'a visit is in the future, longer than allowed, or ends before it begins': `
    select id from check_in where checked_in_at > $1 or checked_out_at > $1 or checked_out_at > expires_at or checked_out_at < checked_in_at
      or (checked_out_at is null and expires_at <= $1)`,
  'movements do not add up to the stock, or the stock was negative': `
    select p.product_id from gym_product p join stock_movement m using (gym_id, product_id) group by p.gym_id, p.product_id, p.stock
    having p.stock <> sum(m.delta) or min(m.stock) < 0`,
  'an order has another total than its items': `
    select o.id from shop_order o join shop_order_item i on i.order_id = o.id group by o.id having o.total <> sum(i.price * i.quantity)`,
  'a score of a challenge is not the number of visits': `
    select p.user_id from challenge_participant p join challenge c on c.id = p.challenge_id where c.metric = 'CHECK_INS' and p.score <>
      (select count(*) from check_in v where v.user_id = p.user_id and v.gym_id = c.gym_id and v.checked_in_at >= c.starts_at and v.checked_in_at < c.ends_at)`,
  'a post counts other likes or comments than it has': `
    select p.id from post p where p.like_count <> (select count(*) from post_like where post_id = p.id)
      or p.comment_count <> (select count(*) from post_comment where post_id = p.id)`,
} as const;

describe.each(STARTS)('a first start at %s', (text) => {
  const now = new Date(text);
  let orm: MikroORM;
  const rows = (statement: string, ...values: unknown[]) =>
    orm.em
      .fork()
      .execute<Record<string, unknown>[]>(statement.replaceAll(/\$1/g, `'${text}'::timestamptz`), values);
  beforeAll(async () => {
    const { server, name } = await cloneDatabase(database);
    orm = await openDatabase(database, { server, name, migrate: false });
    await demo(new UnitOfWork(orm, ANONYMOUS, createLogger('gym', 'silent'), NO_ORIGIN), true, now);
  });
  afterAll(() => orm.close(true));

  it.each(Object.entries(CONTRADICTIONS))('leaves no contradiction: %s', async (_name, query) => {
    expect(await rows(query)).toEqual([]);
  });

  it.each(gyms)('fills the gym %s', async (gymId) => {
    const count = async (table: string, where = 'true') =>
      Number((await rows(`select count(*) from ${table} where gym_id = ? and ${where}`, gymId))[0]?.count);
    const perDay = await rows(
      `select (checked_in_at at time zone 'UTC')::date as day, count(*)::int as visits from check_in where gym_id = ?
       and checked_in_at between $1 - interval '27 days' and $1 - interval '1 day' group by 1`,
      gymId,
    );
    expect(perDay.length).toBeGreaterThanOrEqual(26);
    expect(await count('check_in', 'checked_out_at is null')).toBeGreaterThanOrEqual(6);
    const soon = "starts_at > $1 and starts_at < $1 + interval '24 hours'";
    expect(await count('class_session', soon)).toBeGreaterThanOrEqual(1);
    expect(await count('class_session', "status = 'DONE'")).toBeGreaterThan(40);
    expect(await count('class_session', 'waiting > 0')).toBeGreaterThan(0);
    for (const status of ['BOOKED', 'WAITING', 'ATTENDED', 'NO_SHOW', 'CANCELLED'])
      expect([status, await count('booking', `status = '${status}'`)]).not.toEqual([status, 0]);
    for (const status of ['PLACED', 'READY', 'COLLECTED', 'CANCELLED'])
      expect([status, await count('shop_order', `status = '${status}'`)]).not.toEqual([status, 0]);
    expect(await count('challenge', 'ends_at <= $1')).toBeGreaterThan(0);
    expect(await count('challenge', 'starts_at <= $1 and ends_at > $1')).toBeGreaterThan(1);
    expect(await count('challenge', 'starts_at > $1')).toBeGreaterThan(0);
  });

  it('names only users who exist', async () => {
    const known = new Set<unknown>([...DEMO_PEOPLE, ...DEMO_MEMBERS].map(({ id }) => id));
    const named = await rows(
      `select user_id as id from check_in union select user_id from booking union select user_id from shop_order
       union select user_id from challenge_participant union select author_id from post union select user_id from post_like`,
    );
    expect(named.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(50);
  });
});
