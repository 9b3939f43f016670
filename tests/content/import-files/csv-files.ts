import { DateTime } from 'luxon';
import type { PlannedSet, PlannedTraining } from './training-plans.ts';

/** How an app writes its file. */
export interface CsvStyle {
  app: 'hevy' | 'strong' | 'strong android' | 'strong 6';
  isImperial: boolean;
  end: '\n' | '\r\n';
  hasBom: boolean;
  zone: string;
}

/** A line of a file with its set; null for a line with a rest. */
export interface CsvLine {
  fields: string[];
  set: PlannedSet | null;
}

const timeOf = ({ start }: PlannedTraining, zone: string) =>
  DateTime.fromISO('2025-01-01T00:00:00', { zone }).plus({ minutes: start });
const some = (value: number, digits = 1, unit = 10): string =>
  value === 0 ? '' : (value / unit).toFixed(digits);

const HEVY_TYPES = { NORMAL: 'normal', WARMUP: 'warmup', DROP: 'dropset', FAILURE: 'failure' } as const;
const STRONG_TYPES = { NORMAL: '', WARMUP: 'W', DROP: 'D', FAILURE: 'F' } as const;

/** The header and the lines of a plan, as the app exports them. */
export function csvOf(
  plan: readonly PlannedTraining[],
  style: CsvStyle,
): { header: string[]; lines: CsvLine[] } {
  const lines = plan.flatMap((training) =>
    training.sets.flatMap((set, index): CsvLine[] => {
      const line = { fields: FORMATS[style.app].fields(training, set, index, style), set };
      if (style.app !== 'strong 6' || set.rest === 0) return [line];
      const rest = FORMATS[style.app].fields(
        training,
        { ...set, reps: 0, weight: 0, distance: 0, seconds: set.rest },
        index,
        style,
      );
      return [line, { fields: rest.map((field, at) => (at === 5 ? 'Rest Timer' : field)), set: null }];
    }),
  );
  return { header: FORMATS[style.app].header(style.isImperial), lines };
}

interface Format {
  delimiter: string;
  header(isImperial: boolean): string[];
  fields(training: PlannedTraining, set: PlannedSet, index: number, style: CsvStyle): string[];
}

const HEVY: Format = {
  delimiter: ',',
  header: (isImperial) =>
    `title,start_time,end_time,description,exercise_title,superset_id,exercise_notes,set_index,set_type,${isImperial ? 'weight_lbs' : 'weight_kg'},reps,${isImperial ? 'distance_miles' : 'distance_km'},duration_seconds,rpe`.split(
      ',',
    ),
  fields: (training, set, index, { zone }) => {
    const start = timeOf(training, zone);
    const format = training.start % 2 === 0 ? 'd MMM yyyy, HH:mm' : 'MMM d, yyyy, h:mm a';
    const [from, to] = [start, start.plus({ minutes: training.minutes })].map((time) =>
      time.toFormat(format, { locale: 'en-US' }),
    );
    return [
      training.title,
      from ?? '',
      to ?? '',
      'Felt "good"\nand strong',
      set.exercise,
      set.superset ? '0' : '',
      '',
      String(index),
      HEVY_TYPES[set.type],
      some(set.weight),
      some(set.reps, 0, 1),
      some(set.distance, 2, 100),
      some(set.seconds, 0, 1),
      '',
    ];
  },
};

const strongStart = (training: PlannedTraining, zone: string) =>
  timeOf(training, zone).toFormat('yyyy-MM-dd HH:mm:ss');
const strongDuration = ({ minutes }: PlannedTraining) =>
  minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
const order = (set: PlannedSet, index: number) => STRONG_TYPES[set.type] || String(index + 1);
const zero = (text: string) => text || '0';

const FORMATS: Readonly<Record<CsvStyle['app'], Format>> = {
  hevy: HEVY,
  strong: {
    delimiter: ',',
    header: () =>
      'Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE'.split(
        ',',
      ),
    fields: (training, set, index, { zone }) => [
      strongStart(training, zone),
      training.title,
      strongDuration(training),
      set.exercise,
      order(set, index),
      zero(some(set.weight)),
      zero(some(set.reps, 0, 1)),
      zero(some(set.distance, 2, 100)),
      zero(some(set.seconds, 0, 1)),
      '',
      'Slept well; "coffee"',
      '',
    ],
  },
  'strong android': {
    delimiter: ';',
    header: () =>
      'Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;RPE;Distance;Distance Unit;Seconds;Notes;Workout Notes;Workout Duration'.split(
        ';',
      ),
    fields: (training, set, index, { zone, isImperial }) => [
      strongStart(training, zone),
      training.title,
      set.exercise,
      order(set, index),
      some(set.weight).replace('.', ','),
      isImperial ? 'lbs' : 'kg',
      some(set.reps, 0, 1),
      '',
      some(set.distance, 2, 100).replace('.', ','),
      set.distance === 0 ? '' : isImperial ? 'mi' : 'km',
      zero(some(set.seconds, 0, 1)),
      '-',
      '-',
      strongDuration(training),
    ],
  },
  'strong 6': {
    delimiter: ',',
    header: (isImperial) =>
      `Workout #,Date,Workout Name,Duration (sec),Exercise Name,Set Order,Weight (${isImperial ? 'lbs' : 'kg'}),Reps,RPE,Distance (${isImperial ? 'miles' : 'meters'}),Seconds,Notes,Workout Notes`.split(
        ',',
      ),
    fields: (training, set, index, { zone, isImperial }) => [
      '1',
      strongStart(training, zone),
      training.title,
      String(training.minutes * 60),
      set.exercise,
      order(set, index),
      some(set.weight),
      some(set.reps, 0, 1),
      '',
      isImperial ? some(set.distance, 2, 100) : some(set.distance * 10, 1, 1),
      some(set.seconds, 0, 1),
      '',
      '',
    ],
  },
};

const quoted = (field: string, delimiter: string) =>
  field.includes(delimiter) || /["\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;

/** The text of a file. Only fields that need quotes get them. */
export function csvText(
  { header, lines }: { header: readonly string[]; lines: readonly Pick<CsvLine, 'fields'>[] },
  { app, end, hasBom }: CsvStyle,
): string {
  const { delimiter } = FORMATS[app];
  const rows = [header, ...lines.map(({ fields }) => fields)].map((fields) =>
    fields.map((field) => quoted(field, delimiter)).join(delimiter),
  );
  return `${hasBom ? '\uFEFF' : ''}${rows.join(end)}${end}`;
}
