import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { uuidv7 } from '#server/ids.ts';
import { eventually, mailedToken } from '../identity/support.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { subscribe } from '../support/subscribe.ts';
import { comingMonday, newGym, preparedGym, SESSION_FIELDS, settled } from './support.ts';

const start = (storage: string, gateway = false) =>
  startPlatform({
    services: ['identity', 'gym', 'nutrition', 'wizard'],
    gateway,
    env: {
      WIZARD_STORAGE: storage,
      WIZARD_DEPLOYMENT_RETRY_MILLIS: '100',
      WIZARD_DEPLOYMENT_LEASE_MILLIS: '1000',
    },
  });

describe.each(['database', 'memory'])('deployments in %s', (storage) => {
  let platform: TestPlatform;
  let superAdmin: string;
  beforeAll(async () => {
    platform = await start(storage, storage === 'database');
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());

  const deploy = (id: string, token = superAdmin, body?: object) =>
    platform.rest('wizard', 'POST', `/${id}/deploy`, { token, ...(body && { body }) });
  const gymsNamed = async (name: string): Promise<{ id: string; slug: string }[]> =>
    (await platform.rest('gym', 'GET', `/gyms?name=${encodeURIComponent(name)}`)).body;

  const inDatabase = async (statement: string, id: string) =>
    storage === 'database' ? platform.sql('wizard', statement, [id]) : [];
  const reservationsOf = (id: string) => inDatabase('select 1 from reservation where session_id = $1', id);
  /** The stored text of a session and of its deployment. */
  const keptOf = async (id: string): Promise<string> =>
    JSON.stringify(
      await inDatabase(
        'select w.data, s.actions, s.context from wizard_session w join saga s on s.subject = w.id::text where w.id = $1',
        id,
      ),
    );

  /** Checks a new gym in the other services. */
  const expectGym = async (
    gym: ReturnType<typeof newGym>,
    result: { gymId: string; locationIds: string[] },
  ) => {
    expect(await gymsNamed(gym.basics.name)).toEqual([
      expect.objectContaining({ id: result.gymId, slug: gym.basics.slug }),
    ]);
    expect((await platform.rest('gym', 'GET', `/gym/config/${gym.basics.slug}`)).body).toMatchObject({
      gymId: result.gymId,
      theme: gym.branding.theme,
      features: gym.features.features,
    });
    const password = `pass-${randomUUID()}`;
    const confirm = { token: await mailedToken(platform, gym.admin.email), password };
    await platform.rest('identity', 'POST', '/auth/password-reset/confirm', { body: confirm });
    const token = await platform.login(gym.admin.email, password);
    const me = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    expect(me).toMatchObject({ role: 'GYM_ADMIN', gymId: result.gymId, displayName: 'First Admin' });
    const locations = (await platform.rest('gym', 'GET', '/locations', { token })).body as { id: string }[];
    expect(locations).toEqual([
      expect.objectContaining({
        name: 'Main hall',
        capacity: 40,
        timezone: 'Europe/Berlin',
        openingHours: gym.locations.locations[0]?.openingHours,
      }),
      expect.objectContaining({ name: 'Pool', capacity: 20, timezone: 'Europe/Vienna', address: 'Water 1' }),
    ]);
    expect(locations.map(({ id }) => id)).toEqual(result.locationIds);
    const availability = await platform.rest(
      'wizard',
      'GET',
      `/check-availability?resource=gym-name&value=${encodeURIComponent(gym.basics.name)}`,
    );
    expect(availability.body).toMatchObject({ available: false, reason: 'TAKEN' });
  };

  it('create a gym by REST, with a result for every action, once', async () => {
    const gym = newGym();
    const session = await preparedGym(platform, gym);
    expect(session).toMatchObject({ status: 'READY', deployment: null });
    const begun = await deploy(session.id);
    expect(begun).toMatchObject({
      status: 202,
      body: { status: 'DEPLOYING', deployment: { status: 'RUNNING', finishedAt: null } },
    });
    const done = await settled(platform, session.id);
    expect(done).toMatchObject({
      status: 'DEPLOYED',
      gymId: done.deployment.result.gymId,
      deployment: {
        status: 'DONE',
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        actions: [
          { name: 'gym', service: 'gym', status: 'DONE', attempts: 1, result: { slug: gym.basics.slug } },
          { name: 'config', service: 'gym', status: 'DONE', result: { version: 2 } },
          { name: 'location-1', service: 'gym', status: 'DONE', result: { name: 'Main hall' } },
          { name: 'location-2', service: 'gym', status: 'DONE', result: { name: 'Pool' } },
          { name: 'admin', service: 'identity', status: 'DONE', result: { adminId: expect.any(String) } },
          { name: 'open', service: 'gym', status: 'DONE' },
        ],
      },
    });
    await expectGym(gym, done.deployment.result);
    expect(await deploy(session.id)).toMatchObject({ status: 200, body: { status: 'DEPLOYED' } });
    expect(
      (await platform.rest('wizard', 'PUT', `/${session.id}`, { token: superAdmin, body: { data: {} } }))
        .status,
    ).toBe(409);
    expect(
      (await platform.rest('wizard', 'POST', `/${session.id}/cancel`, { token: superAdmin })).status,
    ).toBe(409);
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('create a gym by the graph, followed by a subscription', async () => {
    const door = storage === 'database' ? 'gateway' : 'wizard'; // one of the two each
    const gym = newGym();
    const graph = async (query: string, variables: object) => {
      const { data, errors } = await platform.graph(door, query, variables, { token: superAdmin });
      expect(errors).toBeUndefined();
      return Object.values(data)[0] as { id: string; status: string; deployment: any }; // oxlint-disable-line no-explicit-any -- the caller knows the shape of the answer
    };
    const { id } = await graph('mutation { createWizardSession(input: { kind: GYM_SETUP }) { id } }', {});
    for (const [step, data] of Object.entries(gym))
      await graph(
        'mutation ($input: UpdateWizardSessionInput!) { updateWizardSession(input: $input) { status } }',
        { input: { id, step, data } },
      );
    const subscription = subscribe(
      platform.url(door),
      `subscription ($id: ID!) { wizardDeploymentUpdated(sessionId: $id) { ${SESSION_FIELDS} } }`,
      { id },
      superAdmin,
    );
    expect((await subscription.next()).data?.wizardDeploymentUpdated).toMatchObject({
      status: 'READY',
      deployment: null,
    });
    const begun = await graph(
      `mutation ($input: DeployWizardSessionInput!) { deployWizardSession(input: $input) { ${SESSION_FIELDS} } }`,
      { input: { id } },
    );
    expect(begun).toMatchObject({ status: 'DEPLOYING', deployment: { status: 'RUNNING' } });
    let last;
    do {
      const { data, errors } = await subscription.next();
      expect(errors).toBeUndefined();
      last = data?.wizardDeploymentUpdated;
    } while (last.status !== 'DEPLOYED');
    await subscription.close();
    expect(last.deployment.actions.map(({ status }: { status: string }) => status)).toEqual(
      Array.from({ length: 6 }, () => 'DONE'),
    );
    await expectGym(gym, last.deployment.result);
  });

  it('requested again with their key have the same answer', async () => {
    const { id } = await preparedGym(platform);
    const options = { token: superAdmin, headers: { 'idempotency-key': randomUUID() } };
    const first = await platform.rest('wizard', 'POST', `/${id}/deploy`, options);
    expect(first).toMatchObject({ status: 202, body: { deployment: { status: 'RUNNING' } } });
    await settled(platform, id);
    const again = await platform.rest('wizard', 'POST', `/${id}/deploy`, options);
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('requested 20 times at once create one gym', async () => {
    const gym = newGym();
    const { id } = await preparedGym(platform, gym);
    const answers = await Promise.all(Array.from({ length: 20 }, () => deploy(id)));
    expect(answers.filter(({ status }) => status !== 202 && status !== 200).map(({ body }) => body)).toEqual(
      [],
    );
    expect((await settled(platform, id)).status).toBe('DEPLOYED');
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('of 20 sessions for one name create one gym', async () => {
    const gyms = Array.from({ length: 20 }, newGym);
    const name = gyms[0]?.basics.name ?? '';
    const sessions = await Promise.all(
      gyms.map((gym, index) =>
        preparedGym(platform, {
          ...gym,
          basics: { ...gym.basics, name: index % 2 ? name : name.toUpperCase() },
        }),
      ),
    );
    const answers = await Promise.all(sessions.map(({ id }) => deploy(id)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(
      answers.filter(({ status, body }) => status === 409 && body.errors[0].path === 'basics.name'),
    ).toHaveLength(19);
    const winner = answers.find(({ status }) => status === 202)?.body.id;
    expect((await settled(platform, winner)).status).toBe('DEPLOYED');
    const late = answers.find(({ status }, index) => status === 409 && sessions[index])?.body;
    expect(late.code).toBe('CONFLICT');
    // The name is no longer reserved: it now belongs to the gym, and the deployment says so.
    const other = sessions.find(({ id }) => id !== winner)?.id ?? '';
    expect((await deploy(other)).status).toBe(202);
    expect(await settled(platform, other)).toMatchObject({
      status: 'FAILED',
      deployment: {
        status: 'UNDONE',
        actions: [{ name: 'gym', status: 'FAILED', error: { code: 'CONFLICT' } }, {}, {}, {}, {}, {}],
      },
    });
    expect(await gymsNamed(name)).toHaveLength(1);
  });

  it('that are refused are undone, say why, and can be corrected and repeated', async () => {
    const gym = newGym();
    const taken = await platform.register();
    const { id } = await preparedGym(platform, { ...gym, admin: { ...gym.admin, email: taken.email } });
    await deploy(id);
    const failed = await settled(platform, id);
    expect(failed.deployment).toMatchObject({
      status: 'UNDONE',
      finishedAt: expect.any(String),
      result: null,
      actions: [
        { name: 'gym', status: 'UNDONE' },
        { name: 'config', status: 'UNDONE' },
        { name: 'location-1', status: 'UNDONE' },
        { name: 'location-2', status: 'UNDONE' },
        {
          name: 'admin',
          status: 'FAILED',
          error: { code: 'CONFLICT', message: expect.stringContaining('email') },
        },
        { name: 'open', status: 'PENDING' },
      ],
    });
    expect(failed).toMatchObject({ status: 'FAILED', gymId: null });
    expect(await gymsNamed(gym.basics.name)).toEqual([]);
    const locations = await platform.sql(
      'gym',
      "select 1 from location where name = 'Main hall' and gym_id not in (select id from gym)",
    );
    expect(locations).toEqual([]);
    // its reservations stay, so that no other session takes the name while it is corrected
    const held = await platform.rest(
      'wizard',
      'GET',
      `/check-availability?resource=gym-slug&value=${gym.basics.slug}`,
    );
    expect(held.body).toMatchObject({ available: false, reason: 'RESERVED' });
    const corrected = await platform.rest('wizard', 'PUT', `/${id}`, {
      token: superAdmin,
      body: { step: 'admin', data: gym.admin },
    });
    expect(corrected.body).toMatchObject({ status: 'READY', deployment: { status: 'UNDONE' } });
    expect((await deploy(id)).status).toBe(202);
    await expectGym(gym, (await settled(platform, id)).deployment.result);
  });

  describe('that cannot be undone', () => {
    /** A gym (by its slug) that is in use as soon as it is created, and whose first admin is refused. */
    const unwithdrawable = async (token = superAdmin) => {
      await platform.sql(
        'gym',
        `create or replace function use_at_once() returns trigger language plpgsql as $$ begin
           insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
           values (gen_random_uuid(), new.id, gen_random_uuid(), 'used', 0, 0, now()); return null; end $$;
         create or replace trigger use_at_once after insert on gym for each row when (new.slug like 'used-%') execute function use_at_once()`,
      );
      const gym = newGym();
      const taken = await platform.register();
      const basics = { ...gym.basics, slug: `used-${gym.basics.slug}` };
      const { id } = await preparedGym(
        platform,
        {
          ...gym,
          basics,
          admin: { ...gym.admin, email: taken.email },
        },
        { token },
      );
      await deploy(id, token);
      return { id, basics, session: await settled(platform, id) };
    };
    const resolve = (id: string, body: object, token = superAdmin) =>
      platform.rest('wizard', 'POST', `/${id}/deployment/resolve`, { token, body });
    const retry = { action: 'RETRY', note: 'The post is gone.' };

    it('undo the rest and wait for a SUPER_ADMIN; nothing of the session changes meanwhile', async () => {
      const { id, basics, session } = await unwithdrawable();
      expect(session).toMatchObject({
        status: 'FAILED',
        gymId: null,
        deployment: {
          status: 'UNDO_FAILED',
          finishedAt: null,
          resolution: null,
          actions: [
            { name: 'gym', status: 'DONE', error: { code: 'CONFLICT' }, undoError: { code: 'CONFLICT' } },
            { name: 'config', status: 'UNDONE' },
            { name: 'location-1', status: 'UNDONE' },
            { name: 'location-2', status: 'UNDONE' },
            { name: 'admin', status: 'FAILED', error: { code: 'CONFLICT' } },
            { name: 'open', status: 'PENDING' },
          ],
        },
      });
      const call = (method: string, path: string, body?: object) =>
        platform.rest('wizard', method, path, { token: superAdmin, ...(body && { body }) });
      for (const answer of [
        await call('PUT', `/${id}`, { step: 'basics', data: { name: 'Other' } }),
        await call('POST', `/${id}/cancel`),
        await call('POST', `/${id}/deploy`),
      ])
        expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
      expect(
        (await call('GET', `/check-availability?resource=gym-slug&value=${basics.slug}`)).body.available,
      ).toBe(false);
      // the gym that is left is visible to nobody
      expect(await gymsNamed(basics.name)).toEqual([]);
      expect((await platform.rest('gym', 'GET', `/gym/config/${basics.slug}`)).status).toBe(404);
      expect((await resolve(id, retry, await platform.demo('admin@iron.test'))).status).toBe(403);
      expect((await resolve(id, { action: 'IGNORE', note: 'x' })).status).toBe(400);
      expect((await resolve(id, { action: 'ACCEPT', note: '\u200b' })).status).toBe(400);

      expect(await resolve(id, retry)).toMatchObject({
        status: 200,
        body: { status: 'DEPLOYING', deployment: { status: 'UNDOING', resolution: retry } },
      });
      expect((await settled(platform, id)).deployment.status).toBe('UNDO_FAILED');
      await platform.sql('gym', `delete from post where gym_id in (select id from gym where slug = $1)`, [
        basics.slug,
      ]);
      expect((await resolve(id, retry)).status).toBe(200);
      const undone = await settled(platform, id);
      expect(undone.deployment).toMatchObject({
        status: 'UNDONE',
        actions: [{ status: 'UNDONE' }, {}, {}, {}, {}, {}],
      });
      expect(undone.expiresAt < '2100').toBe(true);
      expect(await platform.sql('gym', 'select 1 from gym where slug = $1', [basics.slug])).toEqual([]);
      expect((await resolve(id, retry)).status).toBe(409);
      expect((await deploy(id)).status).toBe(202);
      await settled(platform, id);
    });

    if (storage === 'database')
      it('forget the user who deployed and decided when that account is deleted, and can still be undone', async () => {
        const other = await platform.register(null);
        await platform.sql('identity', `update user_account set role = 'SUPER_ADMIN' where id = $1`, [
          other.id,
        ]);
        const token = await platform.login(other.email, other.password);
        const { id, basics } = await unwithdrawable(token);
        await resolve(id, retry, token);
        expect((await settled(platform, id)).deployment).toMatchObject({
          status: 'UNDO_FAILED',
          resolution: { by: other.id },
        });
        const identity = await platform.serviceToken('identity');
        const erased = await platform.rest('wizard', 'DELETE', `/accounts/${other.id}`, { token: identity });
        expect(erased).toMatchObject({ status: 200, body: { outcome: 'ANONYMISED' } });
        const stored = await platform.sql(
          'wizard',
          'select to_jsonb(w)::text as session, to_jsonb(s)::text as saga from wizard_session w join saga s on s.subject = w.id::text where w.id = $1',
          [id],
        );
        expect(stored).toHaveLength(1);
        expect(JSON.stringify(stored)).not.toContain(other.id);
        expect(stored[0].session).not.toContain('First Admin');
        await platform.sql('gym', 'delete from post where gym_id in (select id from gym where slug = $1)', [
          basics.slug,
        ]);
        expect((await resolve(id, retry)).status).toBe(200);
        expect((await settled(platform, id)).deployment.status).toBe('UNDONE');
        expect(await platform.sql('gym', 'select 1 from gym where slug = $1', [basics.slug])).toEqual([]);
      });

    it('end if a SUPER_ADMIN accepts what is left, also by the graph', async () => {
      const { id } = await unwithdrawable();
      const note = 'An operator removes it by hand.';
      const { data, errors } = await platform.graph(
        'wizard',
        `mutation ($input: ResolveDeploymentInput!) { resolveDeployment(input: $input) { status deployment { status resolution { action note by at } } } }`,
        { input: { id, action: 'ACCEPT', note } },
        { token: superAdmin },
      );
      expect(errors).toBeUndefined();
      const { id: by } = (await platform.rest('identity', 'GET', '/users/me', { token: superAdmin })).body;
      expect(data.resolveDeployment).toEqual({
        status: 'FAILED',
        deployment: { status: 'UNDONE', resolution: { action: 'ACCEPT', note, by, at: expect.any(String) } },
      });
      expect(await reservationsOf(id)).toEqual([]);
      expect(await platform.rest('wizard', 'POST', `/${id}/cancel`, { token: superAdmin })).toMatchObject({
        status: 200,
        body: { status: 'CANCELLED' },
      });
    });
  });

  if (storage === 'database')
    it('that an older version has started are finished with its plan', async () => {
      const gym = newGym();
      const { id } = await preparedGym(platform, gym);
      const gymId = uuidv7();
      const planned = (name: string, input: object, after: string[]) => ({
        name,
        action: name,
        service: 'gym',
        input,
        after,
        status: 'PENDING',
        attempts: 0,
        error: null,
        output: null,
        undoAttempts: 0,
        isUndone: false,
        nextAttemptAt: null,
      });
      const { name, slug } = gym.basics;
      const actions = [
        planned('gym', { id: gymId, name, slug }, []),
        planned('config', { gymId, theme: gym.branding.theme, assets: {}, features: {} }, ['gym']),
      ];
      const context = { sessionId: id, actorId: randomUUID(), requestId: '', traceparent: '' };
      await platform.sql('wizard', `update wizard_session set status = 'DEPLOYING' where id = $1`, [id]);
      await platform.sql(
        'wizard',
        `insert into saga (id, kind, subject, status, context, actions, started_at, due_at) values ($1, 'wizard-deployment', $2, 'RUNNING', $3, $4, now(), now())`,
        [uuidv7(), id, JSON.stringify(context), JSON.stringify(actions)],
      );
      expect(await settled(platform, id)).toMatchObject({ status: 'DEPLOYED', gymId });
      expect(await gymsNamed(name)).toEqual([expect.objectContaining({ id: gymId })]);
    });

  it('wait for a service that is down', async () => {
    const gym = newGym();
    const { id } = await preparedGym(platform, gym);
    await platform.running('gym').stop();
    expect((await deploy(id)).status).toBe(202);
    const waiting = await eventually(async () => {
      const { body } = await platform.rest('wizard', 'GET', `/${id}`, { token: superAdmin });
      return body.deployment.actions[0].attempts >= 2 && body;
    });
    expect(waiting).toMatchObject({
      status: 'DEPLOYING',
      deployment: { status: 'RUNNING', actions: [{ status: 'PENDING' }, {}, {}, {}, {}, {}] },
    });
    await platform.restart('gym');
    expect((await settled(platform, id)).status).toBe('DEPLOYED');
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('of an incomplete session are refused, naming the missing fields', async () => {
    const { branding, ...gym } = newGym();
    const { id } = await preparedGym(platform, {
      ...gym,
      locations: { locations: [{ name: '', capacity: 5 }] },
    });
    const { status, body } = await deploy(id);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'WIZARD_INCOMPLETE' });
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'branding.theme',
      'locations.locations.0.name',
    ]);
    await platform.rest('wizard', 'PUT', `/${id}`, {
      token: superAdmin,
      body: { step: 'branding', data: branding },
    });
    const { errors } = await platform.graph(
      'wizard',
      'mutation ($id: ID!) { deployWizardSession(input: { id: $id }) { id } }',
      { id },
      { token: superAdmin },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'WIZARD_INCOMPLETE',
      errors: [{ path: 'locations.locations.0.name' }],
    });
  });

  it('with a stale version are refused', async () => {
    const session = await preparedGym(platform);
    expect((await deploy(session.id, superAdmin, { version: session.version - 1 })).status).toBe(412);
    expect(
      (
        await platform.rest('wizard', 'POST', `/${session.id}/deploy`, {
          token: superAdmin,
          headers: { 'if-match': '"1"' },
        })
      ).status,
    ).toBe(412);
    expect((await deploy(session.id, superAdmin, { version: session.version })).status).toBe(202);
    await settled(platform, session.id);
  });

  it('of a gym are prepared by a GYM_ADMIN and started by a SUPER_ADMIN', async () => {
    const token = await platform.demo('admin@iron.test');
    const { id } = await preparedGym(
      platform,
      { ...newGym(), basics: { ...newGym().basics, inviteAdmin: false } },
      { token },
    );
    expect(await deploy(id, token)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const other of ['admin@aqua.test', 'maya@iron.test'] as const)
      expect((await deploy(id, await platform.demo(other))).status).toBe(404);
    expect((await platform.rest('wizard', 'POST', `/${id}/deploy`)).status).toBe(401);
    expect((await deploy(id)).status).toBe(202);
    const done = await settled(platform, id);
    // the first admin was left out, so the step is skipped
    expect(done.deployment.result.adminId).toBeNull();
    expect(done.steps.find(({ key }: { key: string }) => key === 'admin').status).toBe('SKIPPED');
  });

  describe('of a member', () => {
    const monday = comingMonday();
    const startsAt = `${monday}T18:10:00Z`;
    const onboarded = async (member: { token: string }, location: { id: string }, more: object = {}) => {
      const { body } = await platform.rest('wizard', 'POST', '/', {
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
          await platform.rest('wizard', 'PUT', `/${body.id}`, { token: member.token, body: { step, data } })
        ).body;
      return session as { id: string; status: string };
    };
    const newLocation = async (capacity: number, gymId: string = DEMO_GYMS.ironTemple.id) =>
      (
        await platform.rest('gym', 'POST', '/locations', {
          token: superAdmin,
          body: {
            gymId,
            name: `Room ${randomUUID()}`,
            timezone: 'UTC',
            capacity,
            openingHours: { mon: { opens: '06:00', closes: '22:00' } },
          },
        })
      ).body as { id: string };

    it('write the profile and the goal, and reserve the first visit', async () => {
      const member = await platform.register();
      const location = await newLocation(1);
      const session = await onboarded(member, location);
      expect(session.status).toBe('READY');
      expect((await deploy(session.id, member.token)).status).toBe(202);
      const done = await settled(platform, session.id);
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
      // personal data is in the other services, and no longer in the wizard
      expect(done.steps.map(({ status, data }: { status: string; data: object }) => [status, data])).toEqual([
        ...Array.from({ length: 5 }, () => ['COMPLETE', {}]),
        ['COMPLETE', { confirmed: true }],
      ]);
      const kept = await keptOf(session.id);
      for (const personal of ['New Name', 'strength', 'heightCm', 'calories'])
        expect(kept).not.toContain(personal);
      const me = (await platform.rest('identity', 'GET', '/users/me', { token: member.token })).body;
      expect(me).toMatchObject({
        displayName: 'New Name',
        timezone: 'Asia/Tokyo',
        body: { heightCm: 170, weightKg: 60, sex: null, birthDate: null },
        trainingGoals: { goals: ['strength'], activity: null },
      });
      expect((await platform.rest('nutrition', 'GET', '/goals', { token: member.token })).body).toMatchObject(
        [{ calories: 2_200, protein: 110 }],
      );
      // the member has the only place in that half hour
      const value = encodeURIComponent(`${location.id}@${monday}T18:20:00Z`);
      const slot = (await platform.rest('wizard', 'GET', `/check-availability?resource=slot&value=${value}`))
        .body;
      expect(slot).toMatchObject({ available: false, reason: 'FULL' });
      expect(slot.suggestions[0]).toBe(`${location.id}@${monday}T18:30:00.000Z`);

      const second = await platform.register();
      const late = await onboarded(second, location);
      await deploy(late.id, second.token);
      expect(await settled(platform, late.id)).toMatchObject({
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
      expect((await platform.rest('nutrition', 'GET', '/goals', { token: second.token })).body).toEqual([]);
    });

    it('that are refused restore body and goals', async () => {
      const member = await platform.register();
      const location = await newLocation(5);
      const before = {
        body: { heightCm: 150, sex: 'OTHER' },
        trainingGoals: { goals: ['fun'], activity: 'low' },
      };
      await platform.rest('identity', 'PUT', '/profile', { token: member.token, body: before });
      const { id } = await onboarded(member, location);
      // The last action is refused, as if the account could not store it.
      await platform.sql(
        'identity',
        `create or replace function refuse_strength() returns trigger language plpgsql as $$ begin
           raise exception 'refused' using errcode = '22003'; end $$;
         create or replace trigger refuse_strength before update on user_account for each row
           when (new.training_goals ->> 'goals' like '%strength%' and new.id = '${member.id}') execute function refuse_strength()`,
      );
      await deploy(id, member.token);
      const failed = await settled(platform, id);
      expect(failed.deployment).toMatchObject({
        status: 'UNDONE',
        actions: [{}, {}, {}, {}, {}, { name: 'goals', status: 'FAILED' }],
      });
      expect(
        (await platform.rest('identity', 'GET', '/users/me', { token: member.token })).body,
      ).toMatchObject({
        body: { heightCm: 150, weightKg: null, sex: 'OTHER', birthDate: null },
        trainingGoals: { goals: ['fun'], activity: 'low' },
      });
      expect(failed.steps[1].data).toEqual({ heightCm: 170, weightKg: 60 }); // to be corrected
    });

    it('with a slot of another gym, or outside of opening hours, are refused before anything changes', async () => {
      const member = await platform.register();
      const elsewhere = await onboarded(member, await newLocation(5, DEMO_GYMS.aquaClub.id));
      await deploy(elsewhere.id, member.token);
      expect((await settled(platform, elsewhere.id)).deployment.actions[1].error.code).toBe('FORBIDDEN');
      const closed = await onboarded(member, await newLocation(5), {
        slot: { locationId: (await newLocation(5)).id, startsAt: `${comingMonday(1)}T18:00:00Z` },
      });
      await deploy(closed.id, member.token);
      expect((await settled(platform, closed.id)).deployment.actions[1].error.message).toContain('CLOSED');
      expect(
        (await platform.rest('identity', 'GET', '/users/me', { token: member.token })).body.displayName,
      ).not.toBe('New Name');
    });

    it('skip the steps that the goals exclude', async () => {
      const member = await platform.register();
      const { body } = await platform.rest('wizard', 'POST', '/', {
        token: member.token,
        body: { kind: 'MEMBER_ONBOARDING' },
      });
      const steps: [string, object][] = [
        ['profile', { displayName: 'Short' }],
        ['body', { heightCm: 170, weightKg: 60 }],
        ['goals', { goals: ['fun'], nutritionTarget: false, firstVisit: false }],
        ['review', { confirmed: true }],
      ];
      let session = body;
      for (const [step, data] of steps) {
        expect(session.currentStep).toBe(step); // passes over skipped steps
        session = (
          await platform.rest('wizard', 'PUT', `/${body.id}`, { token: member.token, body: { data } })
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
        (await settled(platform, session.id)).deployment.actions.map(({ name }: { name: string }) => name),
      ).toEqual(['remember', 'profile', 'body', 'goals']);
    });

    it('can be started by the member or a SUPER_ADMIN, and need an account', async () => {
      const member = await platform.register();
      const session = await onboarded(member, await newLocation(5));
      expect((await deploy(session.id, await platform.demo('admin@iron.test'))).status).toBe(404);
      const anonymous = (await platform.rest('wizard', 'POST', '/', { body: { kind: 'MEMBER_ONBOARDING' } }))
        .body;
      const headers = { 'x-resume-token': anonymous.resumeToken as string };
      expect((await platform.rest('wizard', 'POST', `/${anonymous.id}/deploy`, { headers })).status).toBe(
        401,
      );
      expect((await deploy(session.id)).status).toBe(202);
      expect((await settled(platform, session.id)).status).toBe('DEPLOYED');
    });
  });
});
