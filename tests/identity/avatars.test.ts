import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { pictures } from '../support/pictures.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { me } from './support.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity'] });
});
afterAll(() => platform.stop());

/** Every file that the service stores. */
const storedFiles = async (): Promise<string[]> =>
  (
    await readdir(path.join(platform.dataDir, 'files'), { recursive: true, withFileTypes: true }).catch(
      () => [],
    )
  )
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const form = (bytes: Buffer, name: string, type: string, field = 'avatar') => {
  const body = new FormData();
  body.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  return body;
};

interface Answer {
  status: number;
  code?: string | undefined;
  avatar?: string | undefined;
}

/** The upload of a picture through each door. */
const doors = {
  rest: async (token: string, bytes: Buffer, name = 'me.png', type = 'image/png'): Promise<Answer> => {
    const { status, body } = await platform.rest('identity', 'POST', '/profile/upload', {
      token,
      body: form(bytes, name, type),
    });
    return { status, code: body.code, avatar: body.avatar };
  },
  graph: async (token: string, bytes: Buffer, name = 'me.png', type = 'image/png'): Promise<Answer> => {
    const body = new FormData();
    body.append(
      'operations',
      JSON.stringify({
        query: 'mutation ($file: Upload!) { uploadAvatar(file: $file) { avatar } }',
        variables: { file: null },
      }),
    );
    body.append('map', JSON.stringify({ 0: ['variables.file'] }));
    body.append('0', new Blob([new Uint8Array(bytes)], { type }), name);
    const answer = await platform.rest('identity', 'POST', '/graphql', {
      token,
      body,
      headers: { 'Apollo-Require-Preflight': 'true' },
    });
    const extensions = answer.body.errors?.[0]?.extensions;
    return {
      status: extensions?.http?.status ?? answer.status,
      code: extensions?.code,
      avatar: answer.body.data?.uploadAvatar?.avatar,
    };
  },
};

describe.each(Object.entries(doors))('a profile picture by %s', (_door, upload) => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'may be %s, and becomes a square WebP without metadata',
    async (format) => {
      const { token, id } = await platform.register();
      const { status, avatar = '' } = await upload(
        token,
        await pictures.normal(format, 640, 480),
        'photo',
        'application/octet-stream',
      );
      expect(status).toBe(200);
      expect(avatar).toMatch(/^\/avatars\/[0-9a-f-]{36}\.webp$/);
      expect((await platform.rest('identity', 'GET', `/users/${id}`, { token })).body.avatar).toBe(avatar);
      const { body, headers } = await platform.rest('identity', 'GET', avatar);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toContain('immutable');
      const metadata = await sharp(body as Buffer).metadata();
      expect(metadata).toMatchObject({ format: 'webp', width: 512, height: 512 });
      expect(metadata.exif).toBeUndefined();
      expect((body as Buffer).includes('SecretCamera')).toBe(false);
    },
  );

  it('replaces the previous one, whose file is deleted', async () => {
    const { token } = await platform.register();
    const first = await upload(token, await pictures.normal('png'));
    const second = await upload(token, await pictures.normal('png'));
    expect((await platform.rest('identity', 'GET', first.avatar ?? '')).status).toBe(404);
    expect((await platform.rest('identity', 'GET', second.avatar ?? '')).status).toBe(200);
    expect(await storedFiles()).not.toContain(path.basename(first.avatar ?? ''));
  });

  const refused: [string, () => Promise<Buffer> | Buffer, number][] = [
    ['an SVG with a script', () => pictures.svgWithScript, 415],
    ['a text named .png', () => Buffer.from('I am a picture, believe me'), 415],
    [
      'a page that begins like a picture',
      () => Buffer.from('\xff\xd8\xff<html><script>alert(1)</script>', 'latin1'),
      400,
    ],
    [
      'a picture with a page after it',
      async () => Buffer.concat([await pictures.normal('jpeg'), Buffer.from('<script>alert(1)</script>')]),
      400,
    ],
    [
      'a picture with an archive after it',
      async () => Buffer.concat([await pictures.normal('png'), Buffer.from('PK\x03\x04')]),
      400,
    ],
    ['a PNG of 30,000 x 30,000 pixels in a few kB', () => pictures.bomb(30_000, 30_000), 413],
    ['half a picture', async () => (await pictures.normal('jpeg', 400, 400)).subarray(0, 4_000), 400],
    ['11 MiB', () => Buffer.alloc(11 * 1024 * 1024, 0xff), 413],
    ['nothing', () => Buffer.alloc(0), 415],
  ];
  it.each(refused)(
    'is refused if it is %s; no file is left, and memory stays bounded',
    async (_what, make, expected) => {
      const { token } = await platform.register();
      const bytes = await make();
      const files = await storedFiles();
      const before = process.memoryUsage().rss;
      expect((await upload(token, bytes)).status).toBe(expected);
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
      expect(await storedFiles()).toEqual(files);
      expect((await me(platform, token)).body.avatar).toBeNull();
    },
  );

  it('requires a log-in', async () => {
    expect((await upload('', await pictures.normal('png'))).status).toBe(401);
  });
});

