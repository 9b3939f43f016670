import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import sharp from 'sharp';
import { connectionTo } from '#server/database/connection.ts';
import { withoutPooler } from '#server/database/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { testRun } from '../support/test-run.ts';
import { preparedGym } from './support.ts';

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\nxref\n0 3\ntrailer<</Root 1 0 R/Size 3>>\nstartxref\n110\n%%EOF\n',
);

/** Locks the session until `release`, so that changes wait in the order in which they come. */
async function heldSession(platform: TestPlatform, id: string) {
  const [{ name }] = (await platform.sql('wizard', 'select current_database() as name')) as [
    { name: string },
  ];
  const client = new pg.Client(connectionTo(withoutPooler(testRun.current().server), name));
  await client.connect();
  await client.query('begin');
  await client.query('select 1 from wizard_session where id = $1 for update', [id]);
  return {
    waiting: (count: number) =>
      eventually(async () => {
        const [row] = await platform.sql(
          'wizard',
          `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row.count === count;
      }),
    async release(): Promise<void> {
      await client.query('rollback');
      await client.end();
    },
  };
}

describe.each(['database', 'memory'])('a session with files in %s', (storage) => {
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

  const call = (method: string, path: string, options: Parameters<TestPlatform['rest']>[3] = {}) =>
    platform.rest('wizard', method, path, options);
  const resume = (resumeToken: string) => ({ headers: { 'x-resume-token': resumeToken } });
  const begin = async (token?: string, kind = 'MEMBER_ONBOARDING') =>
    (await call('POST', '/', { ...(token && { token }), body: { kind } })).body as {
      id: string;
      resumeToken: string;
    };
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
    const { status, body } = await upload(id, { step: 'body', field: 'document' }, PDF, resume(resumeToken));
    expect(status).toBe(201);
    const served = await call('GET', at(body.files[0].url), resume(resumeToken));
    expect(served.body).toEqual(PDF);
    expect(served.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''My%20file");
    expect(served.headers.get('content-security-policy')).toContain('sandbox');
  });

  it("is deleted with its owner's account, and so are its files and reservations", async () => {
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

  it.each([
    ['has other letters than ASCII', 'ü 😀.pdf', 'ü 😀.pdf'],
    ['is cut inside a character', `${'a'.repeat(199)}😀.pdf`, `${'a'.repeat(199)}\u{fffd}`],
  ])('keeps a file name that %s, by both doors', async (_what, sent, expected) => {
    const file = new Blob([new Uint8Array(PDF)]);
    const rest = new FormData();
    rest.append('step', 'basics');
    rest.append('field', 'document');
    rest.append('file', file, sent);
    const token = superAdmin;
    const { id } = await begin(token, 'GYM_SETUP');
    const uploaded = await call('POST', `/${id}/uploads`, { token, body: rest });
    const other = await begin(token, 'GYM_SETUP');
    const graph = new FormData();
    const query =
      'mutation ($input: UploadWizardFileInput!) { uploadWizardFile(input: $input) { files { filename url } } }';
    const input = { id: other.id, step: 'basics', field: 'document', file: null };
    graph.append('operations', JSON.stringify({ query, variables: { input } }));
    graph.append('map', JSON.stringify({ 0: ['variables.input.file'] }));
    graph.append('0', file, sent);
    const answer = await call('POST', '/graphql', {
      token,
      headers: { 'Apollo-Require-Preflight': 'true' },
      body: graph,
    });
    for (const { files } of [uploaded.body, answer.body.data.uploadWizardFile]) {
      expect(files).toMatchObject([{ filename: expected }]);
      const { status, headers } = await call('GET', at(files[0].url), { token });
      expect(status).toBe(200);
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename*=UTF-8''${encodeURIComponent(expected)}`,
      );
    }
  });

  it('answers 304 to a request for a file that the client has', async () => {
    const { id, resumeToken } = await begin();
    const { body } = await upload(id, { step: 'body', field: 'document' }, PDF, resume(resumeToken));
    const get = (headers: Record<string, string>) =>
      call('GET', at(body.files[0].url), {
        headers: { 'x-resume-token': resumeToken, 'cache-control': 'max-age=0', ...headers }, // without max-age, fetch would add no-cache
      });
    const etag = (await get({})).headers.get('etag') ?? '';
    const known = await get({ 'if-none-match': etag });
    expect(known.status).toBe(304);
    expect(known.headers.get('etag')).toBe(etag);
    expect(known.headers.get('cache-control')).toBe('private, no-store');
    expect(known.headers.get('content-type')).toBeNull();
    expect((await get({ 'if-none-match': '"another"' })).body).toEqual(PDF);
  });

  if (storage === 'database')
    it('keeps no file after its cancellation, also none that was uploaded at the same time', async () => {
      const token = await platform.demo('super@demo.test');
      const { id } = await preparedGym(platform);
      const form = new FormData();
      form.append('step', 'branding');
      form.append('field', 'logo');
      form.append(
        'file',
        new Blob([new Uint8Array(await pictures.normal('png'))], { type: 'image/png' }),
        'a.png',
      );
      const held = await heldSession(platform, id);
      const uploading = platform.rest('wizard', 'POST', `/${id}/uploads`, { token, body: form });
      await held.waiting(1);
      const cancel = platform.rest('wizard', 'POST', `/${id}/cancel`, { token, body: {} });
      await held.waiting(2);
      await held.release();
      expect([(await uploading).status, (await cancel).status]).toEqual([201, 200]);
      expect((await cancel).body).toMatchObject({ status: 'CANCELLED', files: [] });
      const stored = await readdir(platform.dataDir, { recursive: true });
      expect(stored.filter((file) => file.includes(`${id}/`))).toEqual([]);
    });
});
