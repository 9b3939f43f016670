import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, graphClient, socketOf, subscribed, type Person } from './support/people.ts';
import { squadOf as squadWith } from './support/squads.ts';

let platform: TestPlatform;
let exerciseId: string;
beforeAll(async () => {
  platform = await startPlatform({
    services: ['identity', 'content', 'squad'],
    env: {
      SQUAD_INVITE_LIFETIME_MILLIS: '1500',
      GYM_URL: 'http://127.0.0.1:9',
    },
  });
  exerciseId = (await exerciseOf(platform)).id;
});
afterAll(() => platform.stop());

const rest = (by: Person, method: string, path: string, body?: object, headers?: Record<string, string>) =>
  platform.rest('squad', method, path, {
    token: by.token,
    ...(body && { body }),
    ...(headers && { headers }),
  });
const people = (count: number): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => platform.register()));

const squadOf = (...members: Person[]) => squadWith(platform, ...members);
const workout = (eventId: string, setIndex = 0, phase = 'WORK') => ({
  eventId,
  exerciseIndex: 0,
  setIndex,
  exerciseId,
  phase,
  set: { reps: 10, weightKg: 60.5 },
});

describe('a live squad', () => {
  test('is started, paused, continued and ended by its host only, and is in the history of all participants', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const id = await squadOf(maya, leo);
    for (const action of ['start', 'pause', 'end'])
      expect((await rest(leo, 'POST', `/squads/${id}/${action}`)).body.code).toBe('FORBIDDEN');
    expect((await rest(maya, 'POST', `/squads/${id}/pause`)).body.code).toBe('CONFLICT');
    expect((await rest(maya, 'POST', `/squads/${id}/start`)).body).toMatchObject({
      status: 'ACTIVE',
      startedAt: expect.any(String),
    });
    expect((await rest(leo, 'POST', `/squads/${id}/workout`, workout('1'))).status).toBe(200);
    expect((await rest(maya, 'POST', `/squads/${id}/pause`)).body.status).toBe('PAUSED');
    expect((await rest(leo, 'POST', `/squads/${id}/workout`, workout('2'))).body.code).toBe('SQUAD_PAUSED');
    expect((await rest(maya, 'POST', `/squads/${id}/start`)).body).toMatchObject({
      status: 'ACTIVE',
      pausedAt: null,
    });
    expect((await rest(maya, 'POST', `/squads/${id}/end`)).body.status).toBe('ENDED');
    for (const refused of ['join', 'start'])
      expect((await rest(maya, 'POST', `/squads/${id}/${refused}`)).body.code).toBe('SQUAD_ENDED');
    expect((await rest(leo, 'POST', `/squads/${id}/workout`, workout('3'))).body.code).toBe('SQUAD_ENDED');
    expect((await rest(leo, 'POST', `/squads/${id}/messages`, { text: 'late' })).body.code).toBe(
      'SQUAD_ENDED',
    );
    const history = await eventually(async () => {
      const { body } = await rest(leo, 'GET', `/history/${leo.id}`);
      return body[0]?.trainingId !== null && body; // the training is written after the end of the squad
    });
    const { body: trainings } = await platform.rest('content', 'GET', '/trainings', { token: leo.token });
    expect(trainings).toMatchObject([
      { squadId: id, entries: [{ exerciseId, sets: [{ reps: 10, weightKg: 60.5 }] }] },
    ]);
    expect(history).toEqual([
      {
        squadId: id,
        routineId: null,
        routineVersion: null,
        startedAt: expect.any(String),
        endedAt: expect.any(String),
        minutes: 0,
        sets: 1,
        trainingId: trainings[0].id,
        participantIds: [maya.id, leo.id],
      },
    ]);
    const { data } = await platform.graph(
      'squad',
      'query($r: [_Any!]!) { _entities(representations: $r) { ... on User { squadHistory { nodes { squadId sets participants { id } } } } } }',
      { r: [{ __typename: 'User', id: maya.id }] },
      { token: maya.token },
    );
    expect(data._entities[0].squadHistory.nodes).toEqual([
      { squadId: id, sets: 0, participants: [{ id: maya.id }, { id: leo.id }] },
    ]);
  });

  test('gets the participant who has been in it longest as host if the host leaves, and ends when the last one leaves', async () => {
    const [maya, leo, ida] = (await people(3)) as [Person, Person, Person];
    const id = await squadOf(maya, leo, ida);
    await rest(leo, 'POST', `/squads/${id}/workout`, workout('1'));
    const socket = await socketOf(platform, ida);
    await socket.send('join_squad', { squadId: id });
    expect((await rest(maya, 'POST', `/squads/${id}/leave`)).body.hostId).toBe(leo.id);
    expect(await socket.next('squad_left', ({ userId }) => userId === maya.id)).toMatchObject({
      hostId: leo.id,
      status: 'ACTIVE',
    });
    expect((await rest(maya, 'POST', `/squads/${id}/leave`)).body.code).toBe('NOT_FOUND'); // Maya has left already.
    await rest(leo, 'POST', `/squads/${id}/leave`);
    expect((await socket.send('leave_squad', { squadId: id })).session.status).toBe('ENDED');
    expect((await rest(maya, 'GET', `/history/${maya.id}`)).body).toHaveLength(1);
    await socket.close();
  });

  test('applies an update once, also if it is sent several times and by several doors', async () => {
    const [maya] = (await people(1)) as [Person];
    const id = await squadOf(maya);
    const socket = await socketOf(platform, maya);
    const eventId = randomUUID();
    const first = await socket.send('update_workout', { squadId: id, ...workout(eventId, 4), phase: 'REST' });
    await socket.send('update_workout', { squadId: id, ...workout(randomUUID(), 5), phase: 'WORK' });
    const again = await socket.send('update_workout', { squadId: id, ...workout(eventId, 4), phase: 'REST' });
    expect(again.revision).toBe(first.revision);
    expect((await rest(maya, 'POST', `/squads/${id}/workout`, workout(eventId, 9))).body.revision).toBe(
      first.revision,
    );
    const { body } = await rest(maya, 'GET', `/squads/${id}`);
    expect(body.participants[0]).toMatchObject({ setIndex: 5, setsDone: 2 });
    expect(body.revision).toBe(first.revision + 1);
    await socket.close();
  });

  test('sends a client that returns exactly the events that it has missed, in order', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const id = await squadOf(maya, leo);
    const first = await socketOf(platform, leo);
    const { session } = await first.send('join_squad', { squadId: id });
    first.socket.terminate();
    for (let set = 0; set < 5; set += 1)
      await rest(maya, 'POST', `/squads/${id}/workout`, workout(`${set}`, set));
    const again = await socketOf(platform, leo);
    const {
      missed,
      complete,
      session: now,
    } = await again.send('join_squad', { squadId: id, fromRevision: session.revision });
    expect(complete).toBe(true);
    expect(missed.map(({ revision, participant }) => [revision, participant?.setIndex])).toEqual(
      [0, 1, 2, 3, 4].map((set) => [session.revision + 1 + set, set]),
    );
    expect(now.revision).toBe(session.revision + 5);
    expect(
      (await rest(leo, 'GET', `/squads/${id}/events?fromRevision=${session.revision}`)).body.missed,
    ).toEqual(missed);
    const graph = graphClient(platform.url('squad'), leo.token);
    const updates = await subscribed<{ squadUpdated: { revision: number } }>(
      graph,
      'subscription($s: ID!) { squadUpdated(squadId: $s, fromRevision: 1) { revision } }',
      { s: id },
    );
    expect((await updates.next(() => true)).squadUpdated.revision).toBe(now.revision);
    await rest(maya, 'POST', `/squads/${id}/end`);
    await updates.done;
    await graph.dispose();
    await again.close();
  });

  test('has the same session and chat after a restart of the service', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const id = await squadOf(maya, leo);
    await rest(leo, 'POST', `/squads/${id}/workout`, workout('1', 3));
    await rest(leo, 'POST', `/squads/${id}/messages`, { text: 'still here' });
    const { body: before } = await rest(maya, 'GET', `/squads/${id}`);
    await platform.restart('squad');
    expect((await rest(maya, 'GET', `/squads/${id}`)).body).toEqual(before);
    expect((await rest(maya, 'GET', `/squads/${id}/messages`)).body).toMatchObject([
      { text: 'still here', userId: leo.id },
    ]);
    expect((await rest(leo, 'POST', `/squads/${id}/workout`, workout('1', 3))).body.revision).toBe(
      before.revision,
    );
  });
});

