import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  squads,
  type NoSquad,
  type SquadItem,
  type SquadState,
} from '../../subgraphs/squad/squads/squad.journal.ts';
import { eventually } from '../support/eventually.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { exerciseOf, type Person } from './support/people.ts';

const MINUTE_MILLIS = 60_000;
const BEGIN = Date.parse('2026-01-31T18:00:00Z');
const at = (minute: number) => new Date(BEGIN + minute * MINUTE_MILLIS).toISOString();

describe('the minutes of a history row', () => {
  test('are the minutes from joining to leaving, over all stays, without LOBBY and pauses', () => {
    const people = ['anna', 'ben', 'cleo'];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 6 })), { maxLength: 25 }),
        // Each action comes some minutes after the previous one. 0 to 2: this user joins or leaves; 3 to 5: the squad is
        // started, paused or resumed; 6: it ends.
        (actions) => {
          let squad: SquadState | NoSquad = squads.empty('s');
          const apply = (item: SquadItem) => (squad = squads.apply(squad, item));
          apply({
            type: 'created',
            id: 's',
            gymId: 'g',
            hostId: 'anna',
            routineId: null,
            routineVersion: null,
            at: at(0),
          });
          // The test counts the minutes of each participant itself.
          const model = new Map(
            people.map((name) => [name, { in: name === 'anna', minutes: 0, from: -1, rows: 0 }]),
          );
          let status: string = 'LOBBY';
          let now = 0;
          const expected = new Map<string, { minutes: number; startedAt: string; endedAt: string }>();
          const begin = () =>
            model.forEach((one) => {
              if (one.in && one.from < 0 && (status === 'ACTIVE' || status === 'PAUSED')) one.from = now;
            });
          const leave = (name: string) => {
            const one = model.get(name);
            if (!one) return;
            one.in = false;
            if (one.from >= 0)
              expected.set(name, { minutes: one.minutes, startedAt: at(one.from), endedAt: at(now) });
          };
          const end = () => {
            status = 'ENDED';
            for (const [name, one] of model) if (one.in) leave(name);
          };
          for (const [minutes, action] of actions) {
            if (status === 'ENDED') break;
            for (const one of model.values()) if (one.in && status === 'ACTIVE') one.minutes += minutes;
            now += minutes;
            const name = people[action % 3] as string;
            const who = model.get(name);
            if (action < 3 && who && !who.in) {
              who.in = true;
              apply({ type: 'joined', userId: name, at: at(now) });
            } else if (action < 3 && who?.in) {
              leave(name);
              apply({ type: 'left', userId: name, banned: false, at: at(now) });
              if (![...model.values()].some((one) => one.in)) end();
            } else if (action < 6) {
              if (status === 'LOBBY' && action === 5) continue;
              const next = status === 'ACTIVE' ? 'PAUSED' : 'ACTIVE';
              status = next;
              apply({ type: 'status', status: next, userId: 'anna', at: at(now) });
            } else {
              end();
              apply({ type: 'status', status: 'ENDED', userId: 'anna', at: at(now) });
            }
            begin();
          }
          const { rows } = squad as unknown as SquadState;
          expect(
            Object.fromEntries(
              Object.entries(rows).map(([name, { minutes, startedAt, endedAt }]) => [
                name,
                { minutes, startedAt, endedAt },
              ]),
            ),
          ).toEqual(Object.fromEntries(expected));
          // The compacted journal, from which a restart computes the state, leads to the same state.
          expect(squads.compacted(squad).reduce(squads.apply, squads.empty('s'))).toEqual(squad);
        },
      ),
      { numRuns: Number(process.env.HISTORY_RUNS ?? 500) },
    );
  });
});

