import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { graphClient, socketOf, type Person } from './support/people.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'squad'],
    env: { SQUAD_PRESENCE_INTERVAL_MILLIS: '20' },
  });
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });

/** A squad of two participants, with a message in their chat. */
async function squadOfTwo() {
  const [host, guest] = await Promise.all([platform.register(), platform.register()]);
  const { body: invite } = await rest(host, 'POST', '/invites', { toUserId: guest.id });
  await rest(guest, 'POST', `/squads/${invite.squadId}/join`);
  await rest(host, 'POST', `/squads/${invite.squadId}/messages`, { text: 'secret' });
  return { host, guest, squadId: invite.squadId as string };
}

/** Operations on a squad, by every door. Each resolves to the code of its refusal; undefined if it is not refused. */
const operations: Record<string, (by: Person, squadId: string) => Promise<string | undefined>> = {
  'GET /squads/:id': async (by, id) => (await rest(by, 'GET', `/squads/${id}`)).body.code,
  'GET /squads/:id/events': async (by, id) => (await rest(by, 'GET', `/squads/${id}/events`)).body.code,
  'GET /squads/:id/messages': async (by, id) => (await rest(by, 'GET', `/squads/${id}/messages`)).body.code,
  'POST /squads/:id/join': async (by, id) => (await rest(by, 'POST', `/squads/${id}/join`)).body.code,
  'POST /squads/:id/messages': async (by, id) =>
    (await rest(by, 'POST', `/squads/${id}/messages`, { text: 'hello' })).body.code,
  'POST /squads/:id/workout': async (by, id) =>
    (
      await rest(by, 'POST', `/squads/${id}/workout`, {
        eventId: 'e',
        exerciseIndex: 0,
        setIndex: 0,
        phase: 'WORK',
      })
    ).body.code,
  'POST /squads/:id/start': async (by, id) => (await rest(by, 'POST', `/squads/${id}/start`)).body.code,
  'POST /squads/:id/end': async (by, id) => (await rest(by, 'POST', `/squads/${id}/end`)).body.code,
  'POST /invites for the squad': async (by, id) =>
    (await rest(by, 'POST', '/invites', { toUserId: (await platform.register()).id, squadId: id })).body.code,
  'query squadSession': async (by, id) =>
    (
      await platform.graph(
        'squad',
        'query($id: ID!) { squadSession(id: $id) { id } }',
        { id },
        { token: by.token },
      )
    ).errors?.[0]?.extensions.code,
  'query chatMessages': async (by, id) =>
    (
      await platform.graph(
        'squad',
        'query($id: ID!) { chatMessages(squadId: $id) { nodes { text } } }',
        { id },
        { token: by.token },
      )
    ).errors?.[0]?.extensions.code,
  'mutation joinSquad': async (by, id) =>
    (
      await platform.graph(
        'squad',
        'mutation($i: SquadInput!) { joinSquad(input: $i) { id } }',
        { i: { squadId: id } },
        { token: by.token },
      )
    ).errors?.[0]?.extensions.code,
  _entities: async (by, id) => {
    const { data } = await platform.graph(
      'squad',
      'query($r: [_Any!]!) { _entities(representations: $r) { ... on SquadSession { id status } } }',
      { r: [{ __typename: 'SquadSession', id }] },
      { token: by.token },
    );
    return data._entities[0] === null ? 'NOT_FOUND' : undefined;
  },
  'socket join_squad': async (by, squadId) => {
    const socket = await socketOf(platform, by);
    const code = await socket.send('join_squad', { squadId }).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    await socket.close();
    return code;
  },
  'socket send_squad_message': async (by, squadId) => {
    const socket = await socketOf(platform, by);
    const code = await socket.send('send_squad_message', { squadId, text: 'hello' }).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    await socket.close();
    return code;
  },
  'subscription squadUpdated': async (by, squadId) =>
    refusalOf(by, 'subscription($s: ID!) { squadUpdated(squadId: $s) { id } }', squadId),
  'subscription squadMessageAdded': async (by, squadId) =>
    refusalOf(by, 'subscription($s: ID!) { squadMessageAdded(squadId: $s) { id } }', squadId),
};