describe('the chat', () => {
  test('has pages, the newest message first, by REST and graph, and stores one message for a clientId of a user', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const id = await squadOf(maya, leo);
    for (const text of ['a', 'b', 'c', 'd', 'e'])
      await rest(maya, 'POST', `/squads/${id}/messages`, { text, clientId: text });
    const again = await rest(maya, 'POST', `/squads/${id}/messages`, { text: 'other', clientId: 'c' });
    expect(again.body).toMatchObject({ text: 'c', seq: 3 });
    expect(
      (await rest(leo, 'POST', `/squads/${id}/messages`, { text: 'mine', clientId: 'c' })).body.seq,
    ).toBe(6);
    const first = await rest(leo, 'GET', `/squads/${id}/messages?limit=4`);
    expect(first.body.map(({ text }: { text: string }) => text)).toEqual(['mine', 'e', 'd', 'c']);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string;
    const second = await rest(leo, 'GET', next);
    expect(second.body.map(({ text }: { text: string }) => text)).toEqual(['b', 'a']);
    expect(second.headers.get('link')).toBeNull();
    expect((await rest(leo, 'GET', `/squads/${id}/messages?cursor=bogus`)).status).toBe(400);
    const page = await platform.graph(
      'squad',
      'query($s: ID!) { chatMessages(squadId: $s, first: 2) { nodes { text user { id } } pageInfo { hasNextPage } } }',
      { s: id },
      { token: leo.token },
    );
    expect(page.data.chatMessages).toEqual({
      nodes: [
        { text: 'mine', user: { id: leo.id } },
        { text: 'e', user: { id: maya.id } },
      ],
      pageInfo: { hasNextPage: true },
    });
    for (const text of ['', '   ', 'x'.repeat(2_001)])
      expect((await rest(leo, 'POST', `/squads/${id}/messages`, { text })).status).toBe(400);
  });

  test('repeats the answer of a repeated Idempotency-Key', async () => {
    const [maya] = (await people(1)) as [Person];
    const id = await squadOf(maya);
    const key = { 'Idempotency-Key': randomUUID() };
    const one = await rest(maya, 'POST', `/squads/${id}/messages`, { text: 'once' }, key);
    expect((await rest(maya, 'POST', `/squads/${id}/messages`, { text: 'once' }, key)).body).toEqual(
      one.body,
    );
    expect((await rest(maya, 'GET', `/squads/${id}/messages`)).body).toHaveLength(1);
  });
});