describe('a history row', () => {
  let platform: TestPlatform;
  let staff: string;
  let exerciseId: string;
  beforeAll(async () => {
    platform = await startPlatform({ services: ['identity', 'content', 'squad', 'gym'], gateway: true });
    staff = await platform.demo('admin@iron.test');
    exerciseId = (await exerciseOf(platform)).id;
  });
  afterAll(() => platform.stop());

  const rest = (by: Person, method: string, path: string, body?: object) =>
    platform.rest('squad', method, path, { token: by.token, ...(body && { body }) });
  const people = (count: number): Promise<Person[]> =>
    Promise.all(Array.from({ length: count }, () => platform.register()));
  const enter = async (host: Person, guest: Person, squadId: string) => {
    await rest(host, 'POST', '/invites', { toUserId: guest.id, squadId });
    expect((await rest(guest, 'POST', `/squads/${squadId}/join`)).status).toBe(200);
  };
  const set = (setIndex: number) => ({
    eventId: randomUUID(),
    exerciseIndex: 0,
    setIndex,
    exerciseId,
    phase: 'WORK',
    set: { reps: 5 },
  });
  const historyOf = async (person: Person) => (await rest(person, 'GET', `/history/${person.id}`)).body;

  test('is written when a participant who has trained leaves, and includes their later stays', async () => {
    const [maya, leo, ida, zoe] = (await people(4)) as [Person, Person, Person, Person];
    const { body: squad } = await rest(maya, 'POST', '/squads', {});
    const { id: squadId } = squad;
    for (const guest of [leo, ida]) await enter(maya, guest, squadId);
    await rest(ida, 'POST', `/squads/${squadId}/leave`); // in the LOBBY
    expect(await historyOf(ida)).toEqual([]);
    await rest(maya, 'POST', `/squads/${squadId}/start`);
    for (const index of [0, 1]) await rest(leo, 'POST', `/squads/${squadId}/workout`, set(index));
    await rest(leo, 'POST', `/squads/${squadId}/leave`);
    const first = await eventually(async () => {
      const [row] = await historyOf(leo);
      return row?.trainingId === null ? undefined : row; // the training is written after they have left
    });
    expect(first).toEqual({
      squadId,
      routineId: null,
      routineVersion: null,
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      minutes: 0,
      sets: 2,
      trainingId: expect.any(String),
      participantIds: [maya.id, leo.id],
    });
    expect(await historyOf(maya)).toEqual([]); // Maya still trains.
    await enter(maya, leo, squadId);
    await rest(leo, 'POST', `/squads/${squadId}/workout`, set(2));
    await enter(maya, zoe, squadId);
    await rest(maya, 'POST', `/squads/${squadId}/end`);
    const { startedAt, trainingId } = first;
    expect(await historyOf(leo)).toMatchObject([{ squadId, sets: 3, startedAt, trainingId }]);
    expect((await historyOf(leo))[0].endedAt > first.endedAt).toBe(true);
    const [zoes] = await historyOf(zoe);
    expect(zoes).toMatchObject({ sets: 0, minutes: 0 });
    expect(new Set(zoes.participantIds)).toEqual(new Set([maya.id, leo.id, zoe.id]));
    expect(await historyOf(ida)).toEqual([]);
  });

  test('does not name a participant to another one if one of the two has blocked the other', async () => {
    const [maya, leo] = (await people(2)) as [Person, Person];
    const { body: squad } = await rest(maya, 'POST', '/squads', {});
    await enter(maya, leo, squad.id);
    await rest(maya, 'POST', `/squads/${squad.id}/start`);
    await rest(maya, 'POST', `/squads/${squad.id}/end`);
    await rest(leo, 'POST', `/blocks/${maya.id}`);
    expect((await historyOf(maya))[0].participantIds).toEqual([maya.id, null]);
    expect((await historyOf(leo))[0].participantIds).toEqual([null, leo.id]);
    const { data } = await platform.graph(
      'gateway',
      '{ me { squadHistory { nodes { participants { id } } } } }',
      {},
      { token: maya.token },
    );
    expect(data.me.squadHistory.nodes).toEqual([{ participants: [{ id: maya.id }, null] }]);
    await rest(leo, 'DELETE', `/blocks/${maya.id}`);
    expect((await historyOf(maya))[0].participantIds).toEqual([maya.id, leo.id]);
  });

  test('has the routine in the version that was trained, also after the routine was changed and deleted', async () => {
    const maya = await platform.register();
    const content = (method: string, path: string, body?: object) =>
      platform.rest('content', method, path, { token: staff, ...(body && { body }) });
    const { body: routine } = await content('POST', '/workouts', {
      title: 'First',
      difficulty: 'Beginner',
      category: 'Strength',
      exercises: [{ entries: [{ exerciseId, sets: [{ reps: 5 }] }] }],
    });
    const { body: squad } = await rest(maya, 'POST', '/squads', { routineId: routine.id });
    expect((await content('PUT', `/workouts/${routine.id}`, { title: 'Second' })).status).toBe(200);
    const fields = 'routineVersion routine { id version title exerciseList { id } }';
    const expected = {
      routineVersion: 1,
      routine: { id: routine.id, version: 1, title: 'First', exerciseList: [{ id: exerciseId }] },
    };
    const shown = async () => {
      const { data, errors } = await platform.graph(
        'gateway',
        `query($s: ID!) { squadSession(id: $s) { ${fields} } me { squadHistory { nodes { ${fields} } } } }`,
        { s: squad.id },
        { token: maya.token },
      );
      expect(errors).toBeUndefined();
      return [data.squadSession, ...data.me.squadHistory.nodes];
    };
    expect(await shown()).toEqual([expected]);
    await rest(maya, 'POST', `/squads/${squad.id}/workout`, set(0));
    await rest(maya, 'POST', `/squads/${squad.id}/end`);
    expect(await shown()).toEqual([expected, expected]);
    expect((await content('DELETE', `/workouts/${routine.id}`)).status).toBe(204);
    expect(await shown()).toEqual([expected, expected]);
    expect(await historyOf(maya)).toMatchObject([{ routineId: routine.id, routineVersion: 1, sets: 1 }]);
  });
});
