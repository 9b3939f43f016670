import { columnOf, presented } from '#server/database/columns.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { DayTotals, inOrder, LOCKED_DAYS } from '../days/day-totals.ts';
import { foodIdOf } from './food-reference.ts';
import type { FoodLog } from './food-log.entity.ts';
import { FoodLogShape } from './food-logs.shapes.ts';

/** The stored fields of an entry, with their types in PostgreSQL. */
const FIELDS = {
  id: 'uuid',
  userId: 'uuid',
  foodName: 'text',
  calories: 'int',
  protein: 'float8',
  carbs: 'float8',
  fats: 'float8',
  quantity: 'float8',
  unit: 'text',
  grams: 'float8',
  foodId: 'uuid',
  tableFoodId: 'text',
  mealType: 'text',
  source: 'text',
  loggedAt: 'timestamptz',
  localDate: 'date',
  createdAt: 'timestamptz',
  version: 'int',
} as const satisfies Partial<Record<keyof FoodLog, string>>;

/** A new entry, without the fields that `storeEntries` sets. */
export type NewEntry = Omit<Pick<FoodLog, keyof typeof FIELDS>, 'id' | 'userId' | 'createdAt' | 'version'>;

const names = Object.keys(FIELDS);

/** One statement stores the entries and locks their days, so that the next one can compute the sums. */
const STORED = `with stored as (
    insert into food_log (${names.map(columnOf).join(', ')}) select ${names.map((name) => `"${name}"`).join(', ')}
    from jsonb_to_recordset(?::jsonb) as entry (${Object.entries(FIELDS)
      .map(([name, type]) => `"${name}" ${type}`)
      .join(', ')})
  ) ${LOCKED_DAYS}`;

/** Stores entries of a user and computes the sums of their days. Call it inside a transaction. */
export async function storeEntries(
  unit: UnitOfWork,
  userId: string,
  entries: readonly NewEntry[],
): Promise<FoodLogShape[]> {
  const createdAt = new Date();
  const stored = entries.map((entry) => ({ ...entry, id: uuidv7(), userId, createdAt, version: 1 }));
  const days = inOrder(entries.map(({ localDate }) => localDate));
  await unit.run(STORED, [JSON.stringify(stored, wellFormed), userId, JSON.stringify(days)]);
  await new DayTotals(unit).sumUpLocked(userId, days);
  return stored.map((entry) => ({ ...presented(FoodLogShape, entry), foodId: foodIdOf(entry) }));
}

/**
 * Replaces an unpaired surrogate by U+FFFD, because `jsonb` refuses it. A parameter of the type text needs no such step:
 * its encoding as UTF-8 makes the same replacement.
 */
const wellFormed = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value;
