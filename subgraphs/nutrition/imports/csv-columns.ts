import { PlatformError } from '#server/errors.ts';
import { DELIMITERS, splitFields, type Delimiter } from '#server/csv/csv-records.ts';

/** The columns of an export, in their order. An import may omit columns that may be empty. */
export const CSV_COLUMNS = [
  'id',
  'localDate',
  'loggedAt',
  'mealType',
  'foodName',
  'quantity',
  'unit',
  'grams',
  'calories',
  'protein',
  'carbs',
  'fats',
  'foodId',
] as const;

/** The possible contents of a column of an import: our own columns, and those of other apps. */
export type CsvField =
  | (typeof CSV_COLUMNS)[number]
  /** The time of day, beside a column with the date. */
  | 'localTime'
  /** A meal by any name; it is also the name of the entry if the line has no food. */
  | 'meal'
  /** Number and unit in one, such as `1.50 cup`. */
  | 'amount'
  | 'kilojoules';

/** A column of the file; `field` is undefined for contents that are ignored. */
export interface Column {
  field: CsvField | undefined;
  title: string;
}

/**
 * Titles in lower case without spaces and signs. MyFitnessPal: `Date, Meal, Calories, Fat (g), Carbohydrates (g),
 * Protein (g)`, a line for each meal. Cronometer (servings): `Day, Time, Group, Food Name, Amount, Energy (kcal),
 * Protein (g), Carbs (g), Fat (g)`. FatSecret: `Date, Meal, Food, Cals (kcal), Fat (g), Carbs (g), Prot (g)`.
 */
const TITLES: ReadonlyMap<string, CsvField> = new Map(
  (
    [
      ['id', ['id']],
      ['foodId', ['foodid']],
      ['localDate', ['localdate', 'date', 'day']],
      ['localTime', ['localtime', 'time', 'timeofday']],
      ['loggedAt', ['loggedat', 'datetime', 'timestamp']],
      ['mealType', ['mealtype']],
      ['meal', ['meal', 'mealname', 'group']],
      ['foodName', ['foodname', 'food', 'fooditem', 'item', 'itemname', 'name', 'description', 'foodrecipe']],
      ['quantity', ['quantity', 'qty']],
      ['unit', ['unit', 'units']],
      ['amount', ['amount', 'serving', 'servingsize', 'portion']],
      ['grams', ['grams', 'gramsg', 'weightg', 'amountg']],
      [
        'calories',
        ['calories', 'calorieskcal', 'cals', 'calskcal', 'kcal', 'energykcal', 'energy', 'kilocalories'],
      ],
      ['kilojoules', ['kilojoules', 'kj', 'energykj', 'kilojouleskj']],
      ['protein', ['protein', 'proteing', 'proteins', 'proteinsg', 'prot', 'protg']],
      [
        'carbs',
        [
          'carbs',
          'carbsg',
          'carbohydrates',
          'carbohydratesg',
          'carbohydrate',
          'carbohydrateg',
          'totalcarbsg',
          'totalcarbohydrateg',
          'carb',
          'carbg',
        ],
      ],
      ['fats', ['fats', 'fatsg', 'fat', 'fatg', 'totalfat', 'totalfatg']],
    ] satisfies [CsvField, string[]][]
  ).flatMap(([field, titles]) => titles.map((title) => [title, field] as const)),
);

const MAX_COLUMNS = 300;

/** The columns of a header line; undefined if they are not enough for a food log. Of two equal columns the first is used. */
function columnsOf(fields: readonly string[]): Column[] | undefined {
  if (fields.length > MAX_COLUMNS) return undefined;
  const seen = new Set<CsvField>();
  const columns = fields.map((text): Column => {
    const title = text.trim();
    const field = TITLES.get(title.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''));
    if (field === undefined || seen.has(field)) return { field: undefined, title };
    seen.add(field);
    return { field, title };
  });
  const hasAny = (...wanted: CsvField[]) => wanted.some((field) => seen.has(field));
  return hasAny('foodName', 'meal') && hasAny('calories', 'kilojoules') && hasAny('loggedAt', 'localDate')
    ? columns
    : undefined;
}

/** The delimiter that makes a line a header, and the columns; undefined if there is none. */
export function headerOf(
  text: string,
  given: Delimiter | undefined,
): { delimiter: Delimiter; columns: Column[] } | undefined {
  const candidates = given ? [given] : (Object.keys(DELIMITERS) as Delimiter[]);
  for (const delimiter of candidates) {
    const split = splitFields(text, DELIMITERS[delimiter]);
    const columns = split.kind === 'fields' ? columnsOf(split.fields) : undefined;
    if (columns) return { delimiter, columns };
  }
  return undefined;
}

export const noHeader = (firstLine: string): PlatformError =>
  new PlatformError(
    'VALIDATION_FAILED',
    `The first line must name the columns, separated by comma, semicolon or tab; expected foodName, calories and loggedAt or localDate among them (or the titles of an export of MyFitnessPal, Cronometer or FatSecret), got "${firstLine.slice(0, 200)}".`,
    {
      errors: [{ path: '', message: 'expected a header with foodName, calories, and loggedAt or localDate' }],
    },
  );
