import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '#server/auth/scopes.ts';
import { DEMO_GYMS, demoId } from '#server/demo-ids.ts';
import { EVENT_TYPES } from '#server/events/event-types.ts';
import { eventually } from '../support/eventually.ts';
import { runScheduled } from '../support/jobs.ts';
import { startPlatform, type GraphAnswer, type TestPlatform } from '../support/platform.ts';
import { checkIn, checkOut, newLocation, newMember } from '../gym/support.ts';
import { clientToken, FeedReader } from './support.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const gymId = DEMO_GYMS.ironTemple.id;

let platform: TestPlatform;
let staff: string;
let superAdmin: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content'], env: { LOG_LEVEL: 'error' } });
  staff = await platform.demo('admin@iron.test');
  superAdmin = await platform.demo('super@demo.test');
});
afterAll(() => platform.stop());

const get = (token: string | undefined, query = '', service: 'gym' | 'identity' | 'content' = 'gym') =>
  platform.rest(service, 'GET', `/events${query}`, { ...(token && { token }) });

describe('the feed of events', () => {
  it('has the events of a visit, in their order, with the visit and the occupancy as their data', async () => {
    const feed = await new FeedReader(platform, 'gym', staff).latest();
    const member = await newMember(platform);
    const locationId = await newLocation(platform, staff, { capacity: 1 });
    const visit = (await checkIn(platform, member.token, { qrCode: member.qrCode, locationId })).body;
    await checkOut(platform, member.token);
    const events = (await feed.read()).filter(({ data }) => data.locationId === locationId);
    expect(events.map(({ type }) => type)).toEqual([
      'check_in.opened',
      'occupancy.level_changed',
      'check_in.closed',
      'occupancy.level_changed',
    ]);
    expect(events[0]).toEqual({
      id: expect.any(String),
      type: 'check_in.opened',
      gymId,
      subject: `check-in/${visit.id}`,
      occurredAt: expect.any(String),
      data: visit,
    });
    expect(events[1]?.data).toMatchObject({ locationId, people: 1, level: 'FULL', percent: 100 });
    expect(events[2]?.data).toEqual({ ...visit, checkedOutAt: expect.any(String) });
    expect(events[3]?.data).toMatchObject({ locationId, people: 0, level: 'OK' });
  });

  it('has denials and undone check-ins', async () => {
    const feed = await new FeedReader(platform, 'gym', staff).latest();
    const [one, two] = [await newMember(platform), await newMember(platform)];
    const locationId = await newLocation(platform, staff, { capacity: 1 });
    const visit = (await checkIn(platform, one.token, { qrCode: one.qrCode, locationId })).body;
    expect((await checkIn(platform, two.token, { qrCode: two.qrCode, locationId })).status).toBe(409);
    await platform.rest('gym', 'DELETE', `/check-ins/${visit.id}`, { token: staff });
    const events = (await feed.read()).filter(({ type }) => type.startsWith('check_in.'));
    expect(events.map(({ type }) => type)).toEqual(['check_in.opened', 'check_in.denied', 'check_in.undone']);
    const denials = await platform.rest('gym', 'GET', `/locations/${locationId}/denials`, { token: staff });
    expect(events[1]?.data).toEqual(denials.body[0]);
    expect(events[2]).toMatchObject({ subject: `check-in/${visit.id}`, data: { id: visit.id } });
  });

  it('collects the events of another service, each once, at most 2 s later, with the data that a machine client reads', async () => {
    const feed = await new FeedReader(platform, 'gym', staff).latest();
    const own = await new FeedReader(platform, 'identity', staff).latest();
    const member = await newMember(platform);
    await platform.rest('identity', 'PUT', '/profile', { token: member.token, body: { displayName: 'Ada' } });
    await platform.rest('identity', 'PUT', '/profile', {
      token: member.token,
      body: { body: { heightCm: 170 } },
    });
    await platform.rest('identity', 'PUT', `/users/${member.id}/gym`, {
      token: staff,
      body: { gymId: null },
    });
    const of = ({ subject }: { subject: string }) => subject === `member/${member.id}`;
    await feed.until((event) => of(event) && event.type === 'member.removed', 2_000);
    const events = feed.events.filter(of);
    expect(events.map(({ type }) => type)).toEqual(['member.joined', 'member.updated', 'member.removed']);
    expect((await own.read()).filter(of)).toEqual(events);
    const client = await clientToken(platform, ['members:read']);
    const other = await newMember(platform);
    const asClient = await platform.rest('identity', 'GET', `/users/${other.id}`, { token: client });
    const joined = await feed.until((event) => event.subject === `member/${other.id}`);
    expect(joined.data).toEqual(asClient.body);
    expect(events[2]?.data).toEqual({ id: member.id });
  });

  it('has products: the global ones in the feed of every gym, those of a gym only in its own', async () => {
    const iron = await new FeedReader(platform, 'gym', staff).latest();
    const aqua = await new FeedReader(platform, 'gym', await platform.demo('admin@aqua.test')).latest();
    const add = async (token: string, more: object = {}) => {
      const { body } = await platform.rest('content', 'POST', '/products', {
        token,
        body: { name: 'Bands', kind: 'MERCHANDISE', price: 100, currency: 'EUR', sku: randomUUID(), ...more },
      });
      return body as { id: string };
    };
    const [global, ofIron] = [await add(superAdmin), await add(staff)];
    for (const feed of [iron, aqua]) {
      const event = await feed.until(({ subject }) => subject === `product/${global.id}`);
      expect(event).toMatchObject({ type: 'product.changed', gymId: null, data: global });
    }
    const own = await iron.until(({ subject }) => subject === `product/${ofIron.id}`);
    expect(own).toMatchObject({ gymId, data: ofIron });
    await platform.rest('gym', 'PUT', `/gym/${gymId}/products`, {
      token: staff,
      body: { products: [{ productId: ofIron.id, stock: 3 }] },
    });
    const listed = await iron.until(({ subject }) => subject === `gym-product/${ofIron.id}`);
    expect(listed.data).toEqual({ gymId, productId: ofIron.id, price: null, currency: null, stock: 3 });
    await platform.rest('content', 'DELETE', `/products/${ofIron.id}`, { token: staff });
    const gone = await iron.until(({ data }) => data.id === ofIron.id && !('name' in data));
    expect(gone.data).toEqual({ id: ofIron.id, gymId });
    await iron.until(({ subject, data }) => subject === `gym-product/${ofIron.id}` && !('stock' in data));
    await aqua.read();
    expect(aqua.events.filter((event) => event.gymId === gymId)).toEqual([]);
  });

  it('has configurations, new gyms and ended challenges', async () => {
    const feed = await new FeedReader(platform, 'gym', superAdmin).latest();
    const created = await platform.rest('gym', 'POST', '/gyms', {
      token: superAdmin,
      body: { name: 'New', slug: `gym-${randomUUID().slice(0, 8)}` },
    });
    const config = await platform.rest('gym', 'PUT', '/gym/config', {
      token: superAdmin,
      body: { gymId: created.body.id, features: { squad: false } },
    });
    const challenge = await platform.rest('gym', 'POST', '/challenges', {
      token: staff,
      body: {
        title: 'Short',
        metric: 'CUSTOM',
        goal: 1,
        startsAt: new Date(Date.now() - 1_000).toISOString(),
        endsAt: new Date(Date.now() + 500).toISOString(),
      },
    });
    await eventually(async () => Date.now() > Date.parse(challenge.body.endsAt));
    await runScheduled(platform, 'gym', 'announce_ended_challenges');
    const ended = await feed.until(({ type }) => type === 'challenge.ended');
    const { joined: _joined, score: _score, ...stored } = challenge.body;
    expect(ended).toMatchObject({
      subject: `challenge/${stored.id}`,
      occurredAt: stored.endsAt,
      data: stored,
    });
    const of = feed.events.filter((event) => event.gymId === created.body.id);
    expect(of.map(({ type }) => type)).toEqual(['gym.deployed', 'gym_config.published']);
    expect(of.map(({ data }) => data)).toEqual([created.body, config.body]);
  });
});

