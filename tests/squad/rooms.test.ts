import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { socketOf, type Person } from './support/people.ts';
import { NOT_VISIBLE, squadSeenBy, squadOf as squadWith } from './support/squads.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'squad'] });
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
const graph = (by: Person, query: string, variables: object) =>
  platform.graph('squad', query, variables, { token: by.token });
const people = (count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => platform.register()));

const squadOf = (...members: Person[]) => squadWith(platform, ...members);
const seen = (by: Person, squadId: string) => squadSeenBy(platform, by, squadId);

describe('a squad', () => {
  test('is not visible to an invitee before they join, whether they have accepted or not', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya);
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    expect(await seen(leo, squadId)).toEqual(NOT_VISIBLE);
    await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true });
    expect(await seen(leo, squadId)).toEqual(NOT_VISIBLE);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
    expect(await seen(leo, squadId)).toMatchObject({ session: 200, mine: true, updates: 'open' });
  });

  test('is no longer visible to a user who has left, who needs a new invite to return', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    const socket = await socketOf(platform, leo);
    await socket.send('join_squad', { squadId });
    expect((await rest(leo, 'POST', `/squads/${squadId}/leave`)).status).toBe(200);
    await rest(maya, 'POST', `/squads/${squadId}/messages`, { text: 'now that Leo is gone' });
    expect(await seen(leo, squadId)).toEqual(NOT_VISIBLE);
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    expect(JSON.stringify(socket.frames)).not.toContain('now that Leo is gone');
    await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
    expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
    await socket.close();
  });

  test('lets a host who has left return only by an invite, and another participant stays host', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const squadId = await squadOf(maya, leo);
    await rest(maya, 'POST', `/squads/${squadId}/leave`);
    expect((await rest(maya, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
    await rest(leo, 'POST', '/invites', { toUserId: maya.id, squadId });
    expect((await rest(maya, 'POST', `/squads/${squadId}/join`)).body.hostId).toBe(leo.id);
  });

  test.each(['not-a-uuid', 'constructor', '..%2F..%2Fetc'])('with the id %s does not exist', async (id) => {
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
  });
});

describe('an invite', () => {
  test('can be revoked by its sender only', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    expect((await rest(leo, 'DELETE', `/invites/${invite.id}`)).body.code).toBe('FORBIDDEN');
    expect((await rest(maya, 'DELETE', `/invites/${invite.id}`)).status).toBe(204);
    expect((await rest(leo, 'POST', `/squads/${invite.squadId}/join`)).body.code).toBe('NOT_FOUND');
  });

  test('stays valid if another invite to the same squad is revoked', async () => {
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

  test('is either accepted or revoked if both are requested at once', async () => {
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

  test('is REVOKED when its squad ends, for sender and receiver, and cannot be accepted', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    await rest(maya, 'POST', `/squads/${invite.squadId}/end`);
    expect((await rest(leo, 'GET', '/invites')).body).toMatchObject([{ id: invite.id, status: 'REVOKED' }]);
    expect((await rest(maya, 'GET', '/invites?box=sent')).body).toMatchObject([{ status: 'REVOKED' }]);
    const answer = await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true });
    expect([answer.status, answer.body.code]).toEqual([409, 'INVITE_CLOSED']);
  });

  test('is for a LOBBY of the sender that no other user has joined, if it names no squad', async () => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const { body: first } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    const { body: second } = await rest(maya, 'POST', '/invites', { toUserId: ida.id });
    expect(second.squadId).toBe(first.squadId);
    await rest(ida, 'POST', `/squads/${first.squadId}/join`);
    const { body: third } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    expect(third.squadId).not.toBe(first.squadId);
  });

  test('is refused if its message has only invisible characters; an empty message is stored as null', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const answer = await rest(maya, 'POST', '/invites', { toUserId: leo.id, message: '\u200B\u200D' });
    expect(answer.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'message' }] });
    expect((await rest(maya, 'POST', '/invites', { toUserId: leo.id, message: '' })).body.message).toBeNull();
  });
});

describe('the limit of five open squads', () => {
  test('holds for the squads that a user hosts, also if more are opened at once; after ending one they can open another', async () => {
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

  test('does not count the squads of other users that a user has joined', async () => {
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
