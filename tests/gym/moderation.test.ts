import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { selectsDuring } from '../support/statements.ts';
import { brokenRows } from './relations.ts';

let platform: TestPlatform;
let staff: string;
let [maya, leo, zoe]: [string, string, string] = ['', '', ''];
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym'] });
  [staff, maya, leo, zoe] = (await Promise.all(
    (['admin@iron.test', 'maya@iron.test', 'leo@iron.test', 'zoe@aqua.test'] as const).map((email) =>
      platform.demo(email),
    ),
  )) as [string, string, string, string];
});
afterAll(() => platform.stop());

const call = (method: string, at: string, token: string, body?: object) =>
  platform.rest('gym', method, at, { token, ...(body && { body }) });
const status = async (method: string, at: string, token: string, body?: object) =>
  (await call(method, at, token, body)).status;
const newPost = async () => (await call('POST', '/posts', maya, { text: 'Hello' })).body.id as string;
const newComment = async (postId: string, token = leo) =>
  (await call('POST', `/posts/${postId}/comments`, token, { text: 'Rude words' })).body.id as string;
const auditOf = async (key: string, id: string) =>
  (
    await platform.sql<{ action: string }>(
      'gym',
      'select action from audit_event where details ->> $1 = $2 order by id',
      [key, id],
    )
  ).map(({ action }) => action);

