import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, graphClient, socketOf, subscribed, type Person } from './support/people.ts';

const HOST_AWAY_MILLIS = 800;
const LOBBY_LIFETIME_MILLIS = 1_500;

let platform: TestPlatform;
let exerciseId: string;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'content', 'squad'],
    env: {
      SQUAD_HOST_AWAY_MILLIS: String(HOST_AWAY_MILLIS),
      SQUAD_LOBBY_LIFETIME_MILLIS: String(LOBBY_LIFETIME_MILLIS),
    },
  });
  exerciseId = (await exerciseOf(platform)).id;
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
const graph = (by: Person, query: string, variables: object) =>
  platform.graph('squad', query, variables, { token: by.token });
const people = (count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => platform.register()));

/** A squad with everybody in it, the first as host. */
async function squadOf(...members: Person[]): Promise<string> {
  const [host, ...guests] = members as [Person, ...Person[]];
  const { body: squad } = await rest(host, 'POST', '/squads', {});
  for (const guest of guests) {
    await rest(host, 'POST', '/invites', { toUserId: guest.id, squadId: squad.id });
    expect((await rest(guest, 'POST', `/squads/${squad.id}/join`)).status).toBe(200);
  }
  return squad.id;
}
const workout = (setIndex: number) => ({
  eventId: randomUUID(),
  exerciseIndex: 0,
  setIndex,
  exerciseId,
  phase: 'WORK',
});

/** What a person gets to see of a squad by each door; only those who are inside get anything. */
async function seen(by: Person, squadId: string): Promise<Record<string, unknown>> {
  const client = graphClient(platform.url('squad'), by.token);
  const socket = await socketOf(platform, by);
  const codeOf = (error: { errors?: { extensions: { code: string } }[]; code?: string }) =>
    error.errors?.[0]?.extensions.code ?? error.code;
  const subscriptionCode = (field: string) =>
    subscribed(client, `subscription($s: ID!) { ${field}(squadId: $s) { id } }`, { s: squadId }).then(
      () => 'open',
      codeOf,
    );
  const found = {
    session: (await rest(by, 'GET', `/squads/${squadId}`)).status,
    events: (await rest(by, 'GET', `/squads/${squadId}/events`)).status,
    chat: (await rest(by, 'GET', `/squads/${squadId}/messages`)).status,
    writing: (await rest(by, 'POST', `/squads/${squadId}/messages`, { text: 'hello' })).status,
    workout: (await rest(by, 'POST', `/squads/${squadId}/workout`, workout(0))).status,
    mine: (await rest(by, 'GET', '/squads')).body.map(({ id }: { id: string }) => id).includes(squadId),
    graph: (await graph(by, 'query($s: ID!) { squadSession(id: $s) { id } }', { s: squadId })).errors?.[0]
      ?.extensions.code,
    updates: await subscriptionCode('squadUpdated'),
    messages: await subscriptionCode('squadMessageAdded'),
  };
  await client.dispose();
  await socket.close();
  return found;
}
const NOTHING = {
  session: 404,
  events: 404,
  chat: 404,
  writing: 404,
  workout: 404,
  mine: false,
  graph: 'NOT_FOUND',
  updates: 'NOT_FOUND',
  messages: 'NOT_FOUND',
};