describe('a reader of the feed', () => {
  it('is staff of the gym or a machine client with the scope events:read', async () => {
    expect((await get(undefined)).status).toBe(401);
    expect((await get(await platform.demo('maya@iron.test'))).status).toBe(403);
    expect((await get(staff, `?gymId=${DEMO_GYMS.aquaClub.id}`)).status).toBe(403);
    const ofAqua = await get(superAdmin, `?gymId=${DEMO_GYMS.aquaClub.id}&limit=200`);
    expect(
      ofAqua.body.events.every((event: { gymId: string }) =>
        [null, DEMO_GYMS.aquaClub.id as string].includes(event.gymId),
      ),
    ).toBe(true);
    expect((await get(await clientToken(platform, ['visits:read']))).status).toBe(403);
  });

  it('that is a machine client gets only events of the types that its scopes allow it to read', async () => {
    const member = await newMember(platform);
    await checkIn(platform, member.token, {
      qrCode: member.qrCode,
      locationId: await newLocation(platform, staff, { capacity: 1 }),
    });
    for (const scope of SCOPE_NAMES.filter((name) => name !== 'events:read')) {
      const token = await clientToken(platform, ['events:read', scope]);
      const { body } = await get(token, '?limit=200');
      for (const event of body.events as { type: keyof typeof EVENT_TYPES }[])
        expect([null, scope]).toContain(EVENT_TYPES[event.type].scope);
      for (const [type, declared] of Object.entries(EVENT_TYPES))
        expect([type, (await get(token, `?types=${type}`)).status]).toEqual([
          type,
          declared.scope === null || declared.scope === scope ? 200 : 403,
        ]);
    }
    const visits = await clientToken(platform, ['events:read', 'visits:read']);
    expect((await get(visits, '?types=check_in.opened')).body.events).not.toEqual([]);
  });

  it('that is limited to a location gets no events of other locations', async () => {
    const here = await newLocation(platform, staff);
    const client = await clientToken(platform, ['events:read', 'visits:read', 'members:read'], {
      locationId: here,
    });
    const feed = await new FeedReader(platform, 'gym', client).latest();
    for (const locationId of [demoId('301', 2), here]) {
      const member = await newMember(platform);
      await checkIn(platform, member.token, { qrCode: member.qrCode, locationId });
    }
    const opened = (await feed.read()).filter(({ type }) => type === 'check_in.opened');
    expect(opened.map(({ data }) => data.locationId)).toEqual([here]);
  });

  it.each([
    ['?after=nonsense', 400],
    ['?after=', 400],
    ['?types=check_in.exploded', 400],
    ['?types=check_in.opened,', 400],
    ['?limit=0', 400],
    ['?limit=1000', 200],
    ['?wait=-1', 400],
    ['?wait=soon', 400],
    ['?wait=86400', 200],
    ['?gymId=iron', 400],
    ['?types=check_in.opened,member.joined', 200],
  ])('gets for %s the status %i', async (query, status) => {
    const answer = await get(superAdmin, query);
    expect([answer.status, answer.body.code]).toEqual([
      status,
      status === 400 ? 'VALIDATION_FAILED' : undefined,
    ]);
  });

  it('gets 400 for the cursor of another feed, and for one beyond the end', async () => {
    const { next } = (await get(superAdmin, '', 'identity')).body;
    expect((await get(superAdmin, `?after=${next}`)).status).toBe(400);
    const own = (await get(superAdmin, '?after=latest')).body.next as string;
    await platform.sql('gym', 'select setval($1, 1)', ['event_position_seq']);
    await platform.sql('gym', 'delete from event where position > 1', []);
    expect((await get(superAdmin, `?after=${own}`)).status).toBe(400);
    await platform.sql('gym', 'select setval($1, 100000)', ['event_position_seq']);
  });

  it('gets pages that join without a gap, in the graph as in REST', async () => {
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const member = await newMember(platform);
        const locationId = await newLocation(platform, staff);
        await checkIn(platform, member.token, { qrCode: member.qrCode, locationId });
      }),
    );
    const whole = (await get(staff, '?limit=200&types=check_in.opened')).body.events;
    const paged: unknown[] = [];
    let after: string | null = null;
    for (;;) {
      const { data }: GraphAnswer = await platform.graph(
        'gym',
        'query ($after: String) { events(after: $after, types: ["check_in.opened"], limit: 5) { events { id type gymId subject occurredAt data } next } }',
        { after },
        { token: staff },
      );
      paged.push(...data.events.events);
      if (data.events.events.length === 0) break;
      after = data.events.next;
    }
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThanOrEqual(12);
  });

  it('may wait for an event, and gets it as soon as it happens', async () => {
    const { next } = (await get(staff, '?after=latest')).body;
    const started = performance.now();
    const waiting = get(staff, `?after=${next}&wait=20&types=check_in.opened`);
    const member = await newMember(platform);
    await checkIn(platform, member.token, {
      qrCode: member.qrCode,
      locationId: await newLocation(platform, staff),
    });
    expect((await waiting).body.events).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(withinOnThisMachine(10_000));
    const empty = await get(staff, `?after=${(await waiting).body.next}&wait=0.2&types=check_in.opened`);
    expect(empty.body.events).toEqual([]);
  });

  it('may wait with at most 10 requests at once', async () => {
    const token = await clientToken(platform, ['events:read']);
    const { next } = (await get(token, '?after=latest')).body;
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async () => (await get(token, `?after=${next}&wait=1`)).status),
    );
    expect(statuses.toSorted((one, other) => one - other)).toEqual([
      ...Array.from({ length: 10 }, () => 200),
      429,
      429,
    ]);
    expect((await get(token, `?after=${next}&wait=0.1`)).status).toBe(200);
  });
});