describe('a comment', () => {
  it('is deleted once, by its author or by staff, and is no longer counted', async () => {
    const postId = await newPost();
    const [own, rude] = [await newComment(postId), await newComment(postId)];
    const at = (id: string) => `/posts/${postId}/comments/${id}`;
    expect(await status('DELETE', at(own), maya)).toBe(403);
    expect(await status('DELETE', at(own), zoe)).toBe(404);
    expect(await status('DELETE', `/posts/${await newPost()}/comments/${own}`, leo)).toBe(404);
    const answers = await Promise.all(Array.from({ length: 5 }, () => status('DELETE', at(own), leo)));
    expect(answers.toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404]);
    const { data } = await platform.graph(
      'gym',
      'mutation ($input: DeleteCommentInput!) { deleteComment(input: $input) }',
      { input: { postId, commentId: rude } },
      { token: staff },
    );
    expect(data).toEqual({ deleteComment: true });
    expect((await call('GET', `/posts/${postId}`, maya)).body.commentCount).toBe(0);
    expect(await auditOf('commentId', own)).toEqual([]);
    expect(await auditOf('commentId', rude)).toEqual(['COMMENT_DELETED']);
    expect(await brokenRows(platform)).toEqual([]);
  });

  it('is reported to staff, who see reports of posts and of comments in one list, latest first', async () => {
    const postId = await newPost();
    const commentId = await newComment(postId);
    const report = (token: string, at: string, reason: string) =>
      status('POST', `/posts/${postId}${at}`, token, { reason });
    expect(await report(maya, `/comments/${commentId}/report`, 'Rude')).toBe(201);
    expect(await report(leo, '/report', 'Advertising')).toBe(201);
    expect(await report(maya, `/comments/${commentId}/report`, 'Very rude')).toBe(201);
    expect(await report(zoe, `/comments/${commentId}/report`, 'x')).toBe(404);
    expect(await report(maya, `/comments/${randomUUID()}/report`, 'x')).toBe(404);
    expect(await report(maya, `/comments/${commentId}/report`, ' ')).toBe(400);
    const { data } = await platform.graph(
      'gym',
      'mutation ($input: ReportCommentInput!) { reportComment(input: $input) { commentId comment { text } } }',
      { input: { postId, commentId, reason: 'By staff' } },
      { token: staff },
    );
    expect(data.reportComment).toEqual({ commentId, comment: { text: 'Rude words' } });
    const { body: all } = await call('GET', '/posts/reports', staff);
    const own = all.filter((one: { postId: string }) => one.postId === postId);
    expect(own).toMatchObject([
      { commentId, reason: 'By staff' },
      { commentId, reason: 'Very rude' },
      { commentId: null, reason: 'Advertising' },
    ]);
    const paged: object[] = [];
    let next: string | undefined = '/posts/reports?limit=1';
    while (next !== undefined) {
      const page = await call('GET', next, staff);
      paged.push(...page.body);
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(all);
    expect(await status('GET', '/posts/reports', maya)).toBe(403);
    const query =
      '{ postReports(first: 50) { nodes { reason post { text } comment { text author { id } } } } }';
    const sent = await selectsDuring(async () => {
      const { data: shown } = await platform.graph('gym', query, {}, { token: staff });
      expect(shown.postReports.nodes).toHaveLength(all.length);
    });
    expect(sent.filter((text) => /\bpost/.test(text)).length).toBeLessThanOrEqual(4);
  });

  it('and its post stay if reports are dismissed; the reports of the post are dismissed separately', async () => {
    const postId = await newPost();
    const commentId = await newComment(postId);
    await call('POST', `/posts/${postId}/report`, leo, { reason: 'x' });
    await call('POST', `/posts/${postId}/comments/${commentId}/report`, maya, { reason: 'y' });
    const reasons = async () =>
      (await call('GET', '/posts/reports', staff)).body
        .filter((one: { postId: string }) => one.postId === postId)
        .map(({ reason }: { reason: string }) => reason);
    expect(await status('DELETE', `/posts/${postId}/reports`, maya)).toBe(403);
    expect(await status('DELETE', `/posts/${postId}/reports`, await platform.demo('admin@aqua.test'))).toBe(
      404,
    );
    expect(await status('DELETE', `/posts/${postId}/reports`, staff)).toBe(204);
    expect(await reasons()).toEqual(['y']);
    expect(await status('DELETE', `/posts/${postId}/reports`, staff)).toBe(204);
    expect(await status('DELETE', `/posts/${postId}/comments/${commentId}/reports`, maya)).toBe(403);
    expect(await status('DELETE', `/posts/${postId}/comments/${commentId}/reports`, staff)).toBe(204);
    expect(await reasons()).toEqual([]);
    expect(await status('GET', `/posts/${postId}`, leo)).toBe(200);
    expect(await auditOf('postId', postId)).toEqual(['REPORTS_DISMISSED', 'REPORTS_DISMISSED']);
    await call('POST', `/posts/${postId}/comments/${commentId}/report`, maya, { reason: 'again' });
    const dismiss = (input: object, token: string) =>
      platform.graph(
        'gym',
        'mutation ($input: DismissPostReportsInput!) { dismissPostReports(input: $input) }',
        { input },
        { token },
      );
    expect((await dismiss({ postId }, maya)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    expect((await dismiss({ postId }, staff)).data).toEqual({ dismissPostReports: true });
    expect(await reasons()).toEqual(['again']);
    expect((await dismiss({ postId, commentId }, staff)).data).toEqual({ dismissPostReports: true });
    expect(await reasons()).toEqual([]);
  });

  it('is deleted with its reports, and a post with the reports of its comments', async () => {
    const posts = [await newPost(), await newPost()];
    const comments = await Promise.all(posts.map((postId) => newComment(postId)));
    const [first = '', second = ''] = posts;
    await Promise.all([
      ...posts.map((postId, i) =>
        call('POST', `/posts/${postId}/comments/${comments[i]}/report`, maya, { reason: 'x' }),
      ),
      call('DELETE', `/posts/${first}/comments/${comments[0]}`, staff),
      call('DELETE', `/posts/${second}`, staff),
    ]);
    expect(await auditOf('postId', second)).toEqual(['POST_DELETED']);
    const left = await platform.sql('gym', 'select 1 from comment_report where post_id = any($1)', [posts]);
    expect(left).toEqual([]);
    expect(await brokenRows(platform)).toEqual([]);
  });
});

describe('an announcement', () => {
  it('is changed by staff; a write based on an older version is refused, and changes are audited', async () => {
    const created = await call('POST', '/announcements', staff, {
      title: 'News',
      text: 'We open at six.',
      endsAt: '2100-01-01T00:00:00Z',
    });
    const at = `/announcements/${created.body.id}`;
    expect(await status('PUT', at, maya, { title: 'x' })).toBe(403);
    expect(await status('PUT', at, await platform.demo('admin@aqua.test'), { title: 'x' })).toBe(404);
    const changed = await platform.rest('gym', 'PUT', at, {
      token: staff,
      body: { text: 'We open at seven.', endsAt: null },
      headers: { 'if-match': '"1"' },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { title: 'News', text: 'We open at seven.', endsAt: null, version: 2 },
    });
    expect(await status('PUT', at, staff, { title: 'Old', version: 1 })).toBe(412);
    for (const [wrong, path] of [
      [{ title: ' ' }, 'title'],
      [{ endsAt: '2020-01-01T00:00:00Z' }, 'endsAt'],
      [{ startsAt: 'soon' }, 'startsAt'],
    ] as const)
      expect(await call('PUT', at, staff, wrong)).toMatchObject({
        status: 400,
        body: { errors: [{ path }] },
      });
    const { data } = await platform.graph(
      'gym',
      'mutation ($input: UpdateAnnouncementInput!) { updateAnnouncement(input: $input) { title text endsAt version } }',
      { input: { id: created.body.id, title: 'New hours', version: 2 } },
      { token: staff },
    );
    expect(data.updateAnnouncement).toEqual({
      title: 'New hours',
      text: 'We open at seven.',
      endsAt: null,
      version: 3,
    });
    expect((await call('GET', '/announcements', leo)).body).toContainEqual(
      expect.objectContaining({ id: created.body.id, title: 'New hours' }),
    );
    expect(await status('DELETE', at, staff)).toBe(204);
    expect(await auditOf('announcementId', created.body.id)).toEqual([
      'ANNOUNCEMENT_CREATED',
      'ANNOUNCEMENT_UPDATED',
      'ANNOUNCEMENT_UPDATED',
      'ANNOUNCEMENT_DELETED',
    ]);
  });
});
