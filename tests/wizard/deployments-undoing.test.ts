import { describe, expect, it } from '@jest/globals';
import { deploymentsIn } from './deployment-support.ts';
import { newGym, preparedGym, settled } from './support.ts';

describe.each(['database', 'memory'])('deployments in %s that cannot be undone', (storage) => {
  const wizard = deploymentsIn(storage);
  const { deploy, gymsNamed, storedTextOf } = wizard;

  /** Deploys a gym whose admin is refused, and which cannot be withdrawn: a trigger makes it a gym in use at once. */
  const deployedInUse = async (token = wizard.superAdmin) => {
    await wizard.platform.sql(
      'gym',
      `create or replace function use_at_once() returns trigger language plpgsql as $$ begin
         insert into post (id, gym_id, author_id, text, like_count, comment_count, created_at)
         values (gen_random_uuid(), new.id, gen_random_uuid(), 'used', 0, 0, now()); return null; end $$;
       create or replace trigger use_at_once after insert on gym for each row when (new.slug like 'used-%') execute function use_at_once()`,
    );
    const gym = newGym();
    const taken = await wizard.platform.register();
    const basics = { ...gym.basics, slug: `used-${gym.basics.slug}` };
    const { id } = await preparedGym(
      wizard.platform,
      {
        ...gym,
        basics,
        admin: { ...gym.admin, email: taken.email },
      },
      { token },
    );
    await deploy(id, token);
    return { id, basics, session: await settled(wizard.platform, id) };
  };
  const resolve = (id: string, body: object, token = wizard.superAdmin) =>
    wizard.platform.rest('wizard', 'POST', `/${id}/deployment/resolve`, { token, body });
  const retry = { action: 'RETRY', note: 'The post is gone.' };

  it('undo the other actions and wait for the decision of a SUPER_ADMIN; until then the wizard session cannot be changed', async () => {
    const { id, basics, session } = await deployedInUse();
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
      wizard.platform.rest('wizard', method, path, { token: wizard.superAdmin, ...(body && { body }) });
    for (const answer of [
      await call('PUT', `/${id}`, { step: 'basics', data: { name: 'Other' } }),
      await call('POST', `/${id}/cancel`),
      await call('POST', `/${id}/deploy`),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(
      (await call('GET', `/check-availability?resource=gym-slug&value=${basics.slug}`)).body.available,
    ).toBe(false);
    // The gym still exists, but is visible to nobody.
    expect(await gymsNamed(basics.name)).toEqual([]);
    expect((await wizard.platform.rest('gym', 'GET', `/gym/config/${basics.slug}`)).status).toBe(404);
    expect((await resolve(id, retry, await wizard.platform.demo('admin@iron.test'))).status).toBe(403);
    expect((await resolve(id, { action: 'IGNORE', note: 'x' })).status).toBe(400);
    expect((await resolve(id, { action: 'ACCEPT', note: '\u200b' })).status).toBe(400);

    expect(await resolve(id, retry)).toMatchObject({
      status: 200,
      body: { status: 'DEPLOYING', deployment: { status: 'UNDOING', resolution: retry } },
    });
    expect((await settled(wizard.platform, id)).deployment.status).toBe('UNDO_FAILED');
    await wizard.platform.sql(
      'gym',
      `delete from post where gym_id in (select id from gym where slug = $1)`,
      [basics.slug],
    );
    expect((await resolve(id, retry)).status).toBe(200);
    const undone = await settled(wizard.platform, id);
    expect(undone.deployment).toMatchObject({
      status: 'UNDONE',
      actions: [{ status: 'UNDONE' }, {}, {}, {}, {}, {}],
    });
    expect(undone.expiresAt < '2100').toBe(true);
    expect(await wizard.platform.sql('gym', 'select 1 from gym where slug = $1', [basics.slug])).toEqual([]);
    expect((await resolve(id, retry)).status).toBe(409);
    expect((await deploy(id)).status).toBe(202);
    await settled(wizard.platform, id);
  });

  if (storage === 'database')
    it('forget the user who started and resolved them if the account is deleted, and can still be undone', async () => {
      const other = await wizard.platform.register(null);
      await wizard.platform.sql('identity', `update user_account set role = 'SUPER_ADMIN' where id = $1`, [
        other.id,
      ]);
      const token = await wizard.platform.login(other.email, other.password);
      const { id, basics } = await deployedInUse(token);
      await resolve(id, retry, token);
      expect((await settled(wizard.platform, id)).deployment).toMatchObject({
        status: 'UNDO_FAILED',
        resolution: { by: other.id },
      });
      const identity = await wizard.platform.serviceToken('identity');
      const erased = await wizard.platform.rest('wizard', 'DELETE', `/accounts/${other.id}`, {
        token: identity,
      });
      expect(erased).toMatchObject({ status: 200, body: { outcome: 'ANONYMISED' } });
      const stored = await wizard.platform.sql(
        'wizard',
        'select to_jsonb(w)::text as session, to_jsonb(s)::text as saga from wizard_session w join saga s on s.subject = w.id::text where w.id = $1',
        [id],
      );
      expect(stored).toHaveLength(1);
      expect(JSON.stringify(stored)).not.toContain(other.id);
      expect(stored[0].session).not.toContain('First Admin');
      await wizard.platform.sql(
        'gym',
        'delete from post where gym_id in (select id from gym where slug = $1)',
        [basics.slug],
      );
      expect((await resolve(id, retry)).status).toBe(200);
      expect((await settled(wizard.platform, id)).deployment.status).toBe('UNDONE');
      expect(await wizard.platform.sql('gym', 'select 1 from gym where slug = $1', [basics.slug])).toEqual(
        [],
      );
    });

  if (storage === 'database')
    it('keep the id of the first admin if that account is deleted, and nothing else of them, until a SUPER_ADMIN decides', async () => {
      const { id } = await deployedInUse();
      const { id: adminId, email } = await wizard.platform.register();
      // The deployment is stored in this way if the first admin accepts the invitation before it can be withdrawn.
      const undoGivenUp = {
        status: 'DONE',
        isUndoGivenUp: true,
        input: { id: adminId, email, displayName: 'First Admin' },
        output: { adminId },
      };
      await wizard.platform.sql(
        'wizard',
        `update saga set actions = (
           select jsonb_agg(case when action ->> 'name' = 'admin' then action || $2::jsonb else action end order by position)
           from jsonb_array_elements(actions) with ordinality as each(action, position)) where subject = $1`,
        [id, JSON.stringify(undoGivenUp)],
      );
      expect(await storedTextOf(id)).toContain(email);
      const identity = await wizard.platform.serviceToken('identity');
      const erased = await wizard.platform.rest('wizard', 'DELETE', `/accounts/${adminId}`, {
        token: identity,
      });
      expect(erased).toMatchObject({
        status: 200,
        body: { outcome: 'RETAINED', reason: expect.stringContaining('keeps the id of the account') },
      });
      expect(await storedTextOf(id)).toContain(adminId);
      expect(await storedTextOf(id)).not.toContain('First Admin');
      expect(await storedTextOf(id)).not.toContain(email);
      await resolve(id, { action: 'ACCEPT', note: 'An operator removes it by hand.' });
      await settled(wizard.platform, id);
      expect(await storedTextOf(id)).not.toContain(adminId);
    });

  it('end if a SUPER_ADMIN accepts what could not be undone, here by the mutation of the graph, and no longer reserve names', async () => {
    const { id, basics } = await deployedInUse();
    // Once the gym no longer exists, only the session's own reservation can make the slug unavailable.
    const ofSlug = [basics.slug];
    await wizard.platform.sql(
      'gym',
      'delete from post where gym_id in (select id from gym where slug = $1)',
      ofSlug,
    );
    await wizard.platform.sql('gym', 'delete from gym where slug = $1', ofSlug);
    const path = `/check-availability?resource=gym-slug&value=${basics.slug}`;
    const availability = async () => (await wizard.platform.rest('wizard', 'GET', path)).body;
    expect(await availability()).toMatchObject({ available: false, reason: 'RESERVED' });
    const note = 'An operator has removed it by hand.';
    const { data, errors } = await wizard.platform.graph(
      'wizard',
      `mutation ($input: ResolveDeploymentInput!) { resolveDeployment(input: $input) { status deployment { status resolution { action note by at } } } }`,
      { input: { id, action: 'ACCEPT', note } },
      { token: wizard.superAdmin },
    );
    expect(errors).toBeUndefined();
    const { id: by } = (
      await wizard.platform.rest('identity', 'GET', '/users/me', { token: wizard.superAdmin })
    ).body;
    expect(data.resolveDeployment).toEqual({
      status: 'FAILED',
      deployment: { status: 'UNDONE', resolution: { action: 'ACCEPT', note, by, at: expect.any(String) } },
    });
    expect(await availability()).toMatchObject({ available: true });
    expect(
      await wizard.platform.rest('wizard', 'POST', `/${id}/cancel`, { token: wizard.superAdmin }),
    ).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED' },
    });
  });
});
