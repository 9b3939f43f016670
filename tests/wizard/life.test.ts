import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { z } from 'zod';
import { DEFINITIONS } from '../../subgraphs/wizard/definitions/definitions.ts';
import type { WizardDefinition } from '../../subgraphs/wizard/definitions/definition.ts';
import { wizardOf } from '../../subgraphs/wizard/subgraph.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform, type Untyped } from '../support/platform.ts';
import { newGym, preparedGym } from './support.ts';

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\nxref\n0 3\ntrailer<</Root 1 0 R/Size 3>>\nstartxref\n110\n%%EOF\n',
);

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
      expect((await call('POST', `/${id}/claim`, { token, body: { resumeToken } })).status).toBe(200); // a repeated claim has the same answer
      expect((await call('GET', '/', { token })).body.map((session: { id: string }) => session.id)).toEqual([
        id,
      ]);
    });

    it('is claimed through the graph, too, and only with its token', async () => {
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

  it('stays readable after its cancellation through either door, and can no longer be changed', async () => {
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

  describe('with files', () => {
    const upload = (
      id: string,
      fields: Record<string, string>,
      bytes: Buffer,
      options: { token?: string; headers?: Record<string, string> } = {},
    ) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([new Uint8Array(bytes)]), 'My file');
      return call('POST', `/${id}/uploads`, { ...options, body: form });
    };
    const at = (url: string) => new URL(url).pathname;

    it('has pictures encoded again, with their URLs in its data, for callers who may open it', async () => {
      const token = superAdmin;
      const { id } = await begin(token, 'GYM_SETUP');
      const { status, body } = await upload(
        id,
        { step: 'branding', field: 'logo' },
        await pictures.normal('jpeg'),
        { token },
      );
      expect(status).toBe(201);
      expect(body.files).toEqual([
        {
          id: expect.any(String),
          step: 'branding',
          field: 'logo',
          filename: 'My file',
          contentType: 'image/webp',
          bytes: expect.any(Number),
          uploadedAt: expect.any(String),
          url: expect.stringContaining(`/${id}/files/`),
        },
      ]);
      expect(body.steps[1].data.assets.logo).toBe(body.files[0].url);
      const path = at(body.files[0].url);
      const served = await call('GET', path, { token });
      expect(served.status).toBe(200);
      expect(Object.fromEntries(served.headers)).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      });
      const metadata = await sharp(served.body).metadata();
      expect(metadata).toMatchObject({ format: 'webp', width: 64 });
      expect(metadata.exif).toBeUndefined();
      expect((await call('GET', path)).status).toBe(401);
      expect((await call('GET', path, { token: await platform.demo('admin@iron.test') })).status).toBe(404);
      // A second picture replaces the first, which is deleted.
      const second = await upload(
        id,
        { step: 'branding', field: 'assets.logo' },
        await pictures.normal('png'),
        { token },
      );
      expect(second.body.files).toHaveLength(1);
      expect((await call('GET', path, { token })).status).toBe(404);
      await call('POST', `/${id}/cancel`, { token });
      expect((await call('GET', at(second.body.files[0].url), { token })).status).toBe(404);
    });

    it('has documents, served as downloads', async () => {
      const { id, resumeToken } = await begin();
      const { status, body } = await upload(
        id,
        { step: 'body', field: 'document' },
        PDF,
        resume(resumeToken),
      );
      expect(status).toBe(201);
      const served = await call('GET', at(body.files[0].url), resume(resumeToken));
      expect(served.body).toEqual(PDF);
      expect(served.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''My%20file");
      expect(served.headers.get('content-security-policy')).toContain('sandbox');
    });

    it('is deleted with its owner, and so are its reservations', async () => {
      const { token, id: userId } = await platform.register();
      const { id } = await begin(token);
      const { body } = await upload(id, { step: 'body', field: 'document' }, PDF, { token });
      const email = `${randomUUID()}@example.test`;
      const availability = `/check-availability?resource=email&value=${email}`;
      await call('GET', `${availability}&reserve=true&sessionId=${id}`, { token });
      expect((await call('GET', availability)).body.available).toBe(false);
      const identity = await platform.serviceToken('identity');
      const erased = await call('DELETE', `/accounts/${userId}`, { token: identity });
      expect(erased.body.outcome).toBe('DELETED');
      expect((await call('GET', availability)).body.available).toBe(true);
      expect((await call('GET', `/${id}`, { token: superAdmin })).status).toBe(404);
      expect((await call('GET', at(body.files[0].url), { token: superAdmin })).status).toBe(404);
    });

    it('accepts no other files', async () => {
      const token = superAdmin;
      const { id } = await begin(token, 'GYM_SETUP');
      const tries: [Record<string, string>, Buffer, number][] = [
        [{ step: 'branding', field: 'logo' }, PDF, 415],
        [{ step: 'branding', field: 'logo' }, pictures.svgWithScript, 415],
        [{ step: 'branding', field: 'logo' }, pictures.bomb(20_000, 20_000), 413],
        [{ step: 'branding', field: 'banner' }, PDF, 400],
        [{ step: 'features', field: 'document' }, PDF, 400],
        [{ step: 'nothing', field: 'document' }, PDF, 400],
        [{ step: 'branding' }, PDF, 400],
        [{ step: 'basics', field: 'document' }, Buffer.from('%PDF-1.4 and no end'), 400],
        [
          { step: 'basics', field: 'document' },
          Buffer.concat([Buffer.from('%PDF-1.4\n<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>\n'), PDF]),
          400,
        ],
        [{ step: 'basics', field: 'document' }, Buffer.from('#!/bin/sh'), 415],
        [{ step: 'basics', field: 'document' }, Buffer.alloc(0), 415],
      ];
      for (const [fields, bytes, expected] of tries) {
        const { status } = await upload(id, fields, bytes, { token });
        expect([fields, status]).toEqual([fields, expected]);
      }
      expect(
        (await call('POST', `/${id}/uploads`, { token, body: { step: 'basics', field: 'document' } })).status,
      ).toBe(415);
      expect(
        (
          await upload(id, { step: 'basics', field: 'document' }, PDF, {
            token,
            headers: { 'if-match': '"9"' },
          })
        ).status,
      ).toBe(412);
      expect(
        (
          await upload(id, { step: 'basics', field: 'document' }, PDF, {
            token: await platform.demo('admin@iron.test'),
          })
        ).status,
      ).toBe(404);
      expect((await call('GET', `/${id}`, { token })).body).toMatchObject({ version: 1, files: [] });
      expect((await call('GET', `/${id}/files/${randomUUID()}`, { token })).status).toBe(404);
    });

    it('accepts files through the graph, too', async () => {
      const { id } = await begin(superAdmin, 'GYM_SETUP');
      const form = new FormData();
      const query =
        'mutation ($input: UploadWizardFileInput!) { uploadWizardFile(input: $input) { files { field contentType } steps { key data } } }';
      form.append(
        'operations',
        JSON.stringify({ query, variables: { input: { id, step: 'branding', field: 'icon', file: null } } }),
      );
      form.append('map', JSON.stringify({ 0: ['variables.input.file'] }));
      form.append('0', new Blob([new Uint8Array(await pictures.normal('webp'))]), 'icon.webp');
      const { body } = await call('POST', '/graphql', {
        token: superAdmin,
        headers: { 'Apollo-Require-Preflight': 'true' },
        body: form,
      });
      expect(body.data.uploadWizardFile.files).toEqual([{ field: 'icon', contentType: 'image/webp' }]);
    });
  });

  if (storage === 'database') {
    it('expires: it is readable, listed as EXPIRED, and cannot be changed', async () => {
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
        // The stored session still has the old version.
        expect((await call('GET', `/${session.id}`, { token: superAdmin })).body.code).toBe(
          'WIZARD_VERSION_UNSUPPORTED',
        );
      });

      it('is refused with WIZARD_VERSION_UNSUPPORTED without a migration, but is listed and can be cancelled', async () => {
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
