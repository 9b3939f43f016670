import type { Random } from '../../support/graph-doubles/random.ts';
import type { Member, Set, Training } from './model.ts';
import type { RunningPlatform } from './running-platform.ts';

export const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;
export const iso = (instant: number): string => new Date(instant).toISOString();

export interface Season {
  platform: RunningPlatform;
  random: Random;
  days: number;
  now: number;
  /** Ids of exercises, and `names`, the name of each id. */
  exercises: {
    weighted: string[];
    timed: string;
    distance: string;
    /** The exercises to which the platform maps the activities of watches. */
    watch: { running: string; cycling: string };
    names: ReadonlyMap<string, string>;
  };
  squadToken: string;
}

/** The beginning of the minute of this instant. */
export const minuteOf = (instant: number): number => instant - (instant % MINUTE_MILLIS);

function someSet({ random, exercises }: Season, exerciseId: string): Set {
  const type = random.pick(['NORMAL', 'NORMAL', 'NORMAL', 'WARMUP', 'DROP'] as const);
  const id = `s-${random.below(1e9)}-${random.below(1e9)}`;
  if (exerciseId === exercises.timed) return { id, type, durationSeconds: 20 + random.below(200) };
  if (exerciseId === exercises.distance)
    return {
      id,
      type,
      distanceMeters: 500 + random.below(9_000),
      durationSeconds: 300 + random.below(3_000),
    };
  return {
    id,
    type,
    reps: 1 + random.below(15),
    ...(random.chance(0.85) && { weightKg: 2.5 * (1 + random.below(50)) }),
  };
}

/** Many sets are equal to the one before, as in a real training. */
function someSets(season: Season, exerciseId: string): Set[] {
  const sets: Set[] = [];
  for (let left = 1 + season.random.below(4); left > 0; left -= 1) {
    const before = sets.at(-1);
    const set = someSet(season, exerciseId);
    sets.push(before && season.random.chance(0.4) ? { ...before, id: set.id } : set);
  }
  return sets;
}

export const someEntries = (season: Season) => {
  const { random, exercises } = season;
  return Array.from({ length: random.below(4) }, () => {
    const exerciseId = random.pick([...exercises.weighted, exercises.timed, exercises.distance]);
    return { exerciseId, sets: someSets(season, exerciseId) };
  });
};

/**
 * Times for a training. No two trainings of a member begin at the same minute, so that it is certain which one is the
 * last; some overlap.
 */
export function someTimes({ random, days, now }: Season, { trainings }: Member) {
  const other = trainings.length > 0 && random.chance(0.15) ? random.pick(trainings) : undefined;
  const latest = now - 3 * 60 * MINUTE_MILLIS;
  for (;;) {
    const start = other
      ? minuteOf(other.start + random.below(30) * MINUTE_MILLIS)
      : minuteOf(now - random.below(days * DAY_MILLIS - 4 * 60 * MINUTE_MILLIS) - 3 * 60 * MINUTE_MILLIS);
    if (start > latest || trainings.some((training) => training.start === start)) {
      if (other && random.chance(0.5)) return someTimesAlone({ random, days, now }, trainings);
      continue;
    }
    return timesFrom(random, start);
  }
}

function someTimesAlone(
  { random, days, now }: Pick<Season, 'random' | 'days' | 'now'>,
  trainings: readonly Training[],
) {
  for (;;) {
    const start = minuteOf(now - 3 * 60 * MINUTE_MILLIS - random.below(days * DAY_MILLIS));
    if (!trainings.some((training) => training.start === start)) return timesFrom(random, start);
  }
}

function timesFrom(random: Random, start: number) {
  const lasted = random.below(120);
  const minutes = random.chance(0.3) ? random.below(lasted + 1) : lasted;
  return { start, end: start + lasted * MINUTE_MILLIS, minutes };
}

export const newTraining = (season: Season, member: Member, kind: string): Training & { end: number } => ({
  id: undefined,
  title: `${kind} ${season.random.below(1e9)}`,
  ...someTimes(season, member),
  timezone: season.random.chance(0.9) ? member.timezone : 'Asia/Tokyo',
  entries: someEntries(season),
});