describe('the room is for those who have entered it and not left it', () => {
  test('an invitee sees nothing of it before they enter, whether they have accepted or not', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya);
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    expect(await seen(leo, squadId)).toEqual(NOTHING);
    await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true });
    expect(await seen(leo, squadId)).toEqual(NOTHING);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
    expect(await seen(leo, squadId)).toMatchObject({ session: 200, mine: true, updates: 'open' });
  });

  test('a person who has left sees nothing of what happens then, and comes back by a new invite only', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    const socket = await socketOf(platform, leo);
    await socket.send('join_squad', { squadId });
    expect((await rest(leo, 'POST', `/squads/${squadId}/leave`)).status).toBe(200);
    await rest(maya, 'POST', `/squads/${squadId}/messages`, { text: 'now that Leo is gone' });
    expect(await seen(leo, squadId)).toEqual(NOTHING);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    expect(JSON.stringify(socket.frames)).not.toContain('now that Leo is gone');
    await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
    await socket.close();
  });

  test('a host who has left is a guest like everybody: another is host, and an invite brings them back', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    await rest(maya, 'POST', `/squads/${squadId}/leave`);
    expect((await rest(maya, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    await rest(leo, 'POST', '/invites', { toUserId: maya.id, squadId });
    expect((await rest(maya, 'POST', `/squads/${squadId}/join`)).body.hostId).toBe(leo.id);
  });

  test.each(['not-a-uuid', 'constructor', '..%2F..%2Fetc'])(
    'a squad of the id %s does not exist',
    async (id) => {
      const [maya] = (await people(1)) as [Person];
      for (const [method, path, body] of [
        ['GET', `/squads/${id}`],
        ['GET', `/squads/${id}/events`],
        ['GET', `/squads/${id}/messages`],
        ['POST', `/squads/${id}/join`],
        ['POST', `/squads/${id}/leave`],
        ['POST', `/squads/${id}/kick`, { userId: maya.id }],
      ] as const)
        expect((await rest(maya, method, path, body)).status).toBe(404);
      const answers = await graph(
        maya,
        'query($id: ID!) { squadSession(id: $id) { id } chatMessages(squadId: $id) { nodes { id } } }',
        { id },
      );
      expect(answers.errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    },
  );
});

describe('an invite', () => {
  test('is a right of its own: revoking one of two leaves the other', async () => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const squadId = await squadOf(maya, leo);
    const { body: first } = await rest(maya, 'POST', '/invites', { toUserId: ida.id, squadId });
    const { body: second } = await rest(leo, 'POST', '/invites', { toUserId: ida.id, squadId });
    expect((await rest(leo, 'DELETE', `/invites/${second.id}`)).status).toBe(204);
    expect((await rest(ida, 'POST', `/invites/${first.id}/respond`, { accept: true })).body.status).toBe(
      'ACCEPTED',
    );
    expect((await rest(ida, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
  });

  test('is either accepted or revoked if both come at once', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [maya, leo] = (await people(2)) as [Person, Person];
      const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
      const [accepted, revoked] = await Promise.all([
        rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true }),
        rest(maya, 'DELETE', `/invites/${invite.id}`),
      ]);
      const outcome = accepted.status === 200 ? [200, 409, 200] : [409, 204, 404];
      const joined = await rest(leo, 'POST', `/squads/${invite.squadId}/join`);
      expect([accepted.status, revoked.status, joined.status]).toEqual(outcome);
    }
  });

  test('is REVOKED when its squad ends, in both boxes, and cannot be accepted', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    await rest(maya, 'POST', `/squads/${invite.squadId}/end`);
    expect((await rest(leo, 'GET', '/invites')).body).toMatchObject([{ id: invite.id, status: 'REVOKED' }]);
    expect((await rest(maya, 'GET', '/invites?box=sent')).body).toMatchObject([{ status: 'REVOKED' }]);
    const answer = await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true });
    expect([answer.status, answer.body.code]).toEqual([409, 'INVITE_CLOSED']);
  });

  test('without a squad is for the own LOBBY that nobody else has entered', async () => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const { body: first } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    const { body: second } = await rest(maya, 'POST', '/invites', { toUserId: ida.id });
    expect(second.squadId).toBe(first.squadId);
    await rest(ida, 'POST', `/squads/${first.squadId}/join`);
    const { body: third } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    expect(third.squadId).not.toBe(first.squadId);
  });

  test('with a message that shows nothing is refused', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const answer = await rest(maya, 'POST', '/invites', { toUserId: leo.id, message: '\u200B\u200D' });
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'message' }] });
    expect((await rest(maya, 'POST', '/invites', { toUserId: leo.id, message: '' })).body.message).toBeNull();
  });
});