describe('the upload route', () => {
  it.each(['../../../etc/cron.d/evil.png', '/etc/passwd', '..\\..\\evil.png', 'C:\\me.png'])(
    'refuses the file name %s',
    async (name) => {
      const { token } = await platform.register();
      // The body is written by hand, because FormData would escape the name.
      const boundary = randomUUID();
      const body = Buffer.concat([
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="${name.replaceAll('\\', '\\\\')}"\r\nContent-Type: image/png\r\n\r\n`,
        ),
        await pictures.normal('png'),
        Buffer.from(`\r\n--${boundary}--\r\n`),
      ]);
      const files = await storedFiles();
      const answer = await platform.rest('identity', 'POST', '/profile/upload', {
        token,
        body,
        headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ path: 'avatar' }] },
      });
      expect(await storedFiles()).toEqual(files);
    },
  );

  it('requires multipart with the file in the field avatar', async () => {
    const { token } = await platform.register();
    const post = (body: unknown) => platform.rest('identity', 'POST', '/profile/upload', { token, body });
    expect((await post(form(await pictures.normal('png'), 'me.png', 'image/png', 'picture'))).status).toBe(
      400,
    );
    expect((await post({ avatar: 'me.png' })).status).toBe(415);
    expect((await post(new FormData())).status).toBe(400);
  });

  it('stores one picture for two requests with one Idempotency-Key', async () => {
    const { token } = await platform.register();
    const picture = await pictures.normal('png');
    const headers = { 'Idempotency-Key': randomUUID() };
    const post = () =>
      platform.rest('identity', 'POST', '/profile/upload', {
        token,
        headers,
        body: form(picture, 'me.png', 'image/png'),
      });
    const files = await storedFiles();
    const [first, second] = [await post(), await post()];
    expect(second.body).toEqual(first.body);
    expect(await storedFiles()).toHaveLength(files.length + 1);
  });
});

describe('a picture', () => {
  it.each([
    '..%2f..%2fsecrets%2fservice-secret',
    '..',
    '%2e%2e%2fx.webp',
    'a.webp',
    `${randomUUID()}.webp`,
    `${randomUUID()}.png`,
    '%00',
  ])('is not found at %s', async (name) => {
    expect((await platform.rest('identity', 'GET', `/avatars/${name}`)).status).toBe(404);
  });

  it.each(['GET', 'HEAD'])('is answered with 304 by %s if the client has it', async (method) => {
    const { token } = await platform.register();
    const { avatar = '' } = await doors.rest(token, await pictures.normal('png'));
    const etag = (await platform.rest('identity', 'GET', avatar)).headers.get('etag') ?? '';
    const ask = (tag: string) =>
      platform.rest('identity', method, avatar, {
        headers: { 'if-none-match': tag, 'cache-control': 'max-age=0' }, // without max-age, fetch would add no-cache
      });
    const known = await ask(`"another", ${etag}`);
    expect(known.status).toBe(304);
    expect(known.headers.get('etag')).toBe(etag);
    expect(known.headers.get('content-length')).toBeNull();
    expect((await ask('"another"')).status).toBe(200);
  });

  it('is deleted with its account', async () => {
    const { token, password } = await platform.register();
    const { avatar = '' } = await doors.rest(token, await pictures.normal('png'));
    await platform.rest('identity', 'DELETE', '/users/me', { token, body: { password } });
    expect((await platform.rest('identity', 'GET', avatar)).status).toBe(404);
    expect(await storedFiles()).not.toContain(path.basename(avatar));
  });

  it('is accepted in ten uploads at once, in bounded memory', async () => {
    const { token } = await platform.register();
    const big = await pictures.normal('jpeg', 2_400, 1_800);
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(Array.from({ length: 10 }, () => doors.rest(token, big)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});

it('a picture is kept if the answer to COMMIT is lost, because the account may refer to it', async () => {
  const { token } = await platform.register();
  const before = (await storedFiles()).length;
  await platform.sql(
    'identity',
    `create function lose_commit() returns trigger language plpgsql as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
     create constraint trigger lose_commit after update on user_account deferrable initially deferred
       for each row execute function lose_commit()`,
  );
  try {
    expect((await doors.rest(token, await pictures.normal('png'))).status).toBe(503);
    expect(await storedFiles()).toHaveLength(before + 1);
  } finally {
    await platform.sql('identity', 'drop function lose_commit cascade');
  }
});
