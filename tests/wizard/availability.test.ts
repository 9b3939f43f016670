import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { comingMonday } from './support.ts';

interface AvailabilityQuery {
  resource: string;
  value: string;
  reserve?: boolean;
  sessionId?: string;
}

describe.each(['database', 'memory'])('availability, with reservations in %s', (storage) => {
  let platform: TestPlatform;
  let superAdmin: string;
  beforeAll(async () => {
    platform = await startPlatform({
      services: ['identity', 'gym', 'wizard'],
      env: { WIZARD_STORAGE: storage },
    });
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());

  type Ask = (
    question: AvailabilityQuery,
    options?: { token?: string; resumeToken?: string },
  ) => Promise<{ status: number; body: Untyped }>;
  const doors: Record<string, Ask> = {
    rest: ({ reserve, ...question }, { token, resumeToken } = {}) => {
      const query = new URLSearchParams({ ...question, ...(reserve && { reserve: 'true' }) });
      return platform.rest('wizard', 'GET', `/check-availability?${query.toString()}`, {
        ...(token && { token }),
        headers: resumeToken ? { 'x-resume-token': resumeToken } : {},
      });
    },
    graph: async (question, { token, resumeToken } = {}) => {
      const { data, errors } = await platform.graph(
        'wizard',
        `query ($resource: String!, $value: String!, $reserve: Boolean, $sessionId: ID, $resumeToken: String) {
          checkAvailability(resource: $resource, value: $value, reserve: $reserve, sessionId: $sessionId, resumeToken: $resumeToken) {
            resource value available reason suggestions reservedUntil
          }
        }`,
        { ...question, resumeToken },
        token ? { token } : {},
      );
      const error = errors?.[0]?.extensions as { code: string; http: { status: number } } | undefined;
      return { status: error?.http.status ?? 200, body: data?.checkAvailability ?? { code: error?.code } };
    },
  };
  const begin = async (kind = 'GYM_SETUP', token: string | undefined = superAdmin) =>
    (await platform.rest('wizard', 'POST', '/', { ...(token && { token }), body: { kind } })).body as {
      id: string;
      resumeToken: string;
    };
  const unique = () => randomUUID().slice(0, 8);

  describe.each(Object.keys(doors))('through %s', (name) => {
    const ask = doors[name] as Ask;

    it('reports taken values and suggests available ones', async () => {
      const free = `Gym ${unique()}`;
      expect((await ask({ resource: 'gym-name', value: free })).body).toMatchObject({
        resource: 'gym-name',
        value: free,
        available: true,
        suggestions: [],
      });
      const { body: gymName } = await ask({ resource: 'gym-name', value: 'iron  TEMPLE' });
      expect(gymName).toMatchObject({
        available: false,
        reason: 'TAKEN',
        suggestions: ['iron TEMPLE 2', 'iron TEMPLE Club', 'iron TEMPLE Studio'],
      });
      expect((await ask({ resource: 'gym-slug', value: 'iron-temple' })).body).toMatchObject({
        available: false,
        reason: 'TAKEN',
        suggestions: ['iron-temple-2', 'iron-temple-club', 'iron-temple-studio'],
      });
      expect((await ask({ resource: 'gym-slug', value: 'Crème Gym!' })).body).toMatchObject({
        available: false,
        reason: 'INVALID',
        suggestions: ['creme-gym', 'creme-gym-2', 'creme-gym-club'],
      });
      expect((await ask({ resource: 'email', value: 'MAYA@iron.test' })).body).toMatchObject({
        available: false,
        reason: 'TAKEN',
      });
      expect((await ask({ resource: 'email', value: 'no address' })).body).toMatchObject({
        available: false,
        reason: 'INVALID',
      });
      expect((await ask({ resource: 'email', value: `${unique()}@example.test` })).body.available).toBe(true);
    });

    it('refuses invalid questions', async () => {
      for (const question of [
        { resource: 'planet', value: 'x' },
        { resource: 'gym-name', value: '' },
        { resource: 'gym-name', value: 'a\0b' },
        { resource: 'slot', value: 'tomorrow' },
        { resource: 'slot', value: `${randomUUID()}@2027-01-04T18:00:00` },
        { resource: 'gym-name', value: 'x', reserve: true },
        { resource: 'gym-name', value: 'x'.repeat(301) },
      ])
        expect([question, (await ask(question)).status]).toEqual([question, 400]);
    });

    it('reserves a value for a session, and not for others', async () => {
      const [mine, other] = [await begin(), await begin()];
      const value = `Held ${unique()}`;
      const reserved = await ask(
        { resource: 'gym-name', value, reserve: true, sessionId: mine.id },
        { token: superAdmin },
      );
      expect(reserved.body).toMatchObject({ available: true, reservedUntil: expect.any(String) });
      const minutes = (Date.parse(reserved.body.reservedUntil) - Date.now()) / 60_000;
      expect(minutes).toBeGreaterThan(14);
      expect(minutes).toBeLessThanOrEqual(15);
      expect((await ask({ resource: 'gym-name', value: value.toUpperCase() })).body).toMatchObject({
        available: false,
        reason: 'RESERVED',
      });
      const refused = await ask(
        { resource: 'gym-name', value, reserve: true, sessionId: other.id },
        { token: superAdmin },
      );
      expect(refused.body).toMatchObject({ available: false, reason: 'RESERVED' });
      expect(
        (await ask({ resource: 'gym-name', value, sessionId: mine.id }, { token: superAdmin })).body
          .available,
      ).toBe(true);
      // A reservation of another value releases the first.
      await ask(
        { resource: 'gym-name', value: `${value} 2`, reserve: true, sessionId: mine.id },
        { token: superAdmin },
      );
      expect((await ask({ resource: 'gym-name', value })).body.available).toBe(true);
      // A cancellation releases the second.
      await platform.rest('wizard', 'POST', `/${mine.id}/cancel`, { token: superAdmin });
      expect((await ask({ resource: 'gym-name', value: `${value} 2` })).body.available).toBe(true);
      const cancelled = await ask(
        { resource: 'gym-name', value, reserve: true, sessionId: mine.id },
        { token: superAdmin },
      );
      expect(cancelled).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    });

    it.each(['gym-name', 'gym-slug'])(
      'does not reserve a %s for a session of MEMBER_ONBOARDING',
      async (resource) => {
        const session = await begin('MEMBER_ONBOARDING', '');
        const value = `name-${unique()}`;
        const refused = await ask(
          { resource, value, reserve: true, sessionId: session.id },
          { resumeToken: session.resumeToken },
        );
        expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
        expect((await ask({ resource, value })).body.available).toBe(true);
      },
    );

    it('reserves for a session only if the caller may open it', async () => {
      const session = await begin('MEMBER_ONBOARDING', '');
      const question = {
        resource: 'email',
        value: `${unique()}@example.test`,
        reserve: true,
        sessionId: session.id,
      };
      expect((await ask(question)).status).toBe(401);
      expect((await ask(question, { token: await platform.demo('maya@iron.test') })).status).toBe(404);
      expect((await ask(question, { resumeToken: 'x'.repeat(43) })).status).toBe(404);
      expect((await ask(question, { resumeToken: session.resumeToken })).body.available).toBe(true);
    });
  });

  const ask = doors.rest as Ask;

  it('allows one of 20 simultaneous reservations of a name', async () => {
    const value = `Race ${unique()}`;
    const sessions = await Promise.all(Array.from({ length: 20 }, () => begin()));
    const answers = await Promise.all(
      sessions.map(({ id }) =>
        ask({ resource: 'gym-name', value, reserve: true, sessionId: id }, { token: superAdmin }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(answers.filter(({ body }) => body.available)).toHaveLength(1);
  });

  it("of a slot is limited by the location's capacity and opening hours", async () => {
    const location = (
      await platform.rest('gym', 'POST', '/locations', {
        token: superAdmin,
        body: {
          gymId: DEMO_GYMS.ironTemple.id,
          name: `Room ${unique()}`,
          timezone: 'Africa/Lagos',
          capacity: 3,
          openingHours: { mon: { opens: '06:00', closes: '20:00' } },
        },
      })
    ).body as { id: string };
    const slot = (start: string) => `${location.id}@${start}`;
    const [day, dayAfter, weekAfter] = [comingMonday(), comingMonday(1), comingMonday(7)];
    const monday = slot(`${day}T18:30:00+01:00`);
    expect((await ask({ resource: 'slot', value: monday })).body.available).toBe(true);
    const sessions = await Promise.all(Array.from({ length: 10 }, () => begin('MEMBER_ONBOARDING', '')));
    const answers = await Promise.all(
      sessions.map(({ id, resumeToken }) =>
        ask({ resource: 'slot', value: monday, reserve: true, sessionId: id }, { resumeToken }),
      ),
    );
    expect(answers.filter(({ body }) => body.available)).toHaveLength(3);
    expect((await ask({ resource: 'slot', value: slot(`${day}T17:45:00Z`) })).body).toMatchObject({
      available: false,
      reason: 'FULL',
      suggestions: [`${day}T18:00:00.000Z`, `${day}T18:30:00.000Z`, `${weekAfter}T05:00:00.000Z`].map(slot),
    });
    // 20:00 in Lagos, when the location has closed, and a Tuesday.
    for (const start of [`${day}T19:00:00Z`, `${dayAfter}T12:00:00Z`])
      expect((await ask({ resource: 'slot', value: slot(start) })).body).toMatchObject({
        available: false,
        reason: 'CLOSED',
      });
    expect((await ask({ resource: 'slot', value: slot('2020-01-06T12:00:00Z') })).body).toMatchObject({
      available: false,
      reason: 'PAST',
    });
    expect((await ask({ resource: 'slot', value: `${randomUUID()}@${day}T18:00:00Z` })).body).toMatchObject({
      available: false,
      reason: 'UNKNOWN_LOCATION',
      suggestions: [],
    });
    const first = sessions.find((_session, index) => answers[index]?.body.available);
    await platform.rest('wizard', 'POST', `/${first?.id}/cancel`, {
      headers: { 'x-resume-token': first?.resumeToken ?? '' },
    });
    expect((await ask({ resource: 'slot', value: monday })).body.available).toBe(true);
  });

  it('of a slot ends at its beginning: the present half hour is PAST, and the later ones are suggested', async () => {
    const body = {
      gymId: DEMO_GYMS.ironTemple.id,
      name: `Room ${unique()}`,
      timezone: 'UTC',
      capacity: 3,
    };
    const { body: location } = await platform.rest('gym', 'POST', '/locations', { token: superAdmin, body });
    const askedAt = new Date();
    const { body: answer } = await ask({
      resource: 'slot',
      value: `${location.id}@${askedAt.toISOString()}`,
    });
    expect(answer).toMatchObject({ available: false, reason: 'PAST' });
    const starts = (answer.suggestions as string[]).map((slot) => Date.parse(slot.split('@')[1] ?? ''));
    expect(starts).toHaveLength(3);
    expect(starts.filter((start) => start <= askedAt.getTime())).toEqual([]);
    const next = answer.suggestions[0] as string;
    expect((await ask({ resource: 'slot', value: next })).body.available).toBe(true);
  });

  if (storage === 'database')
    it('of a reserved value returns when the reservation has expired', async () => {
      const [mine, other] = [await begin(), await begin()];
      const question = { resource: 'gym-name', value: `Late ${unique()}`, reserve: true };
      await ask({ ...question, sessionId: mine.id }, { token: superAdmin });
      await platform.sql(
        'wizard',
        "update reservation set expires_at = now() - interval '1 s' where session_id = $1",
        [mine.id],
      );
      expect((await ask({ ...question, sessionId: other.id }, { token: superAdmin })).body.available).toBe(
        true,
      );
      expect((await ask({ ...question, sessionId: mine.id }, { token: superAdmin })).body).toMatchObject({
        available: false,
        reason: 'RESERVED',
      });
    });

  it('is UPSTREAM_UNAVAILABLE if the gym service is down', async () => {
    await platform.running('gym').stop();
    expect(await ask({ resource: 'gym-name', value: 'Anything' })).toMatchObject({
      status: 503,
      body: { code: 'UPSTREAM_UNAVAILABLE' },
    });
  });
});
