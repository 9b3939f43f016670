import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { DEFINITIONS } from '../../subgraphs/wizard/definitions/definitions.ts';
import type { WizardDefinition } from '../../subgraphs/wizard/definitions/definition.ts';
import { wizardOf } from '../../subgraphs/wizard/subgraph.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { newGym, preparedGym } from './support.ts';

describe.each(['database', 'memory'])('a session in %s', (storage) => {
  let platform: TestPlatform;
  let superAdmin: string;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'wizard'], env: { WIZARD_STORAGE: storage } });
    superAdmin = await platform.demo('super@demo.test');
  });
  afterAll(() => platform.stop());

  const call = (method: string, path: string, options: Parameters<TestPlatform['rest']>[3] = {}) =>
    platform.rest('wizard', method, path, options);
  const resume = (resumeToken: string) => ({ headers: { 'x-resume-token': resumeToken } });
  const begin = async (token?: string, kind = 'MEMBER_ONBOARDING') =>
    (await call('POST', '/', { ...(token && { token }), body: { kind } })).body as {
      id: string;
      resumeToken: string;
    };

  describe('created without an account', () => {
    it('is claimed by one user, once, and continues with their account', async () => {
      const { id, resumeToken } = await begin();
      await call('PUT', `/${id}`, { ...resume(resumeToken), body: { data: { displayName: 'Nobody yet' } } });
      const users = await Promise.all(Array.from({ length: 4 }, () => platform.register()));
      const answers = await Promise.all(
        users.map(({ token }) => call('POST', `/${id}/claim`, { token, body: { resumeToken } })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
      const winner = users[answers.findIndex(({ status }) => status === 200)];
      expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
        createdBy: winner?.id,
        steps: [{ data: { displayName: 'Nobody yet' } }, {}, {}, {}, {}, {}],
      });
      const token = winner?.token ?? '';
      expect((await call('GET', `/${id}`, { token })).status).toBe(200);
      expect((await call('GET', `/${id}`, resume(resumeToken))).status).toBe(404);
      // A repeated claim succeeds, too.
      expect((await call('POST', `/${id}/claim`, { token, body: { resumeToken } })).status).toBe(200);
      expect((await call('GET', '/', { token })).body.map((session: { id: string }) => session.id)).toEqual([
        id,
      ]);
    });

    it('is claimed through the graph, too, and only with its resume token', async () => {
      const { id, resumeToken } = await begin();
      const { token, id: userId } = await platform.register();
      const mutation =
        'mutation ($input: ClaimWizardSessionInput!) { claimWizardSession(input: $input) { createdBy } }';
      const wrong = await platform.graph(
        'wizard',
        mutation,
        { input: { id, resumeToken: 'x'.repeat(43) } },
        { token },
      );
      expect(wrong.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
      expect(
        (await platform.graph('wizard', mutation, { input: { id, resumeToken } })).errors?.[0]?.extensions
          .code,
      ).toBe('UNAUTHENTICATED');
      expect(
        (await platform.graph('wizard', mutation, { input: { id, resumeToken } }, { token })).data
          .claimWizardSession,
      ).toEqual({ createdBy: userId });
      expect((await call('POST', `/${id}/claim`, { token: superAdmin, body: { resumeToken } })).status).toBe(
        404,
      );
    });
  });

  it('is still listed after it was cancelled by REST or by the graph, and can no longer be changed', async () => {
    const { token } = await platform.register();
    const { id } = await begin(token);
    expect((await call('POST', `/${id}/cancel`, { token, headers: { 'if-match': '"7"' } })).status).toBe(412);
    for (let i = 0; i < 2; i += 1)
      expect(await call('POST', `/${id}/cancel`, { token })).toMatchObject({
        status: 200,
        body: { status: 'CANCELLED', version: 2 },
      });
    expect((await call('PUT', `/${id}`, { token, body: { data: {} } })).status).toBe(409);
    expect((await call('POST', `/${id}/deploy`, { token })).status).toBe(409);
    const second = await begin(token);
    const cancelled = await platform.graph(
      'wizard',
      'mutation ($id: ID!) { cancelWizardSession(input: { id: $id }) { status } }',
      { id: second.id },
      { token },
    );
    expect(cancelled.data.cancelWizardSession.status).toBe('CANCELLED');
    expect((await call('GET', '/?status=CANCELLED', { token })).body).toHaveLength(2);
    expect((await call('POST', `/${id}/cancel`, { token: (await platform.register()).token })).status).toBe(
      404,
    );
  });

  it('refuses data that is nested too deeply', async () => {
    const { token } = await platform.register();
    const { id } = await begin(token);
    for (const levels of [25, 3_000, 100_000]) {
      const body = `{"data":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
      const headers = { 'Content-Type': 'application/json' };
      expect((await call('PUT', `/${id}`, { token, headers, body })).status).toBe(400);
    }
  });

  it('refuses text that a database cannot store, and too much data', async () => {
    const { token } = await platform.register();
    const { id } = await begin(token);
    for (const bad of ['{"data":{"displayName":"a\\u0000b"}}', '{"data":{"displayName":"a\\ud800b"}}'])
      expect(
        (await call('PUT', `/${id}`, { token, headers: { 'Content-Type': 'application/json' }, body: bad }))
          .status,
      ).toBe(400);
    expect(
      (await call('PUT', `/${id}`, { token, body: { data: { displayName: 'a\\u0000b' } } })).status,
    ).toBe(200);
    expect(
      (await call('PUT', `/${id}`, { token, body: { data: { more: 'x'.repeat(300_000) } } })).status,
    ).toBe(413);
  });

  if (storage === 'database') {
    it('that has expired is readable, is listed as EXPIRED, and can only be cancelled', async () => {
      const { token } = await platform.register();
      const [old, fresh] = [await begin(token), await begin(token)];
      await platform.sql(
        'wizard',
        "update wizard_session set expires_at = now() - interval '1 s' where id = $1",
        [old.id],
      );
      expect((await call('GET', `/${old.id}`, { token })).body.status).toBe('EXPIRED');
      const listed = async (status: string) =>
        (await call('GET', `/?status=${status}`, { token })).body.map(({ id }: { id: string }) => id);
      expect([await listed('EXPIRED'), await listed('DRAFT')]).toEqual([[old.id], [fresh.id]]);
      expect((await call('PUT', `/${old.id}`, { token, body: { data: {} } })).status).toBe(409);
      expect((await call('POST', `/${old.id}/deploy`, { token })).status).toBe(409);
      expect((await call('POST', `/${old.id}/cancel`, { token })).body.status).toBe('CANCELLED');
    });

    describe('under the next version of its definition', () => {
      const steps = DEFINITIONS.GYM_SETUP.steps.map((step) =>
        step.key === 'basics' ? { ...step, shape: step.shape.extend({ country: z.string() }) } : step,
      );
      const next = (definition: Partial<WizardDefinition>) =>
        wizardOf({
          definitions: {
            ...DEFINITIONS,
            GYM_SETUP: { ...DEFINITIONS.GYM_SETUP, version: 2, steps, ...definition },
          },
        });
      const ask = async (url: string, method: string, path: string, body?: object) => {
        const headers = { Authorization: `Bearer ${superAdmin}`, 'Content-Type': 'application/json' };
        const response = await fetch(url + path, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as Untyped };
      };

      it('is migrated if the new version has a migration', async () => {
        const session = await preparedGym(platform, newGym());
        const { url } = await platform.replica(
          'wizard',
          next({
            migrations: { 1: (data) => ({ ...data, basics: { ...data.basics, country: 'unknown' } }) },
          }),
        );
        const { body } = await ask(url, 'GET', `/${session.id}`);
        expect(body).toMatchObject({
          definitionVersion: 2,
          status: 'READY',
          version: session.version,
          steps: [{ data: { country: 'unknown' }, status: 'COMPLETE' }, {}, {}, {}, {}, {}],
        });
        const saved = await ask(url, 'PUT', `/${session.id}`, {
          step: 'basics',
          data: { country: null },
          version: session.version,
        });
        expect(saved.body).toMatchObject({
          definitionVersion: 2,
          status: 'DRAFT',
          version: session.version + 1,
        });
        const deployed = await ask(url, 'POST', `/${session.id}/deploy`);
        expect(deployed.body).toMatchObject({
          code: 'WIZARD_INCOMPLETE',
          errors: [{ path: 'basics.country' }],
        });
        // The session is stored with version 2 now, which the service with version 1 does not support.
        expect((await call('GET', `/${session.id}`, { token: superAdmin })).body.code).toBe(
          'WIZARD_VERSION_UNSUPPORTED',
        );
      });

      it('is refused with WIZARD_VERSION_UNSUPPORTED if there is no migration, but is listed and can be cancelled', async () => {
        const session = await preparedGym(platform, newGym());
        const { url } = await platform.replica('wizard', next({}));
        for (const [method, path, body] of [
          ['GET', `/${session.id}`],
          ['PUT', `/${session.id}`, { data: {} }],
          ['POST', `/${session.id}/deploy`],
        ] as const)
          expect(await ask(url, method, path, body)).toMatchObject({
            status: 409,
            body: { code: 'WIZARD_VERSION_UNSUPPORTED' },
          });
        const listed = (await ask(url, 'GET', '/?status=READY')).body.find(
          ({ id }: { id: string }) => id === session.id,
        );
        expect(listed).toMatchObject({
          definitionVersion: 1,
          steps: expect.arrayContaining([expect.objectContaining({ key: 'basics' })]),
        });
        expect((await ask(url, 'POST', `/${session.id}/cancel`)).body).toMatchObject({
          status: 'CANCELLED',
          definitionVersion: 1,
        });
        expect((await ask(url, 'GET', `/${session.id}`)).status).toBe(200);
      });
    });
  }
});