describe('an invite', () => {
  test('is sent to every device of its receiver that connects later, and opens a squad with the sender as host', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { status, body: invite } = await rest(maya, 'POST', '/invites', {
      toUserId: leo.id,
      message: 'legs?',
    });
    expect([status, invite]).toMatchObject([
      201,
      { fromUserId: maya.id, toUserId: leo.id, status: 'PENDING', message: 'legs?' },
    ]);
    expect((await rest(maya, 'GET', `/squads/${invite.squadId}`)).body).toMatchObject({
      hostId: maya.id,
      status: 'LOBBY',
    });
    const devices = await Promise.all([socketOf(platform, leo), socketOf(platform, leo)]);
    for (const device of devices) expect((await device.next('squad_invite_received')).invite).toEqual(invite);
    expect((await rest(leo, 'GET', '/invites')).body).toEqual([invite]);
    expect((await rest(maya, 'GET', '/invites?box=sent')).body).toEqual([invite]);
    await devices[0].send('respond_squad_invite', { inviteId: invite.id, accept: false });
    for (const device of devices)
      expect((await device.next('squad_invite_updated')).invite.status).toBe('DECLINED');
    expect((await rest(leo, 'POST', `/squads/${invite.squadId}/join`)).body.code).toBe('NOT_FOUND');
    for (const device of devices) await device.close();
  });

  test('is the same one if it is sent again, and its answer cannot be changed', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    expect(
      (await rest(maya, 'POST', '/invites', { toUserId: leo.id, squadId: invite.squadId })).body.id,
    ).toBe(invite.id);
    expect((await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true })).body.status).toBe(
      'ACCEPTED',
    );
    expect((await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true })).body.status).toBe(
      'ACCEPTED',
    );
    expect((await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: false })).body.code).toBe(
      'INVITE_CLOSED',
    );
    expect((await rest(maya, 'POST', `/invites/${invite.id}/respond`, { accept: true })).body.code).toBe(
      'NOT_FOUND',
    );
  });

  test('expires with an event, and then does not let its receiver join', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const socket = await socketOf(platform, leo);
    const { body: invite } = await rest(maya, 'POST', '/invites', { toUserId: leo.id });
    expect(
      (await socket.next('squad_invite_updated', (data) => data.invite.id === invite.id)).invite.status,
    ).toBe('EXPIRED');
    expect((await rest(leo, 'POST', `/invites/${invite.id}/respond`, { accept: true })).body.code).toBe(
      'INVITE_CLOSED',
    );
    expect((await rest(leo, 'POST', `/squads/${invite.squadId}/join`)).body.code).toBe('NOT_FOUND');
    expect((await rest(leo, 'GET', '/invites')).body[0].status).toBe('EXPIRED');
    await socket.close();
  });
});

