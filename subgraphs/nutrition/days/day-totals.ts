import { conflict } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { grams, type Nutrients } from '../nutrients.ts';

/**
 * The maximum number of entries of a day; many times more than a person logs. There is a maximum because every change of a
 * day computes its sums from all of its entries, and because an answer contains all of them.
 */
export const MAX_ENTRIES_OF_DAY = 1_000;

/** A day whose sums were computed. */
interface SummedDay {
  date: string;
  entries: number;
  /** The number of entries before this change. */
  before: number;
}

interface DayTotal {
  date: string;
  entries: number;
  totals: Nutrients;
}

/**
 * SQL that creates and locks the rows of a user's days, in the order of the list. It is a statement, or the end of a larger
 * one that begins with `with`. Its parameters are the user's id and a JSON list of the days.
 */
export const LOCKED_DAYS = `insert into food_log_day (user_id, local_date, entries, calories, protein, carbs, fats)
  select ?::uuid, day::date, 0, 0, 0, 0, 0 from jsonb_array_elements_text(?::jsonb) with ordinality as days(day, position) order by position
  on conflict (user_id, local_date) do update set entries = food_log_day.entries returning 1`;

export const inOrder = (days: Iterable<string>): string[] => [...new Set(days)].toSorted();

/**
 * The sums of days in a table of their own, so that reading a month costs the same for three entries a day as for three
 * hundred. Every change of entries computes the sums of their days again from all entries, so that errors cannot add up.
 */
export class DayTotals {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Computes the sums of these days of a user. Call it inside the transaction that changed the entries, after the flush.
   *
   * The race: two simultaneous changes of a day would each compute a sum without the other's entry. Therefore the first
   * statement locks the day's row, and a later one, with a newer snapshot (read committed), computes the sum. Days are
   * locked in their order, so that two changes of the same days cannot deadlock.
   * @throws CONFLICT if a day gets more entries than it can have
   */
  async sumUp(userId: string, days: Iterable<string>): Promise<void> {
    const dates = inOrder(days);
    if (dates.length === 0) return;
    await this.unit.run(LOCKED_DAYS, [userId, JSON.stringify(dates)]);
    await this.sumUpLocked(userId, dates);
  }

  /** Computes the sums as `sumUp` does, for days that a statement with `LOCKED_DAYS` has locked in this transaction. */
  async sumUpLocked(userId: string, days: Iterable<string>): Promise<void> {
    const full = (await this.summed(userId, inOrder(days))).find((day) => excessOf(day) > 0);
    if (full)
      throw conflict(
        `With this change, the day ${full.date} would have ${full.entries} entries; a day can have at most ${MAX_ENTRIES_OF_DAY}.`,
      );
  }

  /**
   * Computes the sums as `sumUp` does. If a day now has too many entries, this throws no error, but returns their number by
   * day, so that the caller can remove them.
   */
  async excess(userId: string, days: Iterable<string>): Promise<Map<string, number>> {
    const dates = inOrder(days);
    if (dates.length === 0) return new Map();
    await this.unit.run(LOCKED_DAYS, [userId, JSON.stringify(dates)]);
    const summed = await this.summed(userId, dates);
    return new Map(summed.flatMap((day) => (excessOf(day) > 0 ? [[day.date, excessOf(day)] as const] : [])));
  }

  private async summed(userId: string, dates: readonly string[]): Promise<SummedDay[]> {
    const list = JSON.stringify(dates);
    const summed = await this.unit.run<SummedDay>(
      `update food_log_day as total set entries = sums.entries, calories = sums.calories, protein = sums.protein, carbs = sums.carbs, fats = sums.fats
       from (
         select days.day::date as local_date, count(entry.id)::int as entries, coalesce(sum(entry.calories), 0) as calories,
                coalesce(sum(entry.protein), 0) as protein, coalesce(sum(entry.carbs), 0) as carbs, coalesce(sum(entry.fats), 0) as fats
         from jsonb_array_elements_text(?::jsonb) as days(day)
         left join food_log as entry on entry.user_id = ?::uuid and entry.local_date = days.day::date
         group by 1
       ) as sums
       join food_log_day as old on old.user_id = ?::uuid and old.local_date = sums.local_date
       where total.user_id = ?::uuid and total.local_date = sums.local_date
       returning to_char(total.local_date, 'YYYY-MM-DD') as date, total.entries, old.entries as before`,
      [list, userId, userId, userId],
    );
    if (summed.some(({ entries }) => entries === 0))
      await this.unit.em.execute(
        `delete from food_log_day where user_id = ?::uuid and entries = 0 and local_date in (select day::date from jsonb_array_elements_text(?::jsonb) as days(day))`,
        [userId, list],
      );
    return summed;
  }

  /** The days of a range that have entries, in their order. */
  async between(userId: string, from: string, to: string): Promise<DayTotal[]> {
    const rows = await this.unit.read<{ date: string; entries: number } & Nutrients>(
      `select to_char(local_date, 'YYYY-MM-DD') as date, entries, calories::float8 as calories, protein, carbs, fats
       from food_log_day where user_id = ? and local_date between ?::date and ?::date order by local_date`,
      [userId, from, to],
    );
    return rows.map(({ date, entries, ...totals }) => ({
      date,
      entries,
      totals: {
        calories: totals.calories,
        protein: grams(totals.protein),
        carbs: grams(totals.carbs),
        fats: grams(totals.fats),
      },
    }));
  }
}

/** How many of the entries that this change has added to the day are too many; 0 or less: none. */
const excessOf = ({ entries, before }: SummedDay): number =>
  Math.min(entries - MAX_ENTRIES_OF_DAY, entries - before);
