import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectionTo } from '#server/database/connection.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import type { TestPlatform } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';

export interface Member {
  id: string;
  token: string;
  qrCode: string;
}

/** Registers a new user at the gym, or without a gym if `gymId` is null. */
export async function newMember(
  platform: TestPlatform,
  gymId: string | null = DEMO_GYMS.ironTemple.id,
): Promise<Member> {
  const { id, token } = await platform.register(gymId);
  const { body } = await platform.rest('identity', 'GET', '/users/me', { token });
  return { id, token, qrCode: body.qrCode };
}

/** Valid input for a location. */
export const place = (change: object = {}) => ({
  name: `Hall ${randomUUID()}`,
  timezone: 'Europe/Berlin',
  capacity: 10,
  ...change,
});

/** Creates a location in the caller's gym, and returns its id. */
export async function newLocation(
  platform: TestPlatform,
  token: string,
  change: object = {},
): Promise<string> {
  const { body } = await platform.rest('gym', 'POST', '/locations', { token, body: place(change) });
  return body.id;
}

/** Checks in by REST, and returns the whole answer. */
export const checkIn = (platform: TestPlatform, token: string, body: object) =>
  platform.rest('gym', 'POST', '/locations/check-in', { token, body });

/** The number of people inside a location, by its occupancy. */
export const peopleInside = async (platform: TestPlatform, token: string, id: string): Promise<number> =>
  (await platform.rest('gym', 'GET', `/locations/${id}/occupancy`, { token })).body.people as number;

/** Checks out by REST, and returns the whole answer. */
export const checkOut = (platform: TestPlatform, token: string, body: object = {}) =>
  platform.rest('gym', 'POST', '/locations/check-out', { token, body });

/** A session of its own in the database of the gym service. It does not lead through a pooler, which would not keep it. */
async function sessionAtGym(platform: TestPlatform): Promise<pg.Client> {
  const { server } = testRun.current();
  const [{ name }] = (await platform.sql('gym', 'select current_database() as name')) as [{ name: string }];
  const client = new pg.Client(connectionTo(withoutPooler(server), name));
  await client.connect();
  return client;
}

/**
 * Locks a location until `release` is called, so that other transactions that begin or end visits there wait. `waiting` returns
 * the number of transactions that wait for any lock.
 */
export const heldLocation = (platform: TestPlatform, id: string) => heldRow(platform, 'location', id);

/** The same as `heldLocation`, for a class session: transactions that change its bookings wait. */
export const heldSession = (platform: TestPlatform, id: string) => heldRow(platform, 'class_session', id);

async function heldRow(platform: TestPlatform, table: 'location' | 'class_session', id: string) {
  const client = await sessionAtGym(platform);
  await client.query('begin');
  await client.query(`select 1 from ${table} where id = $1 for no key update`, [id]);
  return {
    async waiting(): Promise<number> {
      const [{ count }] = (await platform.sql(
        'gym',
        `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )) as [{ count: number }];
      return count;
    },
    /** Ends the session, and thereby its lock. */
    release: () => client.end(),
  };
}

/**
 * Delays the commits of new visits until `release` is called; other requests cannot see these visits before. `waiting`
 * returns the number of transactions that wait for an advisory lock: for the one of this function, at their commit, or
 * for that of a member.
 */
export async function heldCheckIns(platform: TestPlatform) {
  const client = await sessionAtGym(platform);
  await client.query(`
    create function hold_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$;
    create constraint trigger hold_commit after insert on check_in deferrable initially deferred
      for each row execute function hold_commit();
    select pg_advisory_lock(4711);`);
  return {
    async waiting(): Promise<number> {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows[0]?.count ?? 0;
    },
    async release(): Promise<void> {
      await client.query('select pg_advisory_unlock(4711)');
    },
    async end(): Promise<void> {
      await client.query('select pg_advisory_unlock_all()');
      await client.query('drop function hold_commit cascade');
      await client.end();
    },
  };
}

/** The ids of two products, or of two routines, of the content service that all gyms may list. */
export const idsOf = async (platform: TestPlatform, list: 'products' | 'workouts'): Promise<string[]> =>
  (await platform.rest('content', 'GET', `/${list}?limit=2`)).body.map(({ id }: { id: string }) => id);
