import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { invalid, notFound, versionConflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { z } from 'zod';
import { requireOwner } from '../access.ts';
import { dayOf, daysBetween, noonOf } from '../days/calendar.ts';
import { DayTotals } from '../days/day-totals.ts';
import { sum } from '../nutrients.ts';
import type { TimeZones } from '../time-zones/time-zones.ts';
import { FoodLog } from './food-log.entity.ts';
import {
  CopyFoodLogShape,
  LogEntryShape,
  LogMealShape,
  mealType as mealTypeShape,
  UpdateFoodLogShape,
  type FoodLogShape,
  type FoodLogSource,
  type HistoryFilter,
  type LogEntry,
  type LoggedMealShape,
} from './food-logs.shapes.ts';

const time = (column: string, as: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${as}"`;
export const FOOD_LOG_COLUMNS = `id, user_id as "userId", food_name as "foodName", calories, protein, carbs, fats, quantity, unit, grams, meal_type as "mealType", source, ${time('logged_at', 'loggedAt')}, to_char(local_date, 'YYYY-MM-DD') as "localDate", ${time('created_at', 'createdAt')}, version`;

const cursors = cursorsOf('food-logs', z.tuple([z.iso.date(), z.iso.datetime(), z.uuid()]));

type When = Pick<LogEntry, 'loggedAt' | 'localDate' | 'timezone'>;

/** When an entry was eaten, and the day that it counts for. */
interface Place {
  loggedAt: Date;
  localDate: string;
}

/** What people eat. Each sees and writes their own alone; anybody else's is not there. */
export class FoodLogs {
  private readonly unit: UnitOfWork;
  private readonly zones: TimeZones;
  private readonly dayTotals: DayTotals;
  private readonly byId = loaderOf<FoodLogShape>(
    (ids) => this.unit.em.execute(`select ${FOOD_LOG_COLUMNS} from food_log where id in (?)`, [[...ids]]),
    (entry) => entry.id,
  );

  constructor(unit: UnitOfWork, zones: TimeZones) {
    this.unit = unit;
    this.zones = zones;
    this.dayTotals = new DayTotals(unit);
  }

  /** Newest day first, within it the last eaten first. @throws NOT_FOUND for another user's. */
  async history(userId: string, filter: HistoryFilter, request: PageRequest): Promise<Page<FoodLogShape>> {
    const owner = requireOwner(this.unit.viewer, userId);
    if (filter.from && filter.to && filter.to < filter.from)
      throw invalid('to', `expected a day not before ${filter.from}, got ${filter.to}`);
    const after = cursors.read(request.cursor);
    const conditions = ['user_id = ?'];
    const params: unknown[] = [owner];
    const when = (value: unknown, sql: string, ...values: unknown[]) => {
      if (value === undefined || value === null) return;
      conditions.push(sql);
      params.push(...values);
    };
    when(filter.from, 'local_date >= ?::date', filter.from);
    when(filter.to, 'local_date <= ?::date', filter.to);
    when(filter.mealType, 'meal_type = ?', filter.mealType && validated(mealTypeShape, filter.mealType));
    when(after, '(local_date, logged_at, id) < (?::date, ?::timestamptz, ?::uuid)', ...(after ?? []));
    const rows = await this.unit.em.execute<FoodLogShape[]>(
      `select ${FOOD_LOG_COLUMNS} from food_log where ${conditions.join(' and ')} order by local_date desc, logged_at desc, food_log.id desc limit ?`,
      [...params, pageSize(request) + 1],
    );
    return cursors.page(rows, request, (row) => [row.localDate, row.loggedAt, row.id]);
  }

  /** Of days in a range, first eaten first. */
  async between(userId: string, from: string, to: string): Promise<FoodLogShape[]> {
    return this.unit.em.execute(
      `select ${FOOD_LOG_COLUMNS} from food_log where user_id = ? and local_date between ?::date and ?::date order by food_log.local_date, logged_at, food_log.id`,
      [requireOwner(this.unit.viewer, userId), from, to],
    );
  }

  /** @throws NOT_FOUND also for another user's. */
  async get(id: string): Promise<FoodLogShape> {
    const user = requireUser(this.unit.viewer);
    const entry = isUuid(id) ? await this.byId.load(id.toLowerCase()) : null;
    if (!entry || entry.userId !== user.userId) throw notFound('food log entry', id);
    return entry;
  }

  /** Writes one entry of the caller's. */
  async log(input: unknown): Promise<FoodLogShape> {
    const [entry] = await this.write([validated(LogEntryShape, input)]);
    if (!entry) throw new Error('An entry that was written is gone.');
    return entry;
  }

  /** Writes all entries of a confirmed meal, or none. */
  async logMeal(input: unknown): Promise<LoggedMealShape> {
    const { entries, ...common } = validated(LogMealShape, input);
    const written = await this.write(
      entries.map((entry) => ({
        ...entry,
        mealType: entry.mealType ?? common.mealType,
        loggedAt: entry.loggedAt ?? common.loggedAt,
        localDate: entry.localDate ?? common.localDate,
        timezone: entry.timezone ?? common.timezone,
      })),
    );
    return { entries: written, totals: sum(written) };
  }

  /** One entry, or a meal where the input has `entries`. */
  logOneOrMeal(input: unknown): Promise<FoodLogShape | LoggedMealShape> {
    return typeof input === 'object' && input !== null && 'entries' in input
      ? this.logMeal(input)
      : this.log(input);
  }

  /** What is absent stays. @param expectedVersion undefined: last write wins. */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<FoodLogShape> {
    const change = validated(UpdateFoodLogShape, input);
    const moved = change.loggedAt || change.localDate ? await this.placed(change) : undefined;
    return this.change(id, expectedVersion ?? change.version ?? undefined, (entry) => {
      entry.foodName = change.foodName ?? entry.foodName;
      entry.calories = change.calories ?? entry.calories;
      entry.protein = change.protein ?? entry.protein;
      entry.carbs = change.carbs ?? entry.carbs;
      entry.fats = change.fats ?? entry.fats;
      if (change.quantity !== undefined) entry.quantity = change.quantity;
      if (change.unit !== undefined) entry.unit = change.unit;
      if (change.grams !== undefined) entry.grams = change.grams;
      if (change.mealType !== undefined) entry.mealType = change.mealType;
      if (moved) Object.assign(entry, moved);
      entry.version += 1;
    });
  }

  /** @throws NOT_FOUND also for another user's, and for one that is deleted already. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    const user = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const entry = await this.locked(id, user.userId, expectedVersion);
      this.unit.em.remove(entry);
      await this.unit.em.flush();
      await this.dayTotals.sumUp(user.userId, [entry.localDate]);
    });
    this.byId.clear(id.toLowerCase());
  }

  /** The same food again: now, or on the day and at the time that the input says. */
  async copy(id: string, input: unknown): Promise<FoodLogShape> {
    const { userId } = requireUser(this.unit.viewer);
    const change = validated(CopyFoodLogShape, input ?? {});
    const place = await this.placed(change);
    return this.unit.transaction(async () => {
      const original = isUuid(id)
        ? await this.unit.em.findOne(FoodLog, { id, userId }, { lockMode: LockMode.PESSIMISTIC_READ })
        : null;
      if (!original) throw notFound('food log entry', id);
      const { foodName, calories, protein, carbs, fats, quantity, unit, grams, mealType } = present(original);
      const [copy] = await this.insert(
        [
          {
            foodName,
            calories,
            protein,
            carbs,
            fats,
            quantity,
            unit,
            grams,
            ...change,
            mealType: change.mealType === undefined ? mealType : change.mealType,
          },
        ],
        [place],
        'COPY',
      );
      if (!copy) throw new Error('An entry that was written is gone.');
      return copy;
    });
  }

  private async write(entries: readonly LogEntry[]): Promise<FoodLogShape[]> {
    requireUser(this.unit.viewer);
    // Asks identity for the zone, which no transaction waits for.
    const places = await Promise.all(entries.map((entry) => this.placed(entry)));
    return this.insert(entries, places);
  }

  /** @param places of the entries, in their order */
  private async insert(
    entries: readonly LogEntry[],
    places: readonly Place[],
    source?: FoodLogSource,
  ): Promise<FoodLogShape[]> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const created = entries.map(({ timezone: _zone, ...entry }, index) =>
        this.unit.em.create(FoodLog, {
          userId,
          foodName: entry.foodName,
          calories: entry.calories,
          protein: entry.protein ?? 0,
          carbs: entry.carbs ?? 0,
          fats: entry.fats ?? 0,
          quantity: entry.quantity ?? null,
          unit: entry.unit ?? null,
          grams: entry.grams ?? null,
          mealType: entry.mealType ?? null,
          source: source ?? entry.source ?? 'MANUAL',
          ...(places[index] as Place),
          version: 1,
          importKey: null,
        }),
      );
      await this.unit.em.flush();
      await this.dayTotals.sumUp(
        userId,
        created.map((entry) => entry.localDate),
      );
      return created.map(present);
    });
  }

  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (entry: FoodLog) => void,
  ): Promise<FoodLogShape> {
    const { userId } = requireUser(this.unit.viewer);
    const changed = await this.unit.transaction(async () => {
      const entry = await this.locked(id, userId, expectedVersion);
      const before = entry.localDate;
      apply(entry);
      await this.unit.em.flush();
      await this.dayTotals.sumUp(userId, [before, entry.localDate]);
      return present(entry);
    });
    this.byId.clear(id.toLowerCase());
    return changed;
  }

  private async locked(id: string, userId: string, expectedVersion: number | undefined): Promise<FoodLog> {
    const entry = isUuid(id)
      ? await this.unit.em.findOne(
          FoodLog,
          { id, userId },
          { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
        )
      : null;
    if (!entry) throw notFound('food log entry', id);
    if (expectedVersion !== undefined && expectedVersion !== entry.version)
      throw versionConflict('food log entry', expectedVersion, entry.version);
    return entry;
  }

  /** When an entry was eaten and the day that it counts for; each follows from the other where only one is said. */
  private async placed({ loggedAt, localDate, timezone }: When): Promise<Place> {
    const zone = timezone ?? (loggedAt && localDate ? 'UTC' : await this.zones.of(this.unit));
    const now = new Date();
    if (!localDate) {
      const instant = loggedAt ? new Date(loggedAt) : now;
      return { loggedAt: instant, localDate: dayOf(instant, zone) };
    }
    if (!loggedAt)
      return { loggedAt: localDate === dayOf(now, zone) ? now : noonOf(localDate, zone), localDate };
    const instant = new Date(loggedAt);
    // Zones reach from UTC-12 to UTC+14: what was eaten then counts for that day or a neighbour of it.
    if (Math.abs(daysBetween(dayOf(instant, 'UTC'), localDate)) > 1)
      throw invalid(
        'localDate',
        `expected the day of loggedAt (${loggedAt}) somewhere on earth, got ${localDate}`,
      );
    return { loggedAt: instant, localDate };
  }
}

const present = (entry: FoodLog): FoodLogShape => ({
  id: entry.id,
  userId: entry.userId,
  foodName: entry.foodName,
  calories: entry.calories,
  protein: entry.protein,
  carbs: entry.carbs,
  fats: entry.fats,
  quantity: entry.quantity ?? null,
  unit: entry.unit ?? null,
  grams: entry.grams ?? null,
  mealType: entry.mealType ?? null,
  source: entry.source,
  loggedAt: entry.loggedAt.toISOString(),
  localDate: entry.localDate,
  createdAt: entry.createdAt.toISOString(),
  version: entry.version,
});
