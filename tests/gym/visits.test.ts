import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FeedReader } from '../events/support.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe, type Subscription } from '../support/subscribe.ts';
import { checkIn, heldLocation, newLocation, newMember, peopleInside } from './support.ts';

let platform: TestPlatform;
let staff: string;
let otherStaff: string;
const open: Subscription[] = [];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  staff = await platform.demo('admin@iron.test');
  otherStaff = await platform.demo('admin@aqua.test');
});
afterEach(() => Promise.all(open.splice(0).map((subscription) => subscription.close())));
afterAll(() => platform.stop());

const people = (id: string) => peopleInside(platform, staff, id);
const expireVisits = (userId: string) =>
  platform.sql(
    'gym',
    "update check_in set checked_in_at = now() - interval '2 hours', expires_at = now() - interval '1 minute' where user_id = $1",
    [userId],
  );

describe('an expired visit', () => {
  it('is ended once, as of its expiry, although two replicas run the scheduled job at once, and its place is free', async () => {
    const [replica, hall] = [
      await platform.replica('gym'),
      await newLocation(platform, staff, { capacity: 1 }),
    ];
    expect(replica.port).toBeGreaterThan(0);
    const feed = await new FeedReader(platform, 'gym', staff).latest();
    const [first, second] = [await newMember(platform), await newMember(platform)];
    const { body: visit } = await checkIn(platform, first.token, { qrCode: first.qrCode, locationId: hall });
    const events = subscribe(
      platform.url('gym'),
      'subscription ($id: ID!) { occupancyChanged(locationId: $id) { people } }',
      { id: hall },
      staff,
    );
    open.push(events);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 1 } });
    await expireVisits(first.id);
    // A replica runs at most two jobs at once, so four waiting jobs are two of each replica.
    const held = await heldLocation(platform, hall);
    try {
      for (let run = 0; run < 4; run += 1) await runScheduled(platform, 'gym', 'end_expired_visits');
      await eventually(async () => (await held.waiting()) === 4);
    } finally {
      await held.release();
    }
    const left = `select 1 from graphile_worker.jobs where task_identifier = 'end_expired_visits' and run_at <= now()`;
    await eventually(async () => (await platform.sql('gym', left)).length === 0);
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 0 } });
    const published = (await feed.read()).filter(({ subject }) => subject === `check-in/${visit.id}`);
    expect(published.map(({ type }) => type)).toEqual(['check_in.opened', 'check_in.closed']);
    const [stored] = await platform.sql(
      'gym',
      'select checked_out_at = expires_at as punctual, check_out_kind from check_in where id = $1',
      [visit.id],
    );
    expect(stored).toEqual({ punctual: true, check_out_kind: 'AUTOMATIC' });
    expect((await checkIn(platform, second.token, { qrCode: second.qrCode, locationId: hall })).status).toBe(
      201,
    );
    // A second end would have notified the subscription again, before this event.
    expect((await events.next()).data).toEqual({ occupancyChanged: { people: 1 } });
  });

  it('is ended after a restart of the service', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const { body: visit } = await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    await expireVisits(maya.id);
    await platform.restart('gym');
    expect(await people(hall)).toBe(0);
    expect((await platform.rest('gym', 'GET', '/check-ins', { token: maya.token })).body).toMatchObject([
      { id: visit.id, checkedOutAt: expect.any(String) },
    ]);
  });
});

describe('check-ins of a member', () => {
  it('are visible only to the member and to staff of their gym', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const { body: visit } = await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    const entities =
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on User { currentCheckIn { id } checkIns { nodes { id } } } ... on CheckIn { locationId } } }';
    const r = [
      { __typename: 'User', id: maya.id },
      { __typename: 'CheckIn', id: visit.id },
    ];
    for (const token of [maya.token, staff, await platform.demo('super@demo.test')]) {
      expect((await platform.graph('gym', entities, { r }, { token })).data._entities).toEqual([
        { currentCheckIn: { id: visit.id }, checkIns: { nodes: [{ id: visit.id }] } },
        { locationId: hall },
      ]);
      expect(
        (await platform.rest('gym', 'GET', `/check-ins?userId=${maya.id}`, { token })).body,
      ).toMatchObject([{ id: visit.id }]);
    }
    const stranger = await newMember(platform);
    expect((await platform.graph('gym', entities, { r }, { token: stranger.token })).data._entities).toEqual([
      { currentCheckIn: null, checkIns: null },
      null,
    ]);
    expect(
      (await platform.rest('gym', 'GET', `/check-ins?userId=${maya.id}`, { token: stranger.token })).status,
    ).toBe(404);
    // For staff of another gym the visit does not exist.
    expect((await platform.graph('gym', entities, { r }, { token: otherStaff })).data._entities).toEqual([
      { currentCheckIn: null, checkIns: { nodes: [] } },
      null,
    ]);
  });

  it('are paged, newest first', async () => {
    const [maya, halls] = [
      await newMember(platform),
      await Promise.all([
        newLocation(platform, staff),
        newLocation(platform, staff),
        newLocation(platform, staff),
      ]),
    ];
    const ids: string[] = [];
    for (const locationId of halls)
      ids.unshift((await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId })).body.id);
    const first = await platform.rest('gym', 'GET', '/check-ins?limit=2', { token: maya.token });
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await platform.rest('gym', 'GET', next, { token: maya.token });
    expect([...first.body, ...second.body].map(({ id }) => id)).toEqual(ids);
  });

  it('have ended at their expiry, if staff undo them after it and before the job has ended them', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const feed = await new FeedReader(platform, 'gym', staff).latest();
    const { body: visit } = await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    await expireVisits(maya.id);
    const { status } = await platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token: staff });
    expect(status).toBe(204);
    const [stored] = await platform.sql(
      'gym',
      'select expires_at, checked_out_at, check_out_kind from check_in where id = $1',
      [visit.id],
    );
    expect(stored).toEqual({
      expires_at: stored.expires_at,
      checked_out_at: stored.expires_at,
      check_out_kind: 'UNDONE',
    });
    const event = await feed.until(({ type }) => type === 'check_in.undone');
    expect(event.data.checkedOutAt).toBe(stored.expires_at.toISOString());
  });

  it('can be undone by staff, and are then no longer counted', async () => {
    const [maya, hall] = [await newMember(platform), await newLocation(platform, staff)];
    const { body: visit } = await checkIn(platform, maya.token, { qrCode: maya.qrCode, locationId: hall });
    const undo = (token: string) => platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token });
    expect((await undo(maya.token)).status).toBe(403);
    expect((await undo(otherStaff)).status).toBe(404);
    expect((await undo(staff)).status).toBe(204);
    expect((await undo(staff)).status).toBe(404);
    expect(await people(hall)).toBe(0);
    expect((await platform.rest('gym', 'GET', '/check-ins', { token: maya.token })).body).toEqual([]);
  });
});
