import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { deploymentsIn } from './deployment-support.ts';
import { comingMonday, settled } from './support.ts';

describe.each(['database', 'memory'])('deployments of members in %s', (storage) => {
  const wizard = deploymentsIn(storage);
  const { deploy, storedTextOf } = wizard;

  const monday = comingMonday();
  const startsAt = `${monday}T18:10:00Z`;
  const onboarded = async (member: { token: string }, location: { id: string }, more: object = {}) => {
    const { body } = await wizard.platform.rest('wizard', 'POST', '/', {
      token: member.token,
      body: { kind: 'MEMBER_ONBOARDING' },
    });
    let session = body;
    const steps = {
      profile: { displayName: 'New Name', timezone: 'Asia/Tokyo' },
      body: { heightCm: 170, weightKg: 60 },
      goals: { goals: ['strength'] },
      nutrition: { calories: 2_200, protein: 110 },
      slot: { locationId: location.id, startsAt },
      review: { confirmed: true },
      ...more,
    };
    for (const [step, data] of Object.entries(steps))
      session = (
        await wizard.platform.rest('wizard', 'PUT', `/${body.id}`, {
          token: member.token,
          body: { step, data },
        })
      ).body;
    return session as { id: string; status: string };
  };
  const newLocation = async (capacity: number, gymId: string = DEMO_GYMS.ironTemple.id) =>
    (
      await wizard.platform.rest('gym', 'POST', '/locations', {
        token: wizard.superAdmin,
        body: {
          gymId,
          name: `Room ${randomUUID()}`,
          timezone: 'UTC',
          capacity,
          openingHours: { mon: { opens: '06:00', closes: '22:00' } },
        },
      })
    ).body as { id: string };

  it('write the profile and the goals, and book the first visit; a second member does not get the same place', async () => {
    const member = await wizard.platform.register();
    const location = await newLocation(1);
    const session = await onboarded(member, location);
    expect(session.status).toBe('READY');
    expect((await deploy(session.id, member.token)).status).toBe(202);
    const done = await settled(wizard.platform, session.id);
    expect(done.deployment).toMatchObject({
      result: {
        userId: member.id,
        slot: { locationId: location.id, startsAt: `${monday}T18:00:00.000Z` },
      },
      actions: [
        { name: 'remember', status: 'DONE' },
        { name: 'slot', status: 'DONE' },
        { name: 'profile', service: 'identity', status: 'DONE' },
        { name: 'nutrition', service: 'nutrition', status: 'DONE' },
        { name: 'body', service: 'identity', status: 'DONE' },
        { name: 'goals', service: 'identity', status: 'DONE' },
      ],
    });
    // Personal data is in the other services, and no longer in the wizard.
    expect(done.steps.map(({ status, data }: { status: string; data: object }) => [status, data])).toEqual([
      ...Array.from({ length: 5 }, () => ['COMPLETE', {}]),
      ['COMPLETE', { confirmed: true }],
    ]);
    const me = (await wizard.platform.rest('identity', 'GET', '/users/me', { token: member.token })).body;
    expect(me).toMatchObject({
      displayName: 'New Name',
      timezone: 'Asia/Tokyo',
      body: { heightCm: 170, weightKg: 60, sex: null, birthDate: null },
      trainingGoals: { goals: ['strength'], activity: null },
    });
    expect(
      (await wizard.platform.rest('nutrition', 'GET', '/goals', { token: member.token })).body,
    ).toMatchObject([{ calories: 2_200, protein: 110 }]);
    // The gym's staff see an ordinary booking.
    const ofGym = (path: string) => wizard.platform.rest('gym', 'GET', path, { token: wizard.superAdmin });
    const [visit] = (await ofGym(`/bookings?userId=${member.id}`)).body;
    expect(visit).toMatchObject({
      id: done.deployment.result.slot.bookingId,
      status: 'BOOKED',
      locationId: location.id,
      session: {
        title: 'First visit',
        startsAt: `${monday}T18:00:00.000Z`,
        endsAt: `${monday}T18:30:00.000Z`,
      },
    });
    // The member has the only place in that half hour.
    const value = encodeURIComponent(`${location.id}@${monday}T18:20:00Z`);
    const slot = (
      await wizard.platform.rest('wizard', 'GET', `/check-availability?resource=slot&value=${value}`)
    ).body;
    expect(slot).toMatchObject({ available: false, reason: 'FULL' });
    expect(slot.suggestions[0]).toBe(`${location.id}@${monday}T18:30:00.000Z`);

    const second = await wizard.platform.register();
    const late = await onboarded(second, location);
    await deploy(late.id, second.token);
    expect(await settled(wizard.platform, late.id)).toMatchObject({
      status: 'FAILED',
      deployment: {
        actions: [
          {},
          { name: 'slot', status: 'FAILED', error: { code: 'CONFLICT' } },
          { status: 'PENDING' },
          {},
          {},
          {},
        ],
      },
    });
    expect((await wizard.platform.rest('nutrition', 'GET', '/goals', { token: second.token })).body).toEqual(
      [],
    );
  });

  if (storage === 'database')
    it('leave no personal data in the rows of the session and of its saga', async () => {
      const member = await wizard.platform.register();
      const { id } = await onboarded(member, await newLocation(1));
      await deploy(id, member.token);
      expect((await settled(wizard.platform, id)).status).toBe('DEPLOYED');
      const stored = await storedTextOf(id);
      for (const personal of ['New Name', 'strength', 'heightCm', 'calories'])
        expect(stored).not.toContain(personal);
    });

  it('restore body and goals, and cancel the first visit, if an action is refused', async () => {
    const member = await wizard.platform.register();
    const location = await newLocation(5);
    const before = {
      body: { heightCm: 150, sex: 'OTHER' },
      trainingGoals: { goals: ['fun'], activity: 'low' },
    };
    await wizard.platform.rest('identity', 'PUT', '/profile', { token: member.token, body: before });
    const { id } = await onboarded(member, location);
    // The last action is refused, as if the account could not store the goals.
    await wizard.platform.sql(
      'identity',
      `create or replace function refuse_strength() returns trigger language plpgsql as $$ begin
         raise exception 'refused' using errcode = '22003'; end $$;
       create or replace trigger refuse_strength before update on user_account for each row
         when (new.training_goals ->> 'goals' like '%strength%' and new.id = '${member.id}') execute function refuse_strength()`,
    );
    await deploy(id, member.token);
    const failed = await settled(wizard.platform, id);
    expect(failed.deployment).toMatchObject({
      status: 'UNDONE',
      actions: [{}, {}, {}, {}, {}, { name: 'goals', status: 'FAILED' }],
    });
    expect(
      (await wizard.platform.rest('identity', 'GET', '/users/me', { token: member.token })).body,
    ).toMatchObject({
      body: { heightCm: 150, weightKg: null, sex: 'OTHER', birthDate: null },
      trainingGoals: { goals: ['fun'], activity: 'low' },
    });
    const visits = await wizard.platform.rest('gym', 'GET', '/bookings', { token: member.token });
    expect(visits.body).toMatchObject([{ status: 'CANCELLED' }]);
    expect(failed.steps[1].data).toEqual({ heightCm: 170, weightKg: 60 }); // the member can correct this data
  });

  it('with a slot of another gym, or outside of opening hours, are refused before the profile changes', async () => {
    const member = await wizard.platform.register();
    const elsewhere = await onboarded(member, await newLocation(5, DEMO_GYMS.aquaClub.id));
    await deploy(elsewhere.id, member.token);
    expect((await settled(wizard.platform, elsewhere.id)).deployment.actions[1].error.code).toBe('FORBIDDEN');
    // The locations of this test are open on Mondays only.
    const tuesday = comingMonday(1);
    const closed = await onboarded(member, await newLocation(5), {
      slot: { locationId: (await newLocation(5)).id, startsAt: `${tuesday}T18:00:00Z` },
    });
    await deploy(closed.id, member.token);
    expect((await settled(wizard.platform, closed.id)).deployment.actions[1].error.message).toContain(
      'CLOSED',
    );
    expect(
      (await wizard.platform.rest('identity', 'GET', '/users/me', { token: member.token })).body.displayName,
    ).not.toBe('New Name');
  });

  it('have their first visit at the gym to which the member belongs at the deployment, not when they began', async () => {
    const member = await wizard.platform.register(null);
    const session = await onboarded(member, await newLocation(1));
    expect((await deploy(session.id, member.token)).status).toBe(202);
    const refused = await settled(wizard.platform, session.id);
    expect(refused).toMatchObject({ status: 'FAILED', gymId: null });
    expect(refused.deployment.actions[1]).toMatchObject({ name: 'slot', error: { code: 'GYM_REQUIRED' } });
    const joined = await wizard.platform.rest(
      'identity',
      'POST',
      `/gyms/${DEMO_GYMS.ironTemple.id}/join`,
      member,
    );
    expect(joined.status).toBe(201);
    expect((await deploy(session.id, member.token)).status).toBe(202);
    expect(await settled(wizard.platform, session.id)).toMatchObject({
      status: 'DEPLOYED',
      gymId: DEMO_GYMS.ironTemple.id,
      deployment: { result: { userId: member.id, gymId: DEMO_GYMS.ironTemple.id } },
    });
    const { body } = await wizard.platform.rest(
      'wizard',
      'GET',
      `/first-visits?gymId=${DEMO_GYMS.ironTemple.id}&from=${monday}&to=${monday}`,
      { token: wizard.superAdmin },
    );
    expect(body.map(({ userId }: { userId: string }) => userId)).toContain(member.id);
  });

  it('skip the steps that the goals exclude', async () => {
    const member = await wizard.platform.register();
    const { body } = await wizard.platform.rest('wizard', 'POST', '/', {
      token: member.token,
      body: { kind: 'MEMBER_ONBOARDING' },
    });
    const steps: [string, object][] = [
      ['profile', { displayName: 'Short' }],
      ['body', { heightCm: 170, weightKg: 60 }],
      ['goals', { goals: ['fun'], nutritionTarget: false, firstVisit: false }],
      ['review', { confirmed: true }],
    ];
    const { id: locationId } = await newLocation(1);
    const value = encodeURIComponent(`${locationId}@${comingMonday()}T12:00:00Z`);
    const slot = async (query = '') =>
      (
        await wizard.platform.rest(
          'wizard',
          'GET',
          `/check-availability?resource=slot&value=${value}${query}`,
          {
            token: member.token,
          },
        )
      ).body;
    expect(await slot(`&reserve=true&sessionId=${body.id}`)).toMatchObject({ available: true });
    let session = body;
    for (const [step, data] of steps) {
      expect(session.currentStep).toBe(step); // the next step that is not skipped
      session = (
        await wizard.platform.rest('wizard', 'PUT', `/${body.id}`, { token: member.token, body: { data } })
      ).body;
    }
    expect(session.steps.map(({ status }: { status: string }) => status)).toEqual([
      'COMPLETE',
      'COMPLETE',
      'COMPLETE',
      'SKIPPED',
      'SKIPPED',
      'COMPLETE',
    ]);
    expect((await deploy(session.id, member.token)).status).toBe(202);
    expect(
      (await settled(wizard.platform, session.id)).deployment.actions.map(
        ({ name }: { name: string }) => name,
      ),
    ).toEqual(['remember', 'profile', 'body', 'goals']);
    // The slot that was reserved first is free again.
    expect(await slot()).toMatchObject({ available: true });
  });

  it('can be started by the member or a SUPER_ADMIN, and need an account', async () => {
    const member = await wizard.platform.register();
    const session = await onboarded(member, await newLocation(5));
    expect((await deploy(session.id, await wizard.platform.demo('admin@iron.test'))).status).toBe(404);
    const anonymous = (
      await wizard.platform.rest('wizard', 'POST', '/', { body: { kind: 'MEMBER_ONBOARDING' } })
    ).body;
    const headers = { 'x-resume-token': anonymous.resumeToken as string };
    expect(
      (await wizard.platform.rest('wizard', 'POST', `/${anonymous.id}/deploy`, { headers })).status,
    ).toBe(401);
    expect((await deploy(session.id)).status).toBe(202);
    expect((await settled(wizard.platform, session.id)).status).toBe('DEPLOYED');
  });
});
