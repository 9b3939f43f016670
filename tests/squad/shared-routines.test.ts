import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import type { Person } from './support/people.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform({ services: ['identity', 'gym', 'content', 'squad'], gateway: true });
});
afterAll(() => platform.stop());

const content = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('content', method, path, { token: by.token, ...(body && { body }) });
const squad = (by: Person, method: string, path: string, body?: object) =>
  platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
const statusOf = async (by: Person, path: string) => (await content(by, 'GET', path)).status;

/** A private routine with a custom exercise, at version 1, and a squad of its owner that trains it. */
async function sharedRoutine() {
  const [host, guest, stranger] = await Promise.all([
    platform.register(),
    platform.register(),
    platform.register(),
  ]);
  const exercise = {
    name: `Rope ${randomUUID()}`,
    primaryMuscles: ['core'],
    equipment: 'none',
    category: 'strength',
    level: 'Beginner',
    modality: 'BODYWEIGHT_REPS',
  };
  const custom = await content(host, 'POST', '/exercises', exercise);
  expect(custom.status).toBe(201);
  const exercises = [{ entries: [{ exerciseId: custom.body.id, sets: [{ reps: 5 }, { reps: 5 }] }] }];
  const created = await content(host, 'POST', '/workouts', {
    title: 'Mine',
    difficulty: 'Beginner',
    category: 'Strength',
    exercises,
  });
  expect(created.status).toBe(201);
  const { body: session } = await squad(host, 'POST', '/squads', { routineId: created.body.id });
  return {
    host,
    guest,
    stranger,
    routineId: created.body.id,
    exerciseId: custom.body.id,
    squadId: session.id,
  };
}

test('participants and invitees of an open squad can read only the version of a private routine that it trains', async () => {
  const { host, guest, stranger, routineId, exerciseId, squadId } = await sharedRoutine();
  const first = `/workouts/${routineId}?version=1`;
  const paths = [first, `/workouts/${routineId}/exercises?version=1`, `/exercises/${exerciseId}`];
  const statuses = (by: Person) => Promise.all(paths.map((path) => statusOf(by, path)));
  expect(await statuses(guest)).toEqual([404, 404, 404]);
  const { body: invite } = await squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
  expect(await statuses(guest)).toEqual([200, 200, 200]);
  expect((await content(guest, 'GET', paths[1] ?? '')).body).toMatchObject([{ id: exerciseId }]);
  await squad(guest, 'POST', `/invites/${invite.id}/respond`, { accept: true });
  expect(await statuses(guest)).toEqual([200, 200, 200]);
  await squad(guest, 'POST', `/squads/${squadId}/join`);
  expect(await statuses(guest)).toEqual([200, 200, 200]);

  // A user whom a participant has blocked may not enter the squad, also if somebody else has invited them.
  const other = await platform.register();
  await squad(guest, 'POST', '/invites', { toUserId: other.id, squadId });
  expect(await statuses(other)).toEqual([200, 200, 200]);
  expect((await squad(host, 'POST', `/blocks/${other.id}`)).status).toBeLessThan(300);
  expect(await statuses(other)).toEqual([404, 404, 404]);

  // A guest can read only this version, and nothing else of the routine.
  await content(host, 'PUT', `/workouts/${routineId}`, { title: 'Secret' });
  expect((await content(guest, 'GET', first)).body).toMatchObject({ title: 'Mine', version: 1 });
  for (const path of ['', '?version=2', '/versions'])
    expect(await statusOf(guest, `/workouts/${routineId}${path}`)).toBe(404);
  expect((await content(guest, 'POST', `/workouts/${routineId}/copy`, {})).status).toBe(404);
  expect((await squad(guest, 'POST', '/squads', { routineId })).status).toBe(400);
  expect(await statuses(stranger)).toEqual([404, 404, 404]);

  const session = `query ($id: ID!) { squadSession(id: $id) { routine { title exerciseList { id } } } }`;
  const { data } = await platform.graph('gateway', session, { id: squadId }, { token: guest.token });
  expect(data.squadSession.routine).toEqual({ title: 'Mine', exerciseList: [{ id: exerciseId }] });

  await squad(host, 'POST', `/squads/${squadId}/end`);
  expect(await statuses(guest)).toEqual([404, 404, 404]);
  expect(await statuses(host)).toEqual([200, 200, 200]);
});

test('a user who was removed, or whose invite was revoked, can no longer read the routine; their own sets become a training', async () => {
  const { host, guest, routineId, exerciseId, squadId } = await sharedRoutine();
  const path = `/workouts/${routineId}?version=1`;
  const { body: invite } = await squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
  expect(await statusOf(guest, path)).toBe(200);
  await squad(host, 'DELETE', `/invites/${invite.id}`);
  expect(await statusOf(guest, path)).toBe(404);
  await squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
  await squad(guest, 'POST', `/squads/${squadId}/join`);
  const set = { eventId: 'one', exerciseIndex: 0, setIndex: 1, phase: 'REST', set: { reps: 7 } };
  expect((await squad(guest, 'POST', `/squads/${squadId}/workout`, set)).status).toBe(200);
  await squad(host, 'POST', `/squads/${squadId}/kick`, { userId: guest.id });
  expect(await statusOf(guest, path)).toBe(404);
  const [training] = await eventually(async () => {
    const { body } = await content(guest, 'GET', '/trainings');
    return body.length > 0 && body;
  });
  expect(training).toMatchObject({
    title: 'Mine',
    routineId,
    routineVersion: 1,
    squadId,
    entries: [{ exerciseId, sets: [{ reps: 7 }] }],
  });
});

test('a user who has left the squad can no longer read the routine, unless they are invited again', async () => {
  const { host, guest, routineId, exerciseId, squadId } = await sharedRoutine();
  const paths = [
    `/workouts/${routineId}?version=1`,
    `/workouts/${routineId}/exercises?version=1`,
    `/exercises/${exerciseId}`,
  ];
  const statuses = () => Promise.all(paths.map((path) => statusOf(guest, path)));
  const invite = () => squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
  const { body: accepted } = await invite();
  await squad(guest, 'POST', `/invites/${accepted.id}/respond`, { accept: true });
  await squad(guest, 'POST', `/squads/${squadId}/join`);
  expect(await statuses()).toEqual([200, 200, 200]);
  expect((await squad(guest, 'POST', `/squads/${squadId}/leave`)).status).toBe(200);
  expect(await statuses()).toEqual([404, 404, 404]);
  await invite();
  expect(await statuses()).toEqual([200, 200, 200]);
});

test('while squad does not answer, a private routine exists for its owner only', async () => {
  const { host, guest, routineId, squadId } = await sharedRoutine();
  await squad(host, 'POST', '/invites', { toUserId: guest.id, squadId });
  await platform.running('squad').stop();
  const path = `/workouts/${routineId}?version=1`;
  expect([await statusOf(guest, path), await statusOf(host, path)]).toEqual([404, 200]);
});

test('a user may not ask which routines their squads train', async () => {
  const person = await platform.register();
  await platform.restart('squad');
  expect((await squad(person, 'GET', `/trained-routines/${person.id}`)).status).toBe(403);
});