describe('one hosts at most five open squads', () => {
  test('however many are opened at once; ending one makes room', async () => {
    const [maya] = (await people(1)) as [Person];
    const answers = await Promise.all(Array.from({ length: 12 }, () => rest(maya, 'POST', '/squads', {})));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code))).toEqual(
      new Set(['SQUAD_LIMIT']),
    );
    const { body: mine } = await rest(maya, 'GET', '/squads');
    expect(mine).toHaveLength(5);
    const { errors } = await graph(maya, 'mutation { createSquad { id } }', {});
    expect(errors?.[0]?.extensions.code).toBe('SQUAD_LIMIT');
    await rest(maya, 'POST', `/squads/${mine[0].id}/end`);
    expect((await rest(maya, 'POST', '/squads', {})).status).toBe(201);
  });

  test('and squads of others that they have entered do not count', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    for (let count = 0; count < 5; count += 1) await squadOf(maya, leo);
    expect((await rest(leo, 'POST', '/squads', {})).status).toBe(201);
    const page = await rest(leo, 'GET', '/squads?limit=4');
    expect(page.body).toHaveLength(4);
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] as string;
    expect((await rest(leo, 'GET', next)).body).toHaveLength(2);
    const { data } = await graph(leo, '{ mySquads { id status host { id } } }', {});
    expect(data.mySquads.map(({ host }: { host: { id: string } }) => host.id)).toEqual([
      leo.id,
      ...Array.from({ length: 5 }, () => maya.id),
    ]);
  });
});

