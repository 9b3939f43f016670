import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEMO_PASSWORD } from '#server/demo-ids.ts';
import { SERVICE_NAMES } from '#server/settings.ts';
import type { AccountDeletionShape } from '../../subgraphs/identity/accounts/accounts.shapes.ts';
import type { UserShape } from '../../subgraphs/identity/users/users.shapes.ts';
import type { PostShape } from '../../subgraphs/gym/posts/posts.shapes.ts';
import type { GroupShape } from '../../subgraphs/squad/groups/groups.shapes.ts';
import { eventually } from '../support/eventually.ts';
import { loggedIn, mailedToken } from '../identity/support.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { newGym, preparedGym, settled } from '../wizard/support.ts';
import { live, type Life } from './support/life.ts';
import { KINDS, placesIn, placesOf, servicesWithRecordsOf, storedData } from './support/stored-data.ts';

let platform: TestPlatform;
let friend: Awaited<ReturnType<TestPlatform['register']>>;
let anna: Life;
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES });
  friend = await platform.register();
  anna = await live(platform, friend);
});
afterAll(() => platform.stop());

const retaining = (receipt: Pick<AccountDeletionShape, 'parts'>): string[] =>
  receipt.parts.filter(({ outcome }) => outcome === 'RETAINED').map(({ service }) => service);

const receiptAt = async (location: string) =>
  (await platform.rest<AccountDeletionShape>('identity', 'GET', location)).body;
const outcomes = (receipt: Pick<AccountDeletionShape, 'parts'>) =>
  Object.fromEntries(receipt.parts.map(({ service, outcome }) => [service, outcome]));

describe('an export', () => {
  it('contains records of every kind of every service, and no secret', async () => {
    const { refreshToken } = await loggedIn(platform, anna);
    const resetToken = await mailedToken(platform, anna.email);
    const { status, body, headers } = await platform.rest('identity', 'GET', '/users/me/export', anna);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toContain('attachment');
    const filled = Object.fromEntries(
      Object.entries(body.services as Record<string, Record<string, unknown[] | object>>).map(
        ([service, kinds]) => [
          service,
          Object.keys(kinds).filter((kind) => Object.keys(kinds[kind] ?? {}).length > 0),
        ],
      ),
    );
    expect(filled).toEqual(KINDS);
    const { identity, gym, nutrition, squad } = body.services;
    expect(identity.user).toMatchObject({ id: anna.id, email: anna.email, bio: `I am ${anna.mark}` });
    expect(gym.posts.map(({ text }: { text: string }) => text).toSorted()).toEqual([
      `Look, ${anna.mark}`,
      `Nobody answers ${anna.mark}`,
    ]);
    expect(nutrition.foodLogs.map(({ foodName }: { foodName: string }) => foodName)).toEqual([
      `Bread of ${anna.mark}`,
      `Soup of ${anna.mark}`,
      `Cake of ${anna.mark}`,
    ]);
    expect(nutrition.foods).toMatchObject([{ name: `Cake of ${anna.mark}` }]);
    expect(nutrition.foodFavourites).toMatchObject([{ foodId: nutrition.foods[0].id }]);
    expect(squad.messages).toMatchObject([{ text: `Go, says ${anna.mark}` }]);
    const text = JSON.stringify(body);
    for (const secret of [anna.password, anna.token, refreshToken, resetToken, 'argon2', 'hash', 'Hash'])
      expect(text).not.toContain(secret);
    expect(text).not.toContain('Ready'); // a text by the friend
    const { data } = await platform.graph('identity', '{ exportMyAccount }', {}, anna);
    expect(data.exportMyAccount.services.gym).toEqual(gym);
  });

  it('is made in the background if a service is down, and available when it is complete', async () => {
    const user = await platform.register();
    await platform.running('nutrition').stop();
    const direct = await platform.rest('identity', 'GET', '/users/me/export', user);
    expect(direct.body).toMatchObject({
      status: 503,
      code: 'UPSTREAM_UNAVAILABLE',
      detail: expect.stringContaining('nutrition'),
    });
    const { status, body } = await platform.rest('identity', 'POST', '/users/me/exports', user);
    expect(status).toBe(202);
    expect(direct.body.detail).toContain(body.id); // only one export at a time
    const at = `/users/me/exports/${body.id}`;
    expect(
      await eventually(async () => (await platform.rest('identity', 'GET', at, user)).body),
    ).toMatchObject({
      finishedAt: null,
      document: null,
      parts: expect.arrayContaining([{ service: 'nutrition', status: 'PENDING' }]),
    });
    expect((await platform.rest('identity', 'GET', `${at}/document`, user)).status).toBe(409);
    expect((await platform.rest('identity', 'GET', at, friend)).status).toBe(404);
    await platform.restart('nutrition');
    const { document } = await eventually(async () => {
      const { data } = await platform.graph(
        'identity',
        'query ($id: ID!) { accountExport(id: $id) { finishedAt document } }',
        { id: body.id },
        user,
      );
      return data.accountExport.document !== null && data.accountExport;
    });
    expect((await platform.rest('identity', 'GET', document, friend)).status).toBe(404);
    const file = await platform.rest('identity', 'GET', document, user);
    expect(file.body.services.nutrition).toEqual({
      foodLogs: [],
      goals: [],
      foods: [],
      foodFavourites: [],
      imports: [],
    });

    await platform.rest('identity', 'DELETE', '/users/me', { ...user, body: { password: user.password } });
    expect(await placesOf(platform, body.id)).toEqual(['identity.saga']); // the storage keys of deleted files
  });
});