const codeOf = (error: unknown) =>
  (error as { extensions?: { code?: string } } | undefined)?.extensions?.code;

/** The code of the first answer to a subscription; undefined if it is an event, or the end of the subscription. */
async function refusalOf(by: Person, query: string, squadId: string): Promise<string | undefined> {
  const client = graphClient(platform.url('squad'), by.token);
  const code = await new Promise<string | undefined>((resolve) => {
    client.subscribe(
      { query, variables: { s: squadId } },
      {
        next: ({ errors }) => resolve(codeOf(errors?.[0])),
        error: (error) => resolve(Array.isArray(error) ? codeOf(error[0]) : String(error)),
        complete: () => resolve(undefined),
      },
    );
  });
  await client.dispose();
  return code;
}

describe('a squad is NOT_FOUND', () => {
  test.each([
    ['a member of the gym who is not invited', async () => platform.register()],
    ["another gym's member", async () => platform.register(DEMO_GYMS.aquaClub.id)],
    ["the gym's admin", async () => ({ id: '', token: await platform.demo('admin@iron.test') })],
  ])('for %s, at every door', async (_who, visitor) => {
    const { squadId } = await squadOfTwo();
    const person = await visitor();
    const codes = await Promise.all(
      Object.entries(operations).map(async ([name, run]) => [name, await run(person, squadId)]),
    );
    expect(Object.fromEntries(codes)).toEqual(
      Object.fromEntries(Object.keys(operations).map((name) => [name, 'NOT_FOUND'])),
    );
  });

  test('for a participant whom the host has blocked', async () => {
    const { host, guest, squadId } = await squadOfTwo();
    const socket = await socketOf(platform, guest);
    await socket.send('join_squad', { squadId });
    expect((await rest(host, 'POST', `/blocks/${guest.id}`)).status).toBe(204);
    expect(await socket.next('squad_left', ({ userId }) => userId === guest.id)).toMatchObject({ squadId });
    await rest(host, 'POST', `/squads/${squadId}/messages`, { text: 'they are gone' });
    const codes = await Promise.all(
      Object.entries(operations).map(async ([name, run]) => [name, await run(guest, squadId)]),
    );
    expect(Object.fromEntries(codes)).toEqual(
      Object.fromEntries(Object.keys(operations).map((name) => [name, 'NOT_FOUND'])),
    );
    expect(
      socket.frames.some(
        ({ data }) =>
          'message' in data && typeof data.message === 'object' && data.message.text === 'they are gone',
      ),
    ).toBe(false);
    await socket.close();
  });

  test('for an invitee whom a participant has blocked', async () => {
    const { host, guest, squadId } = await squadOfTwo();
    const third = await platform.register();
    await rest(guest, 'POST', `/blocks/${third.id}`);
    await rest(host, 'POST', '/invites', { toUserId: third.id, squadId });
    expect((await rest(third, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
  });
});

describe('if one of two users has blocked the other', () => {
  test.each([
    ['the one who blocked', 0],
    ['the one who was blocked', 1],
  ])('%s does not see the presence of the other at any door, and cannot invite them', async (_who, index) => {
    const pair = await Promise.all([platform.register(), platform.register()]);
    await rest(pair[0], 'POST', `/blocks/${pair[1].id}`);
    const [viewer, other] = index === 0 ? pair : [pair[1], pair[0]];
    const socket = await socketOf(platform, other);
    await socket.send('user_online', {});
    const own = await socketOf(platform, viewer);
    expect((await own.send('user_online', {})).users.map(({ userId }) => userId)).not.toContain(other.id);
    expect(
      (await rest(viewer, 'GET', '/online-users')).body.map(({ userId }: { userId: string }) => userId),
    ).not.toContain(other.id);
    const { data } = await platform.graph(
      'squad',
      'query($r: [_Any!]!) { onlineUsers { user { id } } _entities(representations: $r) { ... on User { presence { online } squadHistory { nodes { squadId } } } } }',
      { r: [{ __typename: 'User', id: other.id }] },
      { token: viewer.token },
    );
    expect(data._entities).toEqual([{ presence: { online: false }, squadHistory: null }]);
    expect(data.onlineUsers.map(({ user }: { user: { id: string } }) => user.id)).not.toContain(other.id);
    expect((await rest(viewer, 'POST', '/invites', { toUserId: other.id })).body.code).toBe('NOT_FOUND');
    await socket.send('user_online', { activity: 'seen by others only' });
    const third = await platform.register();
    const marker = await socketOf(platform, third);
    await marker.send('user_online', {});
    const update = await own.next('online_users_updated', ({ users }) =>
      users.some(({ userId }) => userId === third.id),
    );
    expect(update.users.map(({ userId }) => userId)).not.toContain(other.id);
    expect(JSON.stringify(own.frames)).not.toContain(other.id);
    await Promise.all([socket.close(), own.close(), marker.close()]);
  });

  test('a block and its end take effect on open sockets at once', async () => {
    const [maya, leo] = await Promise.all([platform.register(), platform.register()]);
    const [mayas, leos] = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
    await mayas.send('user_online', {});
    const online = await leos.send('user_online', {});
    expect(online.users.map(({ userId }) => userId)).toContain(maya.id);
    const { invite } = await mayas.send('send_squad_invite', { toUserId: leo.id });
    const without = new Promise<void>((resolve) =>
      leos.on(
        'online_users_updated',
        ({ users, full }) => full && !users.some(({ userId }) => userId === maya.id) && resolve(),
      ),
    );
    await rest(maya, 'POST', `/blocks/${leo.id}`);
    await without;
    expect(
      (await leos.next('squad_invite_updated', (data) => data.invite.id === invite.id)).invite.status,
    ).toBe('REVOKED');
    expect((await rest(leo, 'GET', '/invites')).body).toEqual([]);
    const again = new Promise<void>((resolve) =>
      leos.on(
        'online_users_updated',
        ({ users }) => users.some(({ userId }) => userId === maya.id) && resolve(),
      ),
    );
    await rest(maya, 'DELETE', `/blocks/${leo.id}`);
    await again;
    await Promise.all([mayas.close(), leos.close()]);
  });
});

test('a block is refused if the user has blocked 2,000 others; the earlier blocks stay', async () => {
  const maya = await platform.register();
  const ids = Array.from({ length: 2_001 }, () => randomUUID());
  for (let from = 0; from < 2_000; from += 100)
    await Promise.all(
      ids.slice(from, Math.min(from + 100, 2_000)).map((id) => rest(maya, 'POST', `/blocks/${id}`)),
    );
  expect(await rest(maya, 'POST', `/blocks/${ids[2_000]}`)).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT' },
  });
  expect((await rest(maya, 'POST', `/blocks/${ids[0]}`)).status).toBe(204);
  expect((await rest(maya, 'GET', '/blocks')).body).toHaveLength(2_000);
  await rest(maya, 'DELETE', `/blocks/${ids[5]}`);
  expect((await rest(maya, 'POST', `/blocks/${ids[2_000]}`)).status).toBe(204);
});

test('a user can invite neither a user of another gym, nor an unknown user, nor themselves', async () => {
  const maya = await platform.register();
  const zoe = await platform.register(DEMO_GYMS.aquaClub.id);
  expect((await rest(maya, 'POST', '/invites', { toUserId: zoe.id })).body.code).toBe('NOT_FOUND');
  expect((await rest(maya, 'POST', '/invites', { toUserId: randomUUID() })).body.code).toBe('NOT_FOUND');
  expect((await rest(maya, 'POST', '/invites', { toUserId: maya.id })).body.code).toBe('VALIDATION_FAILED');
});

test("another user's history is 404, and one's own names the other participants", async () => {
  const { host, guest, squadId } = await squadOfTwo();
  await rest(host, 'POST', `/squads/${squadId}/start`);
  await rest(host, 'POST', `/squads/${squadId}/end`);
  expect((await rest(host, 'GET', `/history/${guest.id}`)).status).toBe(404);
  expect((await rest(guest, 'GET', `/history/${guest.id}`)).body).toMatchObject([
    { squadId, participantIds: [host.id, guest.id] },
  ]);
});

describe('a club', () => {
  const seen = async (by: Person, id: string) => {
    const { data } = await platform.graph(
      'squad',
      'query($r: [_Any!]!) { groups { id memberCount createdBy { id } members { id } } _entities(representations: $r) { ... on Group { id memberCount createdBy { id } members { id } } } }',
      { r: [{ __typename: 'Group', id }] },
      { token: by.token },
    );
    const listed = (await rest(by, 'GET', '/groups')).body.find((group: { id: string }) => group.id === id);
    const inGraph = data.groups.find((group: { id: string }) => group.id === id);
    expect(data._entities[0]).toEqual(inGraph ?? null);
    expect(listed?.memberIds).toEqual(inGraph?.members.map((member: { id: string }) => member.id));
    return listed as { memberIds: string[]; memberCount: number; createdBy: string | null } | undefined;
  };

  test.each([
    ['a user who has blocked the founder', 0],
    ['a user whom the founder has blocked', 1],
  ])('shows its founder to others, but not to %s', async (_who, index) => {
    const pair = await Promise.all([platform.register(), platform.register()]);
    const third = await platform.register();
    const [viewer, founder] = index === 0 ? pair : [pair[1], pair[0]];
    const { body } = await rest(founder, 'POST', '/groups', { name: `Club ${randomUUID()}` });
    await rest(third, 'POST', `/groups/${body.id}/join`);
    expect(await seen(viewer, body.id)).toMatchObject({ memberCount: 2, createdBy: founder.id });
    await rest(pair[0], 'POST', `/blocks/${pair[1].id}`);
    expect(await seen(viewer, body.id)).toMatchObject({
      memberIds: [third.id],
      memberCount: 1,
      createdBy: null,
    });
    expect(await seen(third, body.id)).toMatchObject({ memberCount: 2, createdBy: founder.id });
  });

  test('does not exist for a viewer who may see none of its members, and its name is free for them', async () => {
    const [viewer, founder] = await Promise.all([platform.register(), platform.register()]);
    await rest(founder, 'POST', `/blocks/${viewer.id}`);
    const name = `Club ${randomUUID()}`;
    const { body } = await rest(founder, 'POST', '/groups', { name });
    expect(await seen(viewer, body.id)).toBeUndefined();
    expect((await rest(viewer, 'POST', `/groups/${body.id}/join`)).body.code).toBe('NOT_FOUND');
    expect((await rest(viewer, 'POST', `/groups/${body.id}/leave`)).body.code).toBe('NOT_FOUND');
    expect((await rest(viewer, 'POST', '/groups', { name })).status).toBe(201);
    expect((await rest(founder, 'POST', '/groups', { name })).body.code).toBe('CONFLICT');
  });
});

test.each([
  ['the name of a club', '/groups', (text: string) => ({ name: text })],
  ['a message', '', (text: string) => ({ text })],
  ['the message of an invite', '/invites', (text: string) => ({ message: text })],
])('%s without visible characters is refused', async (_what, path, bodyOf) => {
  const [by, other] = await Promise.all([platform.register(), platform.register()]);
  const { body: squad } = await rest(by, 'POST', '/squads', {});
  for (const text of ['\u200B\u200B', '\u2060', '\u00AD\uFEFF', '\u{E0020}']) {
    const answer = await rest(by, 'POST', path || `/squads/${squad.id}/messages`, {
      ...bodyOf(text),
      ...(path === '/invites' && { toUserId: other.id }),
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
});
