import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from '@jest/globals';
import { DEMO_GYMS } from '#server/demo-ids.ts';
import { libraryExerciseId } from '../../subgraphs/content/exercises/library-exercise.ts';
import { eventually } from '../support/eventually.ts';
import { randomFrom } from '../support/graph-doubles/random.ts';
import { act, remove } from './season/actions.ts';
import { EXERCISES as WATCH } from './season/activities.ts';
import { expectExercise, expectLog, expectScores, expectSummary, leaderboard } from './season/checks.ts';
import type { Season } from './season/made-up.ts';
import type { Challenge, Member } from './season/model.ts';
import { RunningPlatform } from './season/running-platform.ts';

/** The size of the season. A long run: SEASON_MEMBERS=200 SEASON_DAYS=365 SEASON_ACTIONS=100 SEASON_KILLS=8. */
const MEMBERS = Number(process.env.SEASON_MEMBERS ?? 4);
const DAYS = Number(process.env.SEASON_DAYS ?? 200);
/** The number of actions of each member. */
const ACTIONS = Number(process.env.SEASON_ACTIONS ?? 24);
const KILLS = Number(process.env.SEASON_KILLS ?? 1);
/** With the same seed the members do the same things; only times and the order of simultaneous requests differ. */
const SEED = process.env.SEASON_SEED ?? randomUUID();
/** The number of members who act at the same time. */
const AT_ONCE = 12;

const DAY_MILLIS = 86_400_000;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];
const WEIGHTED = ['Barbell Bench Press', 'Barbell Back Squat', 'Pull-Up'];
const [TIMED, DISTANCE] = ['Plank', 'Treadmill Run'];
const EXERCISES = {
  weighted: WEIGHTED.map((name) => libraryExerciseId(name)),
  timed: libraryExerciseId(TIMED),
  distance: libraryExerciseId(DISTANCE),
  watch: {
    running: libraryExerciseId(WATCH.running),
    cycling: libraryExerciseId(WATCH.cycling),
  },
  names: new Map([...WEIGHTED, TIMED, DISTANCE].map((name) => [libraryExerciseId(name), name])),
};
const ALL = [...EXERCISES.weighted, EXERCISES.timed, EXERCISES.distance, ...Object.values(EXERCISES.watch)];

let platform: RunningPlatform | undefined;
afterAll(() => platform?.stop());

/** Runs the work of all members, for some of them at the same time. Meanwhile the platform is killed `kills` times. */
async function season(
  running: RunningPlatform,
  members: readonly Member[],
  kills: number,
  work: (member: Member) => Promise<void>,
) {
  const waiting = [...members];
  let done = 0;
  const worker = async () => {
    for (let member = waiting.shift(); member; member = waiting.shift()) {
      await work(member);
      done += 1;
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, worker));
  for (let kill = 1; kill <= kills; kill += 1) {
    const share = (kill * members.length) / (kills + 1);
    await Promise.race([all, eventually(async () => done >= Math.floor(share), 3_600_000)]);
    await running.kill();
  }
  await all;
}

async function register(running: RunningPlatform, index: number): Promise<Member> {
  const account = {
    email: `${randomUUID()}@season.test`,
    password: `pass-${randomUUID()}`,
    displayName: `M${index}`,
  };
  const { body } = await running.call('POST', '/identity/auth/register', undefined, {
    ...account,
    gymId: DEMO_GYMS.ironTemple.id,
  });
  const token = await running.login(account.email, account.password);
  const timezone = ZONES[index % ZONES.length] ?? 'UTC';
  await running.expect('PUT', '/identity/profile', token, { timezone });
  return { ...account, name: account.displayName, id: body.id, token, timezone, trainings: [], joined: [] };
}

it(`the training logs, records and scores equal an independent calculation, for every member, exercise and challenge (seed ${SEED})`, async () => {
  platform = await RunningPlatform.start();
  const running = platform;
  const now = Date.now();
  const random = randomFrom(SEED);
  const staff = await running.login('admin@iron.test');
  const challenges: Challenge[] = [];
  for (const [metric, days] of [
    ['WORKOUTS', DAYS],
    ['MINUTES', DAYS],
    ['MINUTES', DAYS / 3],
    ['WORKOUTS', DAYS / 2],
  ] as const) {
    const [start, end] = [now - Math.floor(days * DAY_MILLIS), now + DAY_MILLIS];
    const body = {
      title: `Season ${days}`,
      metric,
      goal: 1_000,
      startsAt: new Date(start).toISOString(),
      endsAt: new Date(end).toISOString(),
    };
    challenges.push({
      id: (await running.expect('POST', '/gym/challenges', staff, body)).id,
      metric,
      start,
      end,
    });
  }
  const members: Member[] = [];
  for (let index = 0; index < MEMBERS; index += 1) members.push(await register(running, index));
  const join = async (member: Member, { id }: Challenge) => {
    await running.expect('POST', `/gym/challenges/${id}/join`, member.token);
    member.joined.push(id);
  };
  const trained = async (member: Member, half: string, actions: number) => {
    // Each member has random numbers of their own, so that the order of the answers does not matter.
    const own: Season = {
      platform: running,
      random: randomFrom(`${SEED} ${member.name} ${half}`),
      days: DAYS,
      now,
      exercises: EXERCISES,
      squadToken: await running.squadToken(),
    };
    member.token = await running.login(member.email, member.password);
    for (let action = 0; action < actions; action += 1) await act(own, member);
    // For half of the members the last action is a deletion. If a deletion left the scores unmarked by mistake, a later action
    // would mark them, and the test would not notice the mistake.
    if (own.random.chance(0.5)) await remove(own, member);
  };

  for (const member of members)
    for (const challenge of challenges) if (random.chance(0.5)) await join(member, challenge);
  await season(running, members, Math.ceil(KILLS / 2), (member) =>
    trained(member, 'first half', Math.ceil(ACTIONS / 2)),
  );
  await expectScores(running, challenges, members);
  // One challenge ends: its leaderboard stays as it is.
  const [ended, ...open] = challenges as [Challenge, ...Challenge[]];
  const final = await leaderboard(running, ended);
  await running.expect('DELETE', `/gym/challenges/${ended.id}`, await running.login('admin@iron.test'));
  for (const member of members) {
    member.token = await running.login(member.email, member.password);
    for (const challenge of open) if (!member.joined.includes(challenge.id)) await join(member, challenge);
  }
  await season(running, members, Math.floor(KILLS / 2), (member) =>
    trained(member, 'second half', Math.floor(ACTIONS / 2)),
  );
  await expectScores(running, open, members);
  expect(await leaderboard(running, ended)).toEqual(final);
  expect(running.kills).toBe(KILLS);

  const library = new Map<string, string[]>();
  for (const id of ALL)
    library.set(
      id,
      (await running.expect('GET', `/content/exercises/${id}`, members[0]?.token ?? '')).primaryMuscles,
    );
  await season(running, members, 0, async (member) => {
    member.token = await running.login(member.email, member.password);
    await expectLog(running, member);
    for (const id of ALL) await expectExercise(running, member, id);
    await expectSummary(running, member, { now, days: DAYS }, library);
  });
  if (process.env.SEASON_MEMBERS) {
    const trainings = members.flatMap((member) => member.trainings);
    const sets = trainings.flatMap(({ entries }) => entries.flatMap((entry) => entry.sets));
    process.stderr.write(
      `season ${SEED}: ${MEMBERS} members, ${MEMBERS * ACTIONS} actions, ${KILLS} kills, at the end ${trainings.length} trainings with ${sets.length} sets\n`,
    );
  }
}, 3_600_000);