describe('the deletion of an account', () => {
  it('reaches every service, also one that is down at first, and leaves only what its receipt says', async () => {
    const { body: me } = await platform.rest<UserShape>('identity', 'GET', '/users/me', anna);
    const before = await storedData(platform);
    expect(placesIn(before, anna.mark).length).toBeGreaterThan(10);
    // the pictures of the avatar, a post and a logo, and the files of two exports
    expect(before.filter(([place]) => place.startsWith('files/'))).toHaveLength(3 + 2 * SERVICE_NAMES.length);
    await platform.running('nutrition').stop();
    const { status, headers } = await platform.rest('identity', 'DELETE', '/users/me', {
      ...anna,
      body: { password: anna.password },
    });
    expect(status).toBe(204);
    const location = headers.get('location') ?? '';
    expect((await platform.rest('identity', 'GET', '/users/me', anna)).status).toBe(401);
    expect((await platform.rest('identity', 'POST', '/auth/login', { body: anna })).status).toBe(401);

    const others = {
      identity: 'RETAINED',
      gym: 'RETAINED',
      content: 'ANONYMISED',
      squad: 'ANONYMISED',
      wizard: 'DELETED',
    };
    const waiting = await eventually(async () => {
      const receipt = await receiptAt(location);
      return (
        Object.values(outcomes(receipt)).filter((outcome) => outcome === 'PENDING').length === 1 && receipt
      );
    });
    expect(waiting.finishedAt).toBeNull();
    expect(outcomes(waiting)).toEqual({ ...others, nutrition: 'PENDING' });
    await platform.restart('nutrition');
    const receipt = await eventually(async () => {
      const { data } = await platform.graph<{
        accountDeletion: Pick<AccountDeletionShape, 'finishedAt' | 'parts'>;
      }>(
        'identity',
        'query ($id: ID!) { accountDeletion(id: $id) { finishedAt parts { service outcome reason } } }',
        { id: path.basename(location) },
      );
      return data.accountDeletion.finishedAt !== null && data.accountDeletion;
    });
    expect(outcomes(receipt)).toEqual({ ...others, nutrition: 'DELETED' });
    for (const { outcome, reason } of receipt.parts)
      expect([outcome, reason === null]).toEqual([outcome, outcome === 'DELETED']);
    expect((await servicesWithRecordsOf(platform, anna.id)).toSorted()).toEqual(
      retaining(receipt).toSorted(),
    );
    expect(JSON.stringify(receipt)).not.toContain(anna.id);

    // Every service refuses the user's access token within 5 s.
    for (const [service, at] of [
      ['gym', '/locations'],
      ['nutrition', '/goals'],
      ['squad', '/groups'],
      ['wizard', '/'],
    ] as const)
      await eventually(async () => (await platform.rest(service, 'GET', at, anna)).status === 401, 5_000);

    const kept = await storedData(platform);
    expect(placesIn(kept, anna.mark).filter((place) => !place.startsWith('outbox'))).toEqual([]);
    expect(
      placesIn(kept, path.basename(me.avatar ?? '')).filter((place) => !place.startsWith('identity.')),
    ).toEqual([]);
    expect(kept.filter(([place]) => place.startsWith('files/'))).toEqual([]);
    const ids = placesIn(kept, anna.id);
    expect(
      ids.filter((place) => !/\.(erased_account|audit_event|account_deletion|saga|event)$/.test(place)),
    ).toEqual([
      expect.stringMatching(`^squad/users/.*/${anna.id}.jsonl$`), // the mark of the erased account, and nothing else
    ]);
  });

  it('keeps the data of other users', async () => {
    const { commentedPostId, squadId, groupId, visitId } = anna.remains;
    const { data } = await platform.graph(
      'gym',
      `query ($id: ID!) { post(id: $id) { text image likeCount author { id } comments { nodes { text author { id } } } } }`,
      { id: commentedPostId },
      friend,
    );
    expect(data.post).toEqual({
      text: '',
      image: null,
      likeCount: 0,
      author: null,
      comments: { nodes: [{ text: 'Nice one', author: { id: friend.id } }] },
    });
    expect(
      await platform.sql('gym', 'select user_id, checked_in_by, checked_out_at from check_in where id = $1', [
        visitId,
      ]),
    ).toEqual([{ user_id: null, checked_in_by: null, checked_out_at: expect.any(Date) }]);
    const posts = (await platform.rest<PostShape[]>('gym', 'GET', '/posts', friend)).body;
    expect(posts.find(({ text }) => text === 'Hello')).toMatchObject({
      likeCount: 0,
      commentCount: 1, // the friend's own
    });
    const history = (await platform.rest('squad', 'GET', `/history/${friend.id}`, friend)).body;
    expect(history).toMatchObject([{ squadId, participantIds: [friend.id] }]);
    expect((await platform.rest('squad', 'GET', `/squads/${squadId}/messages`, friend)).body).toMatchObject([
      { text: 'Ready', seq: 1 },
    ]);
    expect((await platform.rest('squad', 'GET', `/squads/${squadId}`, friend)).body).toMatchObject({
      hostId: friend.id,
    });
    const groups = (await platform.rest<GroupShape[]>('squad', 'GET', '/groups', friend)).body;
    expect(groups.find(({ id }) => id === groupId)).toMatchObject({
      createdBy: null,
      memberIds: [friend.id],
    });
    expect((await platform.rest('squad', 'GET', '/invites', friend)).body).toEqual([]);
  });

  it('of a member without data, requested in the graph, has a receipt with DELETED for every service, but RETAINED for identity with its audit trail', async () => {
    const user = await platform.register();
    const { data } = await platform.graph<{ deleteMyAccount: { id: string } }>(
      'identity',
      'mutation ($input: DeleteMyAccountInput!) { deleteMyAccount(input: $input) { id finishedAt } }',
      { input: { password: user.password } },
      user,
    );
    const receipt = await eventually(async () => {
      const now = await receiptAt(`/account-deletions/${data.deleteMyAccount.id}`);
      return now.finishedAt !== null && now;
    });
    expect(outcomes(receipt)).toEqual({
      ...Object.fromEntries(SERVICE_NAMES.map((name) => [name, 'DELETED'])),
      identity: 'RETAINED',
    });
    expect(await servicesWithRecordsOf(platform, user.id)).toEqual(['identity']);
  });

  it('removes the first admin from the wizard session in which another user set up their gym', async () => {
    const setUp = newGym();
    const { id } = await preparedGym(platform, setUp);
    await platform.rest('wizard', 'POST', `/${id}/deploy`, { token: await platform.demo('super@demo.test') });
    await settled(platform, id);
    const { email } = setUp.admin;
    const password = 'my-own-password';
    await platform.rest('identity', 'POST', '/auth/password-reset/confirm', {
      body: { token: await mailedToken(platform, email), password },
    });
    const token = await platform.login(email, password);
    expect(await placesOf(platform, email)).toContain('wizard.wizard_session');
    const { id: userId } = (await platform.rest('identity', 'GET', '/users/me', { token })).body;
    expect(await placesOf(platform, userId)).toContain('wizard.saga');
    const { headers } = await platform.rest('identity', 'DELETE', '/users/me', { token, body: { password } });
    const receipt = await eventually(async () => {
      const now = await receiptAt(headers.get('location') ?? '');
      return now.finishedAt !== null && now;
    });
    expect((await placesOf(platform, email)).filter((place) => !place.startsWith('outbox'))).toEqual([]);
    expect(outcomes(receipt)).toMatchObject({ wizard: 'ANONYMISED' });
    expect((await servicesWithRecordsOf(platform, userId)).toSorted()).toEqual(retaining(receipt).toSorted());
  });

  it('is refused for the last SUPER_ADMIN, and changes nothing', async () => {
    const token = await platform.demo('super@demo.test');
    const answer = await platform.rest('identity', 'DELETE', '/users/me', {
      token,
      body: { password: DEMO_PASSWORD },
    });
    expect(answer.body.code).toBe('CONFLICT');
    expect((await platform.rest('identity', 'GET', '/users/me', { token })).status).toBe(200);
  });
});

