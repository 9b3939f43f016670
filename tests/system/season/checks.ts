import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { listed } from './listed.ts';
import { measuresOf, type Challenge, type Member, type Training } from './model.ts';
import { lastSets, localDay, METRIC_NAMES, records, score, series, streakWeeks, summary } from './recount.ts';
import type { RunningPlatform } from './running-platform.ts';

const DAY_MILLIS = 86_400_000;

/** Compares two pairs by their ids. */
const byId = ([one]: readonly [string, number], [other]: readonly [string, number]): number =>
  one < other ? -1 : 1;

interface Entry {
  userId: string;
  score: number;
  reachedAt: string;
}

export async function leaderboard(running: RunningPlatform, { id }: Challenge): Promise<Entry[]> {
  const staff = await running.login('admin@iron.test');
  const all: Entry[] = [];
  let path: string | undefined = `/gym/challenges/${id}/leaderboard?limit=200`;
  while (path) {
    const { body, link }: { body: Entry[]; link: string } = await running.call('GET', path, staff);
    all.push(...body);
    path = /<([^>]+)>; rel="next"/.exec(link)?.[1];
  }
  return all;
}

/** Waits up to 90 s until the scores equal the recount, and checks that the best is first. */
export async function expectScores(
  running: RunningPlatform,
  challenges: readonly Challenge[],
  members: readonly Member[],
) {
  for (const challenge of challenges) {
    const expected = members
      .filter(({ joined }) => joined.includes(challenge.id))
      .map(({ id, trainings }) => [id, score(trainings, challenge)] as const)
      .toSorted(byId);
    const shown = async () =>
      (await leaderboard(running, challenge))
        .map(({ userId, score: found }) => [userId, found] as const)
        .toSorted(byId);
    await eventually(async () => JSON.stringify(await shown()) === JSON.stringify(expected), 90_000).catch(
      () => undefined,
    );
    expect(await shown()).toEqual(expected);
    const board = await leaderboard(running, challenge);
    expect(board).toEqual(
      board.toSorted(
        (a, b) =>
          b.score - a.score ||
          Date.parse(a.reachedAt) - Date.parse(b.reachedAt) ||
          (a.userId < b.userId ? -1 : 1),
      ),
    );
  }
}

/** A training with everything that decides its figures, and its sets without their order. */
const plain = ({ id, title, minutes, entries }: Pick<Training, 'id' | 'title' | 'minutes' | 'entries'>) => ({
  id,
  title,
  minutes,
  sets: entries
    .flatMap(({ exerciseId, sets }) => sets.map((set) => ({ exerciseId, ...set })))
    .map(({ exerciseId, id: setId, type, ...set }) => [setId, exerciseId, type, measuresOf(set)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
});

export async function expectLog(running: RunningPlatform, member: Member) {
  const shown = await listed(running, member);
  expect(
    shown
      .map(({ startedAt, endedAt, ...rest }) => ({
        start: Date.parse(startedAt),
        end: Date.parse(endedAt ?? ''),
        ...plain(rest),
      }))
      .toSorted((a, b) => a.start - b.start),
  ).toEqual(
    member.trainings
      .map(({ start, end, ...rest }) => ({ start, end, ...plain(rest) }))
      .toSorted((a, b) => a.start - b.start),
  );
}

export async function expectExercise(running: RunningPlatform, { token, trainings }: Member, id: string) {
  const shown = await running.expect('GET', `/content/exercises/${id}/records`, token);
  const { volume, ...bests } = records(trainings, id);
  expect(shown.volume?.value ?? 0).toBeCloseTo(volume ?? 0, 3);
  for (const [record, best] of Object.entries(bests)) {
    const { value = 0, reps = null, weightKg = null } = shown[record] ?? {};
    expect({ record, value, reps, weightKg }).toEqual({
      record,
      value: expect.closeTo(best?.value ?? 0, 2),
      reps: best?.reps ?? null,
      weightKg: best?.weightKg ?? null,
    });
  }
  for (const metric of METRIC_NAMES) {
    const { points } = await running.expect(
      'GET',
      `/content/exercises/${id}/progress?metric=${metric}`,
      token,
    );
    expect(points.map(({ date, value }: { date: string; value: number }) => ({ date, value }))).toEqual(
      series(trainings, id, metric).map(({ date, value }) => ({ date, value: expect.closeTo(value, 2) })),
    );
  }
  const last = await running.expect('GET', `/content/exercises/${id}/last`, token);
  expect(last.sets.map((set: { id: string }) => set.id).toSorted()).toEqual(
    lastSets(trainings, id)
      .map((set) => set.id)
      .toSorted(),
  );
}

export async function expectSummary(
  running: RunningPlatform,
  member: Member,
  { now, days }: { now: number; days: number },
  library: ReadonlyMap<string, string[]>,
) {
  const { token, trainings, timezone } = member;
  const [from, to] = [localDay(now - (days + 2) * DAY_MILLIS, timezone), localDay(now, timezone)];
  const ranges = [[from, to]];
  // The ranges end on many different days, because a streak is counted back from the end of a range.
  for (let ago = 6; ago < days; ago += Math.ceil(days / 12))
    ranges.push([
      localDay(now - (ago + 14) * DAY_MILLIS, timezone),
      localDay(now - ago * DAY_MILLIS, timezone),
    ]);
  for (const [first = from, last = to] of ranges) {
    const path = `/content/trainings/summary?from=${first}&to=${last}&bucket=month&timezone=${encodeURIComponent(timezone)}`;
    const shown = await running.expect('GET', path, token);
    const { byMuscle, ...sums } = summary(trainings, first, last, library);
    expect(shown).toMatchObject({
      ...sums,
      volumeKg: expect.closeTo(sums.volumeKg, 2),
      streakWeeks: streakWeeks(trainings, last),
    });
    expect(
      Object.fromEntries(
        shown.volumeByMuscle.map(({ muscle, volumeKg }: { muscle: string; volumeKg: number }) => [
          muscle,
          volumeKg,
        ]),
      ),
    ).toEqual(
      Object.fromEntries([...byMuscle].map(([muscle, kilograms]) => [muscle, expect.closeTo(kilograms, 2)])),
    );
  }
}
