import { createHash } from 'node:crypto';
import { DAY_MILLIS } from '#server/durations.ts';
import { misshapen, wrong, type LineError, type LineOrErrors } from './imported-lines.ts';
import { SetInputShape, type SetInput } from './trainings.shapes.ts';

/** A lap, or a set with repetitions, of an activity. */
export interface ActivityPart {
  /** The line of the file, or the number of the lap or set in it. */
  line: number;
  startedAt: Date | undefined;
  /** NaN if the file has a value that is not a number; 0 if it has no value. */
  durationSeconds: number;
  distanceMeters: number;
  /** The name of an exercise, if it is not that of the activity. */
  exercise?: string;
  reps?: number;
  weightKg?: number;
  /** Whether this part is the rest after the previous part. */
  isRest?: boolean;
  isWarmup?: boolean;
}

/** One activity of a FIT or TCX file, which becomes a training. */
export interface Activity {
  /** In lower case with underscores, as in FIT. */
  sport: string;
  exercise: string;
  startedAt: Date | undefined;
  endedAt?: Date;
  title: string | null;
  note: string | null;
  parts: ActivityPart[];
}

/** The lines of activities: one for each of their parts. */
export const linesOfActivities = (activities: readonly Activity[]): LineOrErrors[] =>
  activities.flatMap(linesOf);

function linesOf(activity: Activity): LineOrErrors[] {
  const { startedAt, parts } = activity;
  if (!startedAt) return parts.map(({ line }) => wrong(line, 'startedAt', 'the activity has no beginning'));
  const training = keyOf(activity, startedAt);
  const lines: LineOrErrors[] = [];
  let previous: (LineOrErrors & { set?: unknown }) | undefined;
  const usable = parts.filter((part) => problemOf(part, startedAt) === undefined);
  const common = { training, trainingId: null, startedAt, ...endOf(activity, startedAt, usable) };
  for (const part of parts) {
    const { line } = part;
    const base = { line, ...common, title: activity.title, note: activity.note, exerciseId: null };
    const problem = problemOf(part, startedAt);
    if (problem) {
      lines.push(wrong(line, problem.column, problem.message));
      previous = lines.at(-1);
      continue;
    }
    if (part.isRest) {
      if (previous && 'set' in previous && previous.set) {
        (previous.set as SetInput).restSeconds = Math.min(3_600, Math.round(part.durationSeconds));
        lines.push({ ...base, exercise: null, set: null, restAfter: previous.line });
      } else lines.push(wrong(line, null, 'expected a set before its rest'));
      continue;
    }
    const set = setOf(part, startedAt);
    const checked = SetInputShape.safeParse(set);
    if (!checked.success) lines.push(misshapen(line, checked.error));
    else {
      const id = `a-${idOf(training, part, set)}`;
      lines.push({
        ...base,
        exercise: part.exercise ?? activity.exercise,
        set: { ...checked.data, id },
        ...(part.reps === undefined && { modality: 'DISTANCE_DURATION' as const }),
      });
    }
    previous = lines.at(-1);
  }
  return lines;
}

/** The key is the same for FIT and TCX, so that an activity in both formats is one training. TCX has only these three sports. */
const keyOf = ({ sport }: Activity, startedAt: Date): string =>
  `activity ${Math.floor(startedAt.getTime() / 1_000)} ${['running', 'cycling'].includes(sport) ? sport : 'other'}`;

/** The id comes from the beginning and the measures, so that a lap that is in a file twice, or in FIT and TCX, is one set. */
function idOf(training: string, { startedAt, line }: ActivityPart, set: ReturnType<typeof setOf>): string {
  const began = startedAt ? Math.floor(startedAt.getTime() / 1_000) : `line ${line}`;
  const { reps, weightKg, durationSeconds, distanceMeters } = set;
  return createHash('sha256')
    .update(JSON.stringify([training, began, reps, weightKg, durationSeconds, distanceMeters]))
    .digest('hex')
    .slice(0, 32);
}

function problemOf(part: ActivityPart, startedAt: Date): Omit<LineError, 'line'> | undefined {
  if (!(part.durationSeconds >= 0 && part.durationSeconds <= DAY_MILLIS / 1_000))
    return { column: 'durationSeconds', message: 'expected a number of seconds, at most those of a day' };
  if (!(part.distanceMeters >= 0 && part.distanceMeters < Infinity))
    return { column: 'distanceMeters', message: 'expected a number of metres' };
  const began = (part.startedAt ?? startedAt).getTime() - startedAt.getTime();
  // A part may begin up to a minute before its activity, because a device may correct its clock when it finds satellites.
  if (began < -60_000 || began > DAY_MILLIS)
    return { column: 'startedAt', message: 'expected a beginning within a day of that of the activity' };
  const rounded = roundedOf(part);
  if (!part.isRest && !part.reps && !rounded.durationSeconds && !rounded.distanceMeters)
    return { column: null, message: 'expected a duration or a distance' };
  return undefined;
}

const roundedOf = (part: ActivityPart) => ({
  durationSeconds: Math.round(part.durationSeconds),
  distanceMeters: Math.round(part.distanceMeters * 100) / 100,
});

function setOf(part: ActivityPart, activityStart: Date) {
  const { durationSeconds, distanceMeters } = roundedOf(part);
  const end = (part.startedAt ?? activityStart).getTime() + durationSeconds * 1_000;
  const isLap = part.reps === undefined;
  return {
    type: part.isWarmup ? 'WARMUP' : 'NORMAL',
    reps: part.reps,
    weightKg: part.weightKg || undefined,
    durationSeconds: (isLap && durationSeconds) || undefined,
    distanceMeters: (isLap && distanceMeters) || undefined,
    completedAt: new Date(end).toISOString(),
  };
}

/**
 * An activity ends at the time in the file, or with its last part if that is later. Its minutes are those of its parts,
 * without pauses.
 */
function endOf(activity: Activity, startedAt: Date, parts: readonly ActivityPart[]) {
  let end = activity.endedAt?.getTime() ?? startedAt.getTime();
  let seconds = 0;
  for (const part of parts) {
    const began = (part.startedAt ?? startedAt).getTime();
    end = Math.max(end, began + part.durationSeconds * 1_000);
    seconds += part.durationSeconds;
  }
  const most = Math.floor((end - startedAt.getTime()) / 60_000);
  return { endedAt: new Date(end), minutes: Math.min(most, Math.floor(seconds / 60)) };
}