describe('the host', () => {
  /** The same act by each door; each resolves to the session, or throws the code. */
  const doors = {
    REST: async (by: Person, act: 'kick' | 'host', squadId: string, userId: string) => {
      const { status, body } = await rest(by, 'POST', `/squads/${squadId}/${act}`, { userId });
      if (status !== 200) throw new Error(`${status} ${body.code}`);
      return body;
    },
    graph: async (by: Person, act: 'kick' | 'host', squadId: string, userId: string) => {
      const field = act === 'kick' ? 'kickFromSquad' : 'makeSquadHost';
      const { data, errors } = await graph(
        by,
        `mutation($i: SquadMemberInput!) { ${field}(input: $i) { host { id } participants { user { id } leftAt } } }`,
        { i: { squadId, userId } },
      );
      const [error] = errors ?? [];
      if (error)
        throw new Error(`${(error.extensions.http as { status: number }).status} ${error.extensions.code}`);
      const { host, participants } = data[field];
      return {
        hostId: host.id,
        participants: participants.map(({ user, leftAt }: { user: { id: string }; leftAt: string }) => ({
          userId: user.id,
          leftAt,
        })),
      };
    },
    socket: async (by: Person, act: 'kick' | 'host', squadId: string, userId: string) => {
      const socket = await socketOf(platform, by);
      try {
        const event = act === 'kick' ? 'kick_from_squad' : 'make_squad_host';
        return (await socket.send(event, { squadId, userId })).session;
      } catch (error) {
        const { code } = error as { code: string };
        const status = { VALIDATION_FAILED: 400, FORBIDDEN: 403, NOT_FOUND: 404 }[code];
        throw new Error(`${status} ${code}`, { cause: error });
      } finally {
        await socket.close();
      }
    },
  };

  test.each(Object.entries(doors))('puts a participant out by %s; they are out', async (_door, act) => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const squadId = await squadOf(maya, leo);
    await expect(act(leo, 'kick', squadId, maya.id)).rejects.toThrow('403 FORBIDDEN');
    await expect(act(maya, 'kick', squadId, maya.id)).rejects.toThrow('400 VALIDATION_FAILED');
    await expect(act(maya, 'kick', squadId, ida.id)).rejects.toThrow('404 NOT_FOUND');
    await expect(act(ida, 'kick', squadId, leo.id)).rejects.toThrow('404 NOT_FOUND');
    const session = await act(maya, 'kick', squadId, leo.id);
    expect(session.participants).toMatchObject([
      { userId: maya.id, leftAt: null },
      { userId: leo.id, leftAt: expect.any(String) },
    ]);
    expect(await seen(leo, squadId)).toEqual(NOTHING);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
  });

  test('takes the right to enter away from an invitee who has accepted', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya);
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true });
    expect((await rest(maya, 'POST', `/squads/${squadId}/kick`, { userId: leo.id })).status).toBe(200);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    expect((await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true })).body.code).toBe(
      'INVITE_CLOSED',
    );
  });

  test.each(Object.entries(doors))('hands over to a participant by %s', async (_door, act) => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const squadId = await squadOf(maya, leo);
    const listener = await socketOf(platform, leo);
    const owner = await socketOf(platform, maya);
    await listener.send('join_squad', { squadId });
    await expect(act(maya, 'host', squadId, maya.id)).rejects.toThrow('400 VALIDATION_FAILED');
    await expect(act(maya, 'host', squadId, ida.id)).rejects.toThrow('404 NOT_FOUND');
    expect((await act(maya, 'host', squadId, leo.id)).hostId).toBe(leo.id);
    expect(await listener.next('squad_updated', ({ hostId }) => hostId === leo.id)).toMatchObject({
      participant: null,
    });
    await expect(act(maya, 'host', squadId, maya.id)).rejects.toThrow('403 FORBIDDEN');
    await Promise.all([listener.close(), owner.close()]);
  });

  test('passes on to the participant who has been connected longest, once they have been away', async () => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const squadId = await squadOf(maya, leo, ida);
    const mayas = await socketOf(platform, maya);
    const idas = await socketOf(platform, ida);
    const leos = await socketOf(platform, leo);
    for (const socket of [idas, leos]) await socket.send('join_squad', { squadId });
    await mayas.send('pause_squad', { squadId }).catch(() => undefined);
    mayas.socket.terminate();
    const passed = await leos.next('squad_updated', ({ hostId }) => hostId === ida.id);
    expect(passed.participant).toBeNull();
    expect((await rest(ida, 'POST', `/squads/${squadId}/start`)).body.status).toBe('ACTIVE');
    const back = await socketOf(platform, maya); // it does not go back
    await wait(HOST_AWAY_MILLIS);
    expect((await rest(maya, 'GET', `/squads/${squadId}`)).body.hostId).toBe(ida.id);
    await Promise.all([idas.close(), leos.close(), back.close()]);
  }, 30_000);

  test('stays while they are connected, and while nobody is', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    const [mayas, leos] = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
    await leos.send('join_squad', { squadId });
    await wait(HOST_AWAY_MILLIS * 1.5);
    expect((await rest(leo, 'GET', `/squads/${squadId}`)).body.hostId).toBe(maya.id);
    await Promise.all([mayas.close(), leos.close()]);
    await wait(HOST_AWAY_MILLIS * 1.5);
    expect((await rest(leo, 'GET', `/squads/${squadId}`)).body.hostId).toBe(maya.id);
  });
});

test('a LOBBY ends by itself once nobody of it has been connected for its lifetime', async () => {
  const [maya, leo] = (await people(2)) as [Person, Person];
  const kept = await socketOf(platform, leo);
  const [mayas, leos] = await Promise.all([squadOf(maya), squadOf(leo)]);
  await wait(LOBBY_LIFETIME_MILLIS * 1.3);
  expect((await rest(maya, 'GET', `/squads/${mayas}`)).body.status).toBe('ENDED');
  expect((await rest(maya, 'GET', '/squads')).body).toEqual([]);
  expect((await rest(maya, 'GET', `/history/${maya.id}`)).body).toEqual([]);
  expect((await rest(leo, 'GET', `/squads/${leos}`)).body.status).toBe('LOBBY');
  await kept.close();
});
