import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type GraphAnswer, type GraphPage, type TestPlatform } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';

let platform: TestPlatform;
let maya: string;
let leo: string;
let zoe: string;
let staff: string;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  [maya, leo, zoe, staff] = (await Promise.all(
    (['maya@iron.test', 'leo@iron.test', 'zoe@aqua.test', 'admin@iron.test'] as const).map((email) =>
      platform.demo(email),
    ),
  )) as [string, string, string, string];
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });
const write = async (token = maya, text = `Post ${randomUUID()}`) =>
  (await call('POST', '/posts', token, { text })).body;

describe('posts', () => {
  it('are written and read by the users of one gym', async () => {
    const post = await write();
    expect(post).toMatchObject({
      gymId: DEMO_GYMS.ironTemple.id,
      likeCount: 0,
      commentCount: 0,
      likedByMe: false,
      image: null,
    });
    expect((await call('GET', '/posts?limit=1', leo)).body).toEqual([post]);
    expect((await call('GET', '/posts', zoe)).body).toEqual([]);
    expect((await call('GET', `/posts/${post.id}`, zoe)).status).toBe(404);
    expect((await call('GET', `/posts?gymId=${DEMO_GYMS.ironTemple.id}`, zoe)).status).toBe(403);
    expect((await platform.rest('gym', 'GET', '/posts')).status).toBe(401);
    const { data } = await platform.graph(
      'gym',
      'query ($id: ID!) { post(id: $id) { text author { id } } }',
      { id: post.id },
      { token: zoe },
    );
    expect(data).toEqual({ post: null });
    expect(
      (
        await platform.graph(
          'gym',
          'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Post { text } } }',
          { r: [{ __typename: 'Post', id: post.id }] },
          { token: zoe },
        )
      ).data._entities,
    ).toEqual([null]);
  });

  it.each([{}, { text: '' }, { text: '   ' }, { text: 'x'.repeat(5_001) }, { text: 7 }])(
    'need a text: %j',
    async (body) => {
      expect(await call('POST', '/posts', maya, body)).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'text' }] },
      });
    },
  );

  it('are liked once by each member, however often they try', async () => {
    const { id } = await write();
    await Promise.all([
      ...Array.from({ length: 10 }, () => call('PUT', `/posts/${id}/like`, maya)),
      ...Array.from({ length: 10 }, () => call('PUT', `/posts/${id}/like`, leo)),
    ]);
    expect((await call('GET', `/posts/${id}`, maya)).body).toMatchObject({ likeCount: 2, likedByMe: true });
    await Promise.all(Array.from({ length: 10 }, () => call('DELETE', `/posts/${id}/like`, leo)));
    expect((await call('GET', `/posts/${id}`, leo)).body).toMatchObject({ likeCount: 1, likedByMe: false });
    expect((await call('PUT', `/posts/${id}/like`, zoe)).status).toBe(404);
  });

  it('count simultaneous comments correctly, and page them in the graph in the order of REST', async () => {
    const { id } = await write();
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        call('POST', `/posts/${id}/comments`, leo, { text: `Comment ${i}` }),
      ),
    );
    expect((await call('GET', `/posts/${id}`, maya)).body.commentCount).toBe(12);
    const query =
      'query ($id: ID!, $after: String) { post(id: $id) { comments(first: 5, after: $after) { nodes { id author { id } } pageInfo { hasNextPage endCursor } } } }';
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: GraphAnswer<{ post: { comments: GraphPage<{ id: string }> } }> = await platform.graph(
        'gym',
        query,
        { id, after },
        { token: maya },
      );
      const { nodes, pageInfo } = page.data.post.comments;
      seen.push(...nodes.map((comment) => comment.id));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    expect(seen).toEqual(
      (await call('GET', `/posts/${id}/comments`, maya)).body.map((comment: { id: string }) => comment.id),
    );
    expect((await call('POST', `/posts/${id}/comments`, zoe, { text: 'Hi' })).status).toBe(404);
  });

  it('are deleted by their author or by staff, with their comments and likes', async () => {
    const { id } = await write();
    await call('PUT', `/posts/${id}/like`, leo);
    await call('POST', `/posts/${id}/comments`, leo, { text: 'Nice' });
    expect((await call('DELETE', `/posts/${id}`, leo)).status).toBe(403);
    expect((await call('DELETE', `/posts/${id}`, zoe)).status).toBe(404);
    expect((await call('DELETE', `/posts/${id}`, maya)).status).toBe(204);
    expect((await call('GET', `/posts/${id}`, maya)).status).toBe(404);
    for (const table of ['post_like', 'post_comment'])
      expect(await platform.sql('gym', `select 1 from ${table} where post_id = $1`, [id])).toEqual([]);
    expect((await call('DELETE', `/posts/${(await write()).id}`, staff)).status).toBe(204);
  });

  it('are reported to staff, once by each member', async () => {
    const { id } = await write();
    expect((await call('POST', `/posts/${id}/report`, leo, { reason: 'Rude' })).status).toBe(201);
    await call('POST', `/posts/${id}/report`, leo, { reason: 'Very rude' });
    expect((await call('GET', '/posts/reports', leo)).status).toBe(403);
    expect(
      (await call('GET', '/posts/reports', staff)).body.filter(
        ({ postId }: { postId: string }) => postId === id,
      ),
    ).toMatchObject([{ reason: 'Very rude' }]);
    expect((await call('GET', '/posts/reports', await platform.demo('admin@aqua.test'))).body).toEqual([]);
  });

  it('refuse a NUL character, which PostgreSQL cannot store, by REST and in the graph, as a configuration does', async () => {
    const token = maya;
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED' } };
    expect(await platform.rest('gym', 'POST', '/posts', { token, body: { text: 'a\u0000b' } })).toMatchObject(
      refused,
    );
    expect(
      await platform.rest('gym', 'PUT', '/gym/config', {
        token: await platform.demo('super@demo.test'),
        body: { gymId: 'iron-temple', theme: { colors: { primary: '#112233' }, note: 'a\u0000\ud800' } },
      }),
    ).toMatchObject(refused);
    const inGraph = await platform.graph(
      'gym',
      'mutation { createPost(input: { text: "a\\u0000b" }) { id } }',
      {},
      { token },
    );
    expect(inGraph.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
  });

  it('may have a picture, which is encoded again, by REST and by the graph', async () => {
    const bytes = await sharp({ create: { width: 2_000, height: 1_000, channels: 3, background: '#b91c1c' } })
      .jpeg()
      .toBuffer();
    const form = new FormData();
    form.append('text', 'With a picture');
    form.append('image', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photo.jpg');
    const { status, body } = await platform.rest('gym', 'POST', '/posts', { token: maya, body: form });
    expect(status).toBe(201);
    expect(body.image).toMatch(/^\/media\/[0-9a-f-]{36}\.webp$/);
    const picture = await platform.rest('gym', 'GET', body.image);
    expect(picture.headers.get('cache-control')).toContain('immutable');
    expect(await sharp(picture.body).metadata()).toMatchObject({ format: 'webp', width: 1_600, height: 800 });
    const operation = new FormData();
    operation.append(
      'operations',
      JSON.stringify({
        query:
          'mutation ($image: Upload!) { createPost(input: { text: "By graph", image: $image }) { image } }',
        variables: { image: null },
      }),
    );
    operation.append('map', '{"0": ["variables.image"]}');
    operation.append('0', new Blob([new Uint8Array(bytes)]), 'photo.jpg');
    const graph = await platform.rest('gym', 'POST', '/graphql', {
      token: maya,
      body: operation,
      headers: { 'apollo-require-preflight': 'true' },
    });
    expect(graph.body.data.createPost.image).toMatch(/^\/media\//);
    await call('DELETE', `/posts/${body.id}`, maya);
    expect((await platform.rest('gym', 'GET', body.image)).status).toBe(404);
  });

  it('refuse a file that is no picture and store nothing of it', async () => {
    const folder = path.join(platform.dataDir, 'files', 'gym');
    const before = (await readdir(folder).catch(() => [])).length;
    for (const [name, content] of [
      ['x.png', 'just text'],
      ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ] as const) {
      const form = new FormData();
      form.append('text', 'No picture');
      form.append('image', new Blob([content], { type: 'image/png' }), name);
      expect((await platform.rest('gym', 'POST', '/posts', { token: maya, body: form })).status).toBe(415);
    }
    expect((await readdir(folder).catch(() => [])).length).toBe(before);
    for (const file of ['..%2f..%2fsecrets', 'x.webp', '%00.webp'])
      expect((await platform.rest('gym', 'GET', `/media/${file}`)).status).toBe(404);
  });
});

describe('the picture of a post', () => {
  it('is kept if the answer to COMMIT is lost, because the post may be stored', async () => {
    const folder = path.join(platform.dataDir, 'files', 'gym');
    const stored = async () => (await readdir(folder, { recursive: true }).catch(() => [])).length;
    const before = await stored();
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#123' } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.append('text', `Lost ${randomUUID()}`);
    form.append('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'x.png');
    await platform.sql(
      'gym',
      `create function lose_commit() returns trigger language plpgsql as
         $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
       create constraint trigger lose_commit after insert on post deferrable initially deferred
         for each row execute function lose_commit()`,
    );
    try {
      const { status } = await platform.rest('gym', 'POST', '/posts', { token: maya, body: form });
      expect(status).toBe(503);
      expect(await stored()).toBeGreaterThan(before);
    } finally {
      await platform.sql('gym', 'drop function lose_commit cascade');
    }
  });
});

describe('a page of posts', () => {
  it('costs the same number of statements for 5 posts and for 50', async () => {
    const author = await platform.register();
    const ids: string[] = [];
    for (let i = 0; i < 50; i += 1) ids.push((await write(i % 2 ? maya : author.token)).id);
    await Promise.all(
      ids.slice(0, 20).map((id) => call('POST', `/posts/${id}/comments`, leo, { text: 'Yes!' })),
    );
    await Promise.all(ids.slice(10, 40).map((id) => call('PUT', `/posts/${id}/like`, leo)));
    const query =
      'query ($first: Int!) { posts(first: $first) { nodes { text likeCount likedByMe author { id } likes(first: 3) { id } comments(first: 2) { nodes { text author { id } } } } } }';
    const statements = async (first: number) => {
      const sent = await selectsDuring(async () => {
        const { data } = await platform.graph('gym', query, { first }, { token: leo });
        expect(data.posts.nodes).toHaveLength(first);
      });
      // Leaves out the statements of the service's background work.
      return sent.filter((statement) => /\bpost/.test(statement)).length;
    };
    const five = await statements(5);
    expect(await statements(50)).toBe(five);
    expect(five).toBeGreaterThan(1);
    expect(five).toBeLessThanOrEqual(5);
  });
});

describe('announcements', () => {
  it('are created by staff and read by the users of the gym while they are current', async () => {
    const title = `News ${randomUUID()}`;
    expect((await call('POST', '/announcements', maya, { title, text: 'x' })).status).toBe(403);
    const { status, body } = await call('POST', '/announcements', staff, { title, text: 'We open at six.' });
    expect(status).toBe(201);
    await call('POST', '/announcements', staff, {
      title: `${title} old`,
      text: 'x',
      startsAt: '2020-01-01T00:00:00Z',
      endsAt: '2020-02-01T00:00:00Z',
    });
    await call('POST', '/announcements', staff, {
      title: `${title} later`,
      text: 'x',
      startsAt: '2100-01-01T00:00:00Z',
    });
    const titles = (await call('GET', '/announcements', maya)).body.map(
      (each: { title: string }) => each.title,
    );
    expect(titles.filter((each: string) => each.startsWith(title))).toEqual([title]);
    expect(
      (await platform.graph('gym', '{ announcements { title author { id } } }', {}, { token: leo })).data
        .announcements[0],
    ).toMatchObject({ title });
    expect((await call('GET', '/announcements', zoe)).body).toEqual([]);
    expect((await call('DELETE', `/announcements/${body.id}`, maya)).status).toBe(403);
    expect((await call('DELETE', `/announcements/${body.id}`, staff)).status).toBe(204);
    expect(
      (
        await call('POST', '/announcements', staff, {
          title,
          text: 'x',
          startsAt: '2026-02-01T00:00:00Z',
          endsAt: '2026-01-01T00:00:00Z',
        })
      ).status,
    ).toBe(400);
  });
});