describe('a large export', () => {
  it('of 25,000 entries is complete; in the graph it is refused, because it exceeds the limit of an answer', async () => {
    const user = await platform.register();
    await platform.sql(
      'nutrition',
      `insert into food_log (id, user_id, food_name, calories, protein, carbs, fats, source, logged_at, local_date, created_at)
       select gen_random_uuid(), $1, 'Soup ' || n, n, 0, 0, 0, 'MANUAL', date_trunc('second', now()) - n * interval '1 minute', '2026-01-05', now() from generate_series(1, 25000) n`,
      [user.id],
    );
    await platform.sql('nutrition', 'analyze food_log'); // as autovacuum does within a minute
    // An earlier version exported only the oldest 10,000 of these.
    await platform.sql(
      'identity',
      `insert into audit_event select (jsonb_populate_record(null::audit_event, to_jsonb(one) || jsonb_build_object('id', gen_random_uuid()))).*
       from (select * from audit_event where subject_id = $1 limit 1) as one, generate_series(1, 12000)`,
      [user.id],
    );
    const response = await fetch(`${platform.url('identity')}/users/me/export`, {
      headers: { Authorization: `Bearer ${user.token}` },
    });
    expect(response.status).toBe(200);
    const { services } = (await response.json()) as {
      services: { nutrition: { foodLogs: unknown[] }; identity: { auditEvents: { id: string }[] } };
    };
    expect(services.nutrition.foodLogs).toHaveLength(25_000);
    const events = services.identity.auditEvents.map(({ id }) => id);
    expect(events.length).toBeGreaterThan(12_000);
    expect(new Set(events).size).toBe(events.length);
    const { errors } = await platform.graph('identity', '{ exportMyAccount }', {}, user);
    expect(errors?.[0]?.extensions.code).toBe('PAYLOAD_TOO_LARGE');
  });
});
