import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { uuidv7 } from '#server/ids.ts';
import { eventually } from '../support/eventually.ts';
import { subscribe } from '../support/subscribe.ts';
import type { Untyped } from '../support/platform.ts';
import { deploymentsIn } from './deployment-support.ts';
import { newGym, preparedGym, SESSION_FIELDS, settled } from './support.ts';

describe.each(['database', 'memory'])('deployments in %s', (storage) => {
  const wizard = deploymentsIn(storage);
  const { deploy, gymsNamed, expectGym } = wizard;

  it('create one gym by REST, with a result for every action; a second request creates no other', async () => {
    const gym = newGym();
    const session = await preparedGym(wizard.platform, gym);
    expect(session).toMatchObject({ status: 'READY', deployment: null });
    const begun = await deploy(session.id);
    expect(begun).toMatchObject({
      status: 202,
      body: { status: 'DEPLOYING', deployment: { status: 'RUNNING', finishedAt: null } },
    });
    const done = await settled(wizard.platform, session.id);
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
      (
        await wizard.platform.rest('wizard', 'PUT', `/${session.id}`, {
          token: wizard.superAdmin,
          body: { data: {} },
        })
      ).status,
    ).toBe(409);
    expect(
      (await wizard.platform.rest('wizard', 'POST', `/${session.id}/cancel`, { token: wizard.superAdmin }))
        .status,
    ).toBe(409);
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('create a gym by the graph, while a subscription reports their progress', async () => {
    // Each of the two servers is tested with one of the two stores.
    const server = storage === 'database' ? 'gateway' : 'wizard';
    const gym = newGym();
    const graph = async (query: string, variables: object) => {
      const { data, errors } = await wizard.platform.graph(server, query, variables, {
        token: wizard.superAdmin,
      });
      expect(errors).toBeUndefined();
      return Object.values(data)[0] as { id: string; status: string; deployment: Untyped };
    };
    const { id } = await graph('mutation { createWizardSession(input: { kind: GYM_SETUP }) { id } }', {});
    for (const [step, data] of Object.entries(gym))
      await graph(
        'mutation ($input: UpdateWizardSessionInput!) { updateWizardSession(input: $input) { status } }',
        { input: { id, step, data } },
      );
    const subscription = subscribe(
      wizard.platform.url(server),
      `subscription ($id: ID!) { wizardDeploymentUpdated(sessionId: $id) { ${SESSION_FIELDS} } }`,
      { id },
      wizard.superAdmin,
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

  it('have the same answer if they are requested again with the same Idempotency-Key', async () => {
    const { id } = await preparedGym(wizard.platform);
    const options = { token: wizard.superAdmin, headers: { 'idempotency-key': randomUUID() } };
    const first = await wizard.platform.rest('wizard', 'POST', `/${id}/deploy`, options);
    expect(first).toMatchObject({ status: 202, body: { deployment: { status: 'RUNNING' } } });
    await settled(wizard.platform, id);
    const again = await wizard.platform.rest('wizard', 'POST', `/${id}/deploy`, options);
    expect(again).toMatchObject({ status: 202, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('requested 20 times at once create one gym', async () => {
    const gym = newGym();
    const { id } = await preparedGym(wizard.platform, gym);
    const answers = await Promise.all(Array.from({ length: 20 }, () => deploy(id)));
    expect(answers.filter(({ status }) => status !== 202 && status !== 200).map(({ body }) => body)).toEqual(
      [],
    );
    expect((await settled(wizard.platform, id)).status).toBe('DEPLOYED');
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('of 20 sessions for one name create one gym', async () => {
    const gyms = Array.from({ length: 20 }, newGym);
    const name = gyms[0]?.basics.name ?? '';
    const sessions = await Promise.all(
      gyms.map((gym, index) =>
        preparedGym(wizard.platform, {
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
    expect((await settled(wizard.platform, winner)).status).toBe('DEPLOYED');
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('CONFLICT');
    // The new gym has the name now, and the name is not reserved: the request is accepted, and its action `gym` fails.
    const other = sessions.find(({ id }) => id !== winner)?.id ?? '';
    expect((await deploy(other)).status).toBe(202);
    expect(await settled(wizard.platform, other)).toMatchObject({
      status: 'FAILED',
      deployment: {
        status: 'UNDONE',
        actions: [{ name: 'gym', status: 'FAILED', error: { code: 'CONFLICT' } }, {}, {}, {}, {}, {}],
      },
    });
    expect(await gymsNamed(name)).toHaveLength(1);
  });

  it('are undone if an action is refused, say why, and can be corrected and repeated', async () => {
    const gym = newGym();
    const taken = await wizard.platform.register();
    const { id } = await preparedGym(wizard.platform, {
      ...gym,
      admin: { ...gym.admin, email: taken.email },
    });
    await deploy(id);
    const failed = await settled(wizard.platform, id);
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
    const locations = await wizard.platform.sql(
      'gym',
      "select 1 from location where name = 'Main hall' and gym_id not in (select id from gym)",
    );
    expect(locations).toEqual([]);
    // The session keeps its reservations, so that no other session gets the name while this one is corrected.
    const held = await wizard.platform.rest(
      'wizard',
      'GET',
      `/check-availability?resource=gym-slug&value=${gym.basics.slug}`,
    );
    expect(held.body).toMatchObject({ available: false, reason: 'RESERVED' });
    const corrected = await wizard.platform.rest('wizard', 'PUT', `/${id}`, {
      token: wizard.superAdmin,
      body: { step: 'admin', data: gym.admin },
    });
    expect(corrected.body).toMatchObject({ status: 'READY', deployment: { status: 'UNDONE' } });
    expect((await deploy(id)).status).toBe(202);
    await expectGym(gym, (await settled(wizard.platform, id)).deployment.result);
  });

  if (storage === 'database')
    it('that an older version of the program has started are finished with their plans', async () => {
      const gym = newGym();
      const { id } = await preparedGym(wizard.platform, gym);
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
      await wizard.platform.sql('wizard', `update wizard_session set status = 'DEPLOYING' where id = $1`, [
        id,
      ]);
      await wizard.platform.sql(
        'wizard',
        `insert into saga (id, kind, subject, status, context, actions, started_at, due_at) values ($1, 'wizard-deployment', $2, 'RUNNING', $3, $4, now(), now())`,
        [uuidv7(), id, JSON.stringify(context), JSON.stringify(actions)],
      );
      expect(await settled(wizard.platform, id)).toMatchObject({ status: 'DEPLOYED', gymId });
      expect(await gymsNamed(name)).toEqual([expect.objectContaining({ id: gymId })]);
    });

  it('wait for a service that is down', async () => {
    const gym = newGym();
    const { id } = await preparedGym(wizard.platform, gym);
    await wizard.platform.running('gym').stop();
    expect((await deploy(id)).status).toBe(202);
    const waiting = await eventually(async () => {
      const { body } = await wizard.platform.rest('wizard', 'GET', `/${id}`, { token: wizard.superAdmin });
      return body.deployment.actions[0].attempts >= 2 && body;
    });
    expect(waiting).toMatchObject({
      status: 'DEPLOYING',
      deployment: { status: 'RUNNING', actions: [{ status: 'PENDING' }, {}, {}, {}, {}, {}] },
    });
    await wizard.platform.restart('gym');
    expect((await settled(wizard.platform, id)).status).toBe('DEPLOYED');
    expect(await gymsNamed(gym.basics.name)).toHaveLength(1);
  });

  it('of incomplete sessions are refused, and the answer names the missing fields', async () => {
    const { branding, ...gym } = newGym();
    const { id } = await preparedGym(wizard.platform, {
      ...gym,
      locations: { locations: [{ name: '', capacity: 5 }] },
    });
    const { status, body } = await deploy(id);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'WIZARD_INCOMPLETE' });
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'branding.theme',
      'locations.locations.0.name',
    ]);
    await wizard.platform.rest('wizard', 'PUT', `/${id}`, {
      token: wizard.superAdmin,
      body: { step: 'branding', data: branding },
    });
    const { errors } = await wizard.platform.graph(
      'wizard',
      'mutation ($id: ID!) { deployWizardSession(input: { id: $id }) { id } }',
      { id },
      { token: wizard.superAdmin },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'WIZARD_INCOMPLETE',
      errors: [{ path: 'locations.locations.0.name' }],
    });
  });

  it('are refused if the request names an earlier version of the session', async () => {
    const session = await preparedGym(wizard.platform);
    expect((await deploy(session.id, wizard.superAdmin, { version: session.version - 1 })).status).toBe(412);
    expect(
      (
        await wizard.platform.rest('wizard', 'POST', `/${session.id}/deploy`, {
          token: wizard.superAdmin,
          headers: { 'if-match': '"1"' },
        })
      ).status,
    ).toBe(412);
    expect((await deploy(session.id, wizard.superAdmin, { version: session.version })).status).toBe(202);
    await settled(wizard.platform, session.id);
  });

  it('of gyms can be prepared by a GYM_ADMIN, and are started by a SUPER_ADMIN only', async () => {
    const token = await wizard.platform.demo('admin@iron.test');
    const { id } = await preparedGym(
      wizard.platform,
      { ...newGym(), basics: { ...newGym().basics, inviteAdmin: false, joinPolicy: 'INVITE' } },
      { token },
    );
    expect(await deploy(id, token)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    for (const other of ['admin@aqua.test', 'maya@iron.test'] as const)
      expect((await deploy(id, await wizard.platform.demo(other))).status).toBe(404);
    expect((await wizard.platform.rest('wizard', 'POST', `/${id}/deploy`)).status).toBe(401);
    expect((await deploy(id)).status).toBe(202);
    const done = await settled(wizard.platform, id);
    // The step `admin` is skipped, because `inviteAdmin` is false.
    expect(done.deployment.result.adminId).toBeNull();
    const { body: gym } = await wizard.platform.rest('gym', 'GET', `/gyms/${done.deployment.result.gymId}`);
    expect(gym.joinPolicy).toBe('INVITE');
    expect(done.steps.find(({ key }: { key: string }) => key === 'admin').status).toBe('SKIPPED');
  });
});
