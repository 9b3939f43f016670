import { CSV_COLUMNS } from './training-csv.ts';

/** What a column of a file may contain: the columns of our export, and columns of other apps. */
export type Field = (typeof CSV_COLUMNS)[number] | 'trainingDuration' | 'weightUnit' | 'distanceUnit';

interface Column {
  field: Field;
  /** How many kilograms or metres one unit of the column is. */
  factor?: number;
}
export type Columns = readonly (Column | undefined)[];

export const IMPORT_UNITS = ['METRIC', 'IMPERIAL'] as const;
export type ImportUnits = (typeof IMPORT_UNITS)[number];

const KG_PER_POUND = 0.45359237;
const METERS_PER_MILE = 1_609.344;
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    kg: 1,
    kgs: 1,
    lb: KG_PER_POUND,
    lbs: KG_PER_POUND,
    m: 1,
    meters: 1,
    metres: 1,
    km: 1_000,
    mi: METERS_PER_MILE,
    miles: METERS_PER_MILE,
  }),
);
/** How many kilograms or metres a unit is; undefined for an unknown unit. */
export const factorOf = (unit: string): number | undefined =>
  UNITS.get(unit.toLowerCase().replace(/\.$/, ''));

/** The units of columns that do not name one. Strong writes distances of the metric system in kilometres. */
export const DEFAULT_FACTORS: Readonly<Record<ImportUnits, { weight: number; distance: number }>> = {
  METRIC: { weight: 1, distance: 1_000 },
  IMPERIAL: { weight: KG_PER_POUND, distance: METERS_PER_MILE },
};

/** Titles in lower case, without other signs than letters: our own, and those of Strong and Hevy. */
const TITLES: ReadonlyMap<string, Column> = new Map<string, Column>([
  ...CSV_COLUMNS.map((field) => [field.toLowerCase(), { field }] as const),
  ['weightkg', { field: 'weightKg', factor: 1 }],
  ['distancemeters', { field: 'distanceMeters', factor: 1 }],
  ['date', { field: 'startedAt' }],
  ['starttime', { field: 'startedAt' }],
  ['endtime', { field: 'endedAt' }],
  ['duration', { field: 'trainingDuration' }],
  ['durationsec', { field: 'trainingDuration' }],
  ['workoutduration', { field: 'trainingDuration' }],
  ['workoutname', { field: 'title' }],
  ['workoutnotes', { field: 'note' }],
  ['description', { field: 'note' }],
  ['exercisename', { field: 'exercise' }],
  ['exercisetitle', { field: 'exercise' }],
  ['settype', { field: 'type' }],
  ['setorder', { field: 'type' }],
  ['weight', { field: 'weightKg' }],
  ['weightlb', { field: 'weightKg', factor: KG_PER_POUND }],
  ['weightlbs', { field: 'weightKg', factor: KG_PER_POUND }],
  ['weightunit', { field: 'weightUnit' }],
  ['seconds', { field: 'durationSeconds' }],
  ['distance', { field: 'distanceMeters' }],
  ['distancekm', { field: 'distanceMeters', factor: 1_000 }],
  ['distancemi', { field: 'distanceMeters', factor: METERS_PER_MILE }],
  ['distancemiles', { field: 'distanceMeters', factor: METERS_PER_MILE }],
  ['distanceunit', { field: 'distanceUnit' }],
]);

/** The columns of a header; undefined if it lacks the beginning of the training or the exercise. */
export function columnsOfHeader(titles: readonly string[]): Columns | undefined {
  const columns = titles.map((title) => TITLES.get(title.replaceAll(/[^\p{L}]/gu, '').toLowerCase()));
  const fields = new Set(columns.map((column) => column?.field));
  return fields.has('startedAt') && (fields.has('exercise') || fields.has('exerciseId'))
    ? columns
    : undefined;
}
