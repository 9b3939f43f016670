import { takeIds } from './activities.ts';
import { listed } from './listed.ts';
import { iso, MINUTE_MILLIS, newTraining, type Season } from './made-up.ts';
import type { Member, Set, Training } from './model.ts';

interface Line {
  training: Training & { end: number };
  /** Undefined for a training without sets. */
  exercise: { id: string; name: string } | undefined;
  set: Partial<Set>;
  zone: string;
}

type Field = string | number | null | undefined;

/** A kind of file: its header, and the fields of a line. */
interface FileKind {
  header: readonly string[];
  fields(line: Line): readonly Field[];
  /** Whether the file has no ids of sets, no minutes, no distances and no trainings without sets. */
  isForeign: boolean;
  /** Whether the file says when a training ended. */
  hasEnd: boolean;
}

/** `28 Mar 2026, 17:29` and `2026-03-28 17:29:00`: local times without an offset. */
const hevyTime = (instant: number, timeZone: string): string => {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options }).format(instant);
  const month = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short' }).format(instant);
  const clock = part({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return `${part({ day: 'numeric' })} ${month} ${part({ year: 'numeric' })}, ${clock}`;
};
const strongTime = (instant: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(instant);

const OWN: FileKind = {
  header: [
    'startedAt',
    'endedAt',
    'minutes',
    'title',
    'exerciseId',
    'exercise',
    'setId',
    'type',
    'reps',
    'weightKg',
    'durationSeconds',
    'distanceMeters',
  ],
  fields: ({ training, exercise, set }) => [
    iso(training.start),
    iso(training.end),
    training.minutes,
    training.title,
    exercise?.id,
    exercise && 'X',
    set.id,
    set.type,
    set.reps,
    set.weightKg,
    set.durationSeconds,
    set.distanceMeters,
  ],
  isForeign: false,
  hasEnd: true,
};

const HEVY: FileKind = {
  header: [
    'title',
    'start_time',
    'end_time',
    'description',
    'exercise_title',
    'superset_id',
    'exercise_notes',
    'set_index',
    'set_type',
    'weight_kg',
    'reps',
    'distance_km',
    'duration_seconds',
    'rpe',
  ],
  fields: ({ training, exercise, set, zone }) => [
    training.title,
    hevyTime(training.start, zone),
    hevyTime(training.end, zone),
    '',
    exercise?.name,
    '',
    '',
    0,
    { NORMAL: 'normal', WARMUP: 'warmup', DROP: 'dropset' }[set.type ?? 'NORMAL'],
    set.weightKg,
    set.reps,
    '',
    set.durationSeconds,
    '',
  ],
  isForeign: true,
  hasEnd: true,
};

const STRONG: FileKind = {
  header: ['Date', 'Workout Name', 'Exercise Name', 'Set Order', 'Weight', 'Reps', 'Distance', 'Seconds'],
  fields: ({ training, exercise, set, zone }) => [
    strongTime(training.start, zone),
    training.title,
    exercise?.name,
    { NORMAL: '1', WARMUP: 'W', DROP: 'D' }[set.type ?? 'NORMAL'],
    set.weightKg ?? 0,
    set.reps ?? 0,
    0,
    set.durationSeconds ?? 0,
  ],
  isForeign: true,
  hasEnd: false,
};

const KINDS = [OWN, OWN, HEVY, STRONG];

/** A local time that belongs to one instant only: not in the hours before and after a change of the clock. */
const isCertain = (instant: number, zone: string): boolean =>
  [-60 * MINUTE_MILLIS, 60 * MINUTE_MILLIS].every(
    (by) => strongTime(instant + by, zone) !== strongTime(instant, zone),
  );

/** A training that a file of this kind can contain. */
function someImported(season: Season, member: Member, { isForeign, hasEnd }: FileKind) {
  for (;;) {
    const training = { ...newTraining(season, member, 'Imported'), timezone: member.timezone };
    if (!isForeign) return training;
    if (![training.start, training.end].every((time) => isCertain(time, member.timezone))) continue;
    training.title = `"${training.title}", at home`;
    if (!hasEnd) training.end = training.start;
    training.minutes = (training.end - training.start) / MINUTE_MILLIS;
    training.entries = training.entries.filter(({ exerciseId }) => exerciseId !== season.exercises.distance);
    if (training.entries.length > 0) return training;
  }
}

const csvLine = (fields: readonly Field[]): string =>
  fields
    .map((field) => String(field ?? ''))
    .map((text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
    .join(',');

function linesOf(training: Training & { end: number }, kind: FileKind, season: Season, zone: string) {
  if (training.entries.length === 0)
    return [csvLine(kind.fields({ training, exercise: undefined, set: {}, zone }))];
  return training.entries.flatMap(({ exerciseId: id, sets }) =>
    sets.map((set) => {
      const exercise = { id, name: season.exercises.names.get(id) ?? '' };
      return csvLine(kind.fields({ training, exercise, set, zone }));
    }),
  );
}

/** A file with several trainings, which is sent twice. */
export async function importFile(season: Season, member: Member): Promise<void> {
  const { platform, random } = season;
  const kind = random.pick(KINDS);
  const imported: Training[] = [];
  const lines = [csvLine(kind.header)];
  for (let count = 2 + random.below(6); count > 0; count -= 1) {
    const training = someImported(season, member, kind);
    lines.push(...linesOf(training, kind, season, member.timezone));
    imported.push(training);
    member.trainings.push(training);
  }
  const path = `/content/trainings/import?timezone=${encodeURIComponent(member.timezone)}`;
  for (let time = 0; time < 2; time += 1) {
    const report = await platform.expect('POST', path, member.token, `${lines.join('\n')}\n`);
    const { failed, imported: added, duplicates, created } = report;
    if (failed > 0 || added + duplicates !== lines.length - 1 || created.length > 0)
      throw new Error(`the import of a file lost lines: ${JSON.stringify(report)}`);
  }
  const stored = await listed(platform, member);
  for (const training of imported) {
    const found = stored.find(({ title }) => title === training.title);
    training.id = found?.id;
    if (kind.isForeign) takeIds(training, found?.entries ?? []);
  }
}