describe('a gym', () => {
  test.each(['constructor', '__proto__', 'no-id'])('has no club with the id %s', async (groupId) => {
    const [maya] = (await people(1)) as [Person];
    for (const field of ['joinGroup', 'leaveGroup']) {
      const { errors } = await platform.graph(
        'squad',
        `mutation ($groupId: ID!) { ${field}(input: { groupId: $groupId }) { id } }`,
        { groupId },
        { token: maya.token },
      );
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
    }
  });

  test('has clubs that its members create, join and leave', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const name = `Early birds ${randomUUID()}`;
    const { status, body: group } = await rest(maya, 'POST', '/groups', { name });
    expect([status, group]).toMatchObject([201, { name, memberCount: 1, joined: true }]);
    expect((await rest(leo, 'POST', '/groups', { name: name.toUpperCase() })).body.code).toBe('CONFLICT');
    expect((await rest(leo, 'POST', `/groups/${group.id}/join`)).body.memberIds).toEqual([maya.id, leo.id]);
    expect((await rest(leo, 'GET', '/groups')).body).toContainEqual(
      expect.objectContaining({ id: group.id, joined: true, memberCount: 2 }),
    );
    const zoe = { id: '', token: await platform.demo('zoe@aqua.test') };
    expect((await rest(zoe, 'GET', '/groups')).body.map(({ id }: { id: string }) => id)).not.toContain(
      group.id,
    );
    expect((await rest(zoe, 'POST', `/groups/${group.id}/join`)).status).toBe(404);
    for (const member of [maya, leo]) await rest(member, 'POST', `/groups/${group.id}/leave`);
    expect((await rest(maya, 'GET', '/groups')).body.map(({ id }: { id: string }) => id)).not.toContain(
      group.id,
    );
  });

  test('has a feed in pages, also while the gym service does not answer', async () => {
    const [maya] = (await people(1)) as [Person];
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const id = await squadOf(maya);
      await rest(maya, 'POST', `/squads/${id}/start`);
      await rest(maya, 'POST', `/squads/${id}/end`);
      ids.unshift(id);
    }
    const first = await rest(maya, 'GET', '/feed?limit=2');
    expect(first.body).toMatchObject([
      { id: ids[0], kind: 'SQUAD_FINISHED', userId: maya.id },
      { id: ids[1] },
    ]);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] as string;
    expect((await rest(maya, 'GET', next)).body[0]).toMatchObject({ id: ids[2] });
    const { data } = await platform.graph(
      'squad',
      '{ feed(first: 1) { nodes { id kind at text user { id } participants { id } } pageInfo { hasNextPage } } }',
      {},
      { token: maya.token },
    );
    expect(data.feed.nodes[0]).toMatchObject({ id: ids[0], user: { id: maya.id } });
  });
});
