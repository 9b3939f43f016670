import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { RunningSubgraph } from '#server/start-subgraph.ts';
import { filesPlaceOf } from '#server/files/files-url.ts';
import { openFileStorage } from '#server/files/open-file-storage.ts';
import { createLogger } from '#server/observability/logger.ts';
import { streamOf } from '#server/streams.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { startS3, type OwnS3 } from '../support/s3.ts';

let s3: OwnS3;
let platform: TestPlatform;
let replica: RunningSubgraph;
let picture: Buffer;
beforeAll(async () => {
  s3 = await startS3();
  platform = await startPlatform({ services: SERVICE_NAMES, env: { FILES_URL: s3.filesUrl } });
  replica = await platform.replica('identity');
  picture = await pictures.normal('png', 700, 700);
});
afterEach(() => s3.fail('none'));
afterAll(async () => {
  await platform.stop();
  await s3.stop();
});

const upload = (token: string) => {
  const body = new FormData();
  body.append('avatar', new Blob([new Uint8Array(picture)]), 'me.png');
  return platform.rest('identity', 'POST', '/profile/upload', { token, body });
};
const stored = async (service: string): Promise<string[]> => {
  const storage = await openFileStorage(
    { filesUrl: filesPlaceOf(s3.filesUrl), dataDir: '' },
    service,
    createLogger('files', 'silent'),
  );
  const files: { key: string }[] = await streamOf(storage.files(), [], { objectMode: true }).toArray();
  storage.close();
  return files.map(({ key }) => key);
};

it('a picture is in the bucket, and the same at every replica; a replaced one is gone at every replica', async () => {
  const { token } = await platform.register();
  const { body } = await upload(token);
  const here = await platform.rest('identity', 'GET', body.avatar);
  const there = await fetch(replica.url + body.avatar);
  expect(there.status).toBe(200);
  expect(there.headers.get('content-type')).toBe('image/webp');
  expect(there.headers.get('etag')).toBe(here.headers.get('etag'));
  expect(Buffer.from(await there.arrayBuffer()).equals(here.body as Buffer)).toBe(true);
  expect(await stored('identity')).toContain(body.avatar.slice(1));
  await upload(token); // replaces the first one
  expect((await fetch(replica.url + body.avatar)).status).toBe(404);
});

it.each(['refuse', 'hang'] as const)(
  'if the store has the fault "%s", callers get 503, and nothing changes',
  async (fault) => {
    const { token } = await platform.register();
    const { avatar } = (await upload(token)).body;
    s3.fail(fault);
    const answers = await Promise.all([upload(token), platform.rest('identity', 'GET', avatar)]);
    for (const { status, headers, body } of answers) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
      expect(headers.get('retry-after')).toBe('2');
    }
    expect((await platform.rest('identity', 'GET', '/users/me', { token })).body.avatar).toBe(avatar);
    s3.fail('none');
    expect((await platform.rest('identity', 'GET', avatar)).status).toBe(200);
    expect((await upload(token)).status).toBe(200);
  },
);

it('an export is in the bucket, can be read at every replica, and only by its user', async () => {
  const { token } = await platform.register();
  const { token: other } = await platform.register();
  const { body } = await platform.rest('identity', 'POST', '/users/me/exports', { token });
  const { document } = await eventually(async () => {
    const state = await platform.rest('identity', 'GET', `/users/me/exports/${body.id}`, { token });
    return state.body.document !== null && state.body;
  });
  const answer = await fetch(replica.url + document, { headers: { Authorization: `Bearer ${token}` } });
  const { services } = (await answer.json()) as { services: object };
  expect(Object.keys(services).toSorted()).toEqual(SERVICE_NAMES.toSorted());
  expect((await platform.rest('identity', 'GET', document, { token: other })).status).toBe(404);
  expect((await stored('identity')).filter((key) => key.includes(body.id))).toHaveLength(
    SERVICE_NAMES.length,
  );
});

it('an account is deleted while the store is down, and its files are deleted as soon as the store answers', async () => {
  const { token, password } = await platform.register();
  const { avatar } = (await upload(token)).body;
  const post = new FormData();
  post.append('text', 'Look');
  post.append('image', new Blob([new Uint8Array(picture)]), 'post.png');
  const { body } = await platform.rest('gym', 'POST', '/posts', { token, body: post });
  const image = body.image.slice('/media/'.length);
  expect(await stored('gym')).toContain(image);
  s3.fail('refuse');
  const deleted = await platform.rest('identity', 'DELETE', '/users/me', { token, body: { password } });
  expect(deleted.status).toBe(204);
  s3.fail('none');
  const receipt = await eventually(async () => {
    const { body: state } = await platform.rest('identity', 'GET', deleted.headers.get('location') ?? '');
    return state.finishedAt !== null && state;
  });
  expect(receipt.parts).toHaveLength(SERVICE_NAMES.length);
  expect(await stored('gym')).not.toContain(image);
  expect(await stored('identity')).not.toContain(avatar.slice(1));
});
