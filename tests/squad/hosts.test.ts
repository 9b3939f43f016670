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

describe('the host', () => {
  /**
   * For each door, a function by which a user kicks another one or makes them the host. It resolves to the squad, or
   * throws an error with status and code.
   */
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

  test.each(Object.entries(doors))(
    'can kick a participant by %s; the participant then needs a new invite to return',
    async (_door, act) => {
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
      expect(await seen(leo, squadId)).toEqual(NOT_VISIBLE);
      expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).body.code).toBe('NOT_FOUND');
      await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId });
      expect((await rest(leo, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
    },
  );

  test('can kick an invitee who has accepted their invite; the invitee can then no longer join', async () => {
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

  test.each(Object.entries(doors))('can make another participant the host by %s', async (_door, act) => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const squadId = await squadOf(maya, leo);
    const [mayas, leos] = await Promise.all([socketOf(platform, maya), socketOf(platform, leo)]);
    for (const socket of [mayas, leos]) await socket.send('join_squad', { squadId });
    await expect(act(maya, 'host', squadId, maya.id)).rejects.toThrow('400 VALIDATION_FAILED');
    await expect(act(maya, 'host', squadId, ida.id)).rejects.toThrow('404 NOT_FOUND');
    expect((await act(maya, 'host', squadId, leo.id)).hostId).toBe(leo.id);
    for (const socket of [mayas, leos])
      expect(await socket.next('squad_updated', ({ hostId }) => hostId === leo.id)).toMatchObject({
        participant: null,
      });
    await expect(act(maya, 'host', squadId, maya.id)).rejects.toThrow('403 FORBIDDEN');
    await Promise.all([mayas.close(), leos.close()]);
  });
});
