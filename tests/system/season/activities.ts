import {
  fitFile,
  fitMessages,
  tcxOf,
  type PlannedActivity,
  type PlannedLap,
} from '../../content/import-files/activity-files.ts';
import { listed } from './listed.ts';
import { MINUTE_MILLIS, someTimes, type Season } from './made-up.ts';
import type { Member, Set, Training } from './model.ts';

const SPORTS = ['running', 'cycling'] as const;
const KINDS = ['fit', 'tcx'] as const;
/** The exercises to which the platform maps sports. */
export const EXERCISES = { running: 'Outdoor Run', cycling: 'Cycling' } as const;

const fileOf = (kind: (typeof KINDS)[number], activities: readonly PlannedActivity[]): Blob =>
  kind === 'fit'
    ? new Blob([new Uint8Array(fitFile(fitMessages(activities)))], { type: 'application/vnd.ant.fit' })
    : new Blob([tcxOf(activities)], { type: 'application/vnd.garmin.tcx+xml' });

/** The laps of an activity of some whole minutes, with pauses between them; the last one ends with the activity. */
function someLaps({ random }: Season, minutes: number): PlannedLap[] {
  const laps: PlannedLap[] = [];
  const seconds = minutes * 60;
  for (let after = 0; after < seconds;) {
    const left = seconds - after;
    const lasts = left < 120 || random.chance(0.3) ? left : 30 + random.below(left - 60);
    laps.push({
      after,
      millis: lasts * 1_000,
      centimeters: random.chance(0.9) ? random.below(1_000_000) : 0,
    });
    const pause = left - lasts > 60 && random.chance(0.3) ? random.below(30) : 0;
    after += lasts + pause;
  }
  return laps;
}

interface Recorded {
  activity: PlannedActivity;
  training: Training & { end: number };
}

function someActivity(season: Season, member: Member): Recorded {
  for (;;) {
    const { start, end } = someTimes(season, member);
    const lasted = (end - start) / MINUTE_MILLIS;
    if (lasted < 1) continue;
    const sport = season.random.pick(SPORTS);
    const laps = someLaps(season, lasted);
    const sets = laps.map(({ millis, centimeters }): Set => ({
      id: '', // the platform chooses it
      type: 'NORMAL',
      durationSeconds: millis / 1_000,
      ...(centimeters > 0 && { distanceMeters: centimeters / 100 }),
    }));
    const trained = laps.reduce((sum, { millis }) => sum + millis, 0);
    return {
      activity: { start: start / 1_000, sport, laps },
      training: {
        id: undefined,
        title: EXERCISES[sport],
        start,
        end,
        minutes: Math.floor(trained / MINUTE_MILLIS), // without the pauses
        timezone: member.timezone,
        entries: [{ exerciseId: season.exercises.watch[sport], sets }],
      },
    };
  }
}

const overlaps = (one: Recorded['training'], other: Recorded['training']): boolean =>
  one.start <= other.end + MINUTE_MILLIS && other.start <= one.end + MINUTE_MILLIS;

/** A file of a watch with up to four activities, which is sent twice, sometimes in the other format. */
export async function importActivities(season: Season, member: Member): Promise<void> {
  const { platform, random } = season;
  const recorded: Recorded[] = [];
  for (let count = 1 + random.below(4); count > 0; count -= 1) {
    const one = someActivity(season, member);
    // A watch does not record two activities at once. They may overlap with other trainings.
    if (recorded.some(({ training }) => overlaps(training, one.training))) continue;
    recorded.push(one);
    member.trainings.push(one.training);
  }
  recorded.sort((one, other) => one.training.start - other.training.start);
  const activities = recorded.map(({ activity }) => activity);
  const laps = activities.reduce((sum, one) => sum + one.laps.length, 0);
  const path = `/content/trainings/import?timezone=${encodeURIComponent(member.timezone)}`;
  for (let time = 0; time < 2; time += 1) {
    const report = await platform.expect('POST', path, member.token, fileOf(random.pick(KINDS), activities));
    const { failed, imported, duplicates, created } = report;
    if (failed > 0 || imported + duplicates !== laps || created.length > 0)
      throw new Error(`the import of activities lost laps: ${JSON.stringify(report)}`);
  }
  const stored = await listed(platform, member);
  for (const { training } of recorded) {
    const found = stored.find(({ startedAt }) => Date.parse(startedAt) === training.start);
    training.id = found?.id;
    takeIds(training, found?.entries ?? []);
  }
}

/** Copies the ids of the sets, which the platform has chosen. */
export function takeIds(training: Training, stored: Training['entries']): void {
  const ids = stored.flatMap(({ sets }) => sets.map(({ id }) => id));
  const sets = training.entries.flatMap((entry) => entry.sets);
  if (ids.length !== sets.length)
    throw new Error(`${sets.length} sets were imported, and ${ids.length} stored`);
  for (const [index, set] of sets.entries()) set.id = ids[index] ?? '';
}
