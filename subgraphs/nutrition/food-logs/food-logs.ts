import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { checkVersion, conflict, invalid, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireOwner } from '../access.ts';
import { DayTotals } from '../days/day-totals.ts';
import type { Foods } from '../foods/foods.ts';
import type { FoodShape } from '../foods/foods.shapes.ts';
import { sum } from '../nutrients.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import { foodLogKeyOf, FOOD_LOG_COLUMNS } from './food-log-pages.ts';
import { beyondLimit } from './entry-limits.ts';
import { changedValues, checkPlausible, valuesOf } from './entry-values.ts';
import { foodIdOf, referenceOf, unknownFood } from './food-reference.ts';
import { FoodLog } from './food-log.entity.ts';
import { storeEntries } from './new-entries.ts';
import { eatenAtOf, type EatenAt, type When } from './when-eaten.ts';
import {
  CopyFoodLogShape,
  FoodLogShape,
  LogEntryShape,
  LogMealShape,
  mealType as mealTypeShape,
  UpdateFoodLogShape,
  type HistoryFilter,
  type LogEntry,
  type LoggedMealShape,
} from './food-logs.shapes.ts';

const cursors = cursorsOf('food-logs', z.tuple([z.iso.date(), z.iso.datetime(), uuid()]));

/** The maximum number of entries in one answer that is not a page. */
const MAX_ENTRIES_OF_RANGE = 10_000;

/** The entries of users' food logs. Users read and write only their own; an entry of another user is NOT_FOUND. */
export class FoodLogs {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly foods: Foods;
  private readonly dayTotals: DayTotals;
  private readonly byId = loaderOf<FoodLogShape>(
    (ids) => this.unit.read(`select ${FOOD_LOG_COLUMNS} from food_log where id = any(?::uuid[])`, [ids]),
    (entry) => entry.id,
  );

  constructor(unit: UnitOfWork, profiles: Profiles, foods: Foods) {
    this.unit = unit;
    this.profiles = profiles;
    this.foods = foods;
    this.dayTotals = new DayTotals(unit);
  }

  /**
   * The entries of a user: the latest day comes first, and within a day the entry that was eaten last.
   * @throws NOT_FOUND for another user
   */
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
    const rows = await this.unit.read<FoodLogShape>(
      `select ${FOOD_LOG_COLUMNS} from food_log where ${conditions.join(' and ')} order by local_date desc, logged_at desc, food_log.id desc limit ?`,
      [...params, pageSize(request) + 1],
    );
    return cursors.page(rows, request, foodLogKeyOf);
  }

  /**
   * The entries of a range of days, in the order in which they were eaten.
   * @throws NOT_FOUND for another user; VALIDATION_FAILED for a range with more than 10,000 entries
   */
  async between(userId: string, from: string, to: string): Promise<FoodLogShape[]> {
    const entries = await this.unit.read<FoodLogShape>(
      `select ${FOOD_LOG_COLUMNS} from food_log where user_id = ? and local_date between ?::date and ?::date
       order by food_log.local_date, logged_at, food_log.id limit ${MAX_ENTRIES_OF_RANGE + 1}`,
      [requireOwner(this.unit.viewer, userId), from, to],
    );
    if (entries.length > MAX_ENTRIES_OF_RANGE)
      throw invalid(
        'from',
        `expected days with at most ${MAX_ENTRIES_OF_RANGE} entries; choose a shorter range, or read GET /history/:userId in pages`,
      );
    return entries;
  }

  /** @throws NOT_FOUND also for an entry of another user */
  async get(id: string): Promise<FoodLogShape> {
    const user = requireUser(this.unit.viewer);
    const entry = isUuid(id) ? await this.byId.load(id) : null;
    if (!entry || entry.userId !== user.userId) throw notFound('food log entry', id);
    return entry;
  }

  /** Writes one entry for the caller. @throws CONFLICT if its day has as many entries as it can have */
  async log(input: unknown): Promise<FoodLogShape> {
    const [entry] = await this.write([validated(LogEntryShape, input)], () => '');
    return entry as FoodLogShape; // `write` returns an entry for each one that it gets
  }

  /** Writes all entries of a confirmed meal, or none. @throws CONFLICT as `log` */
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
      (index) => `entries.${index}.`,
    );
    return { entries: written, totals: sum(written) };
  }

  /** Writes a meal if the input has `entries`, else one entry. */
  logOneOrMeal(input: unknown): Promise<FoodLogShape | LoggedMealShape> {
    return typeof input === 'object' && input !== null && 'entries' in input
      ? this.logMeal(input)
      : this.log(input);
  }

  /**
   * Changes an entry. Absent fields are unchanged, except that nutrients and quantity follow a new food or weight (see
   * `changedValues`).
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   * @throws CONFLICT as `log`, if the entry is moved to another day
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<FoodLogShape> {
    const change = validated(UpdateFoodLogShape, input);
    const zone = change.loggedAt || change.localDate ? await this.zoneFor(change) : undefined;
    const locale = change.foodId ? (await this.profiles.of(this.unit)).locale : undefined;
    return this.change(id, expectedVersion ?? change.version ?? undefined, async (entry) => {
      const food = change.foodId ? await this.readableFood(change.foodId, locale) : undefined;
      const values = changedValues(entry, change, food);
      // Only changes of these values are checked. Otherwise an implausible entry, such as one that is older than this check,
      // could not get another name or day.
      if (VALUES.some((name) => change[name] !== undefined)) checkPlausible(values, { before: entry });
      Object.assign(entry, values);
      if (change.foodId !== undefined) Object.assign(entry, referenceOf(change.foodId));
      if (change.mealType !== undefined) entry.mealType = change.mealType;
      if (zone) Object.assign(entry, eatenAtOf(change, zone, entry));
      entry.version += 1;
    });
  }

  /** @throws NOT_FOUND also for an entry of another user, or one that was deleted */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    const user = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const entry = await this.locked(id, user.userId, expectedVersion);
      this.unit.em.remove(entry);
      await this.unit.em.flush();
      await this.dayTotals.sumUp(user.userId, [entry.localDate]);
    });
    this.byId.clear(id);
  }

  /**
   * Writes the same food again: now, or on the day and at the time of the input.
   * @throws CONFLICT as `log`, and for an entry with values beyond today's limits, which was stored before there were limits
   */
  async copy(id: string, input: unknown): Promise<FoodLogShape> {
    const { userId } = requireUser(this.unit.viewer);
    const change = validated(CopyFoodLogShape, input ?? {});
    const eatenAt = eatenAtOf(change, await this.zoneFor(change));
    return this.unit.transaction(async () => {
      const original = isUuid(id)
        ? await this.unit.em.findOne(FoodLog, { id, userId }, { lockMode: LockMode.PESSIMISTIC_READ })
        : null;
      if (!original) throw notFound('food log entry', id);
      const beyond = beyondLimit(original);
      if (beyond)
        throw conflict(
          `An entry can have ${beyond.name} up to ${beyond.limit}, but this one has ${beyond.value}; change it before you copy it.`,
        );
      const { id: _id, version: _version, createdAt: _createdAt, importKey: _key, ...same } = original;
      const [copy] = await storeEntries(this.unit, userId, [
        {
          ...same,
          ...eatenAt,
          mealType: change.mealType === undefined ? (original.mealType ?? null) : change.mealType,
          source: 'COPY',
        },
      ]);
      return copy as FoodLogShape;
    });
  }

  /** @param pathOf the path of an entry in the input, for messages */
  private async write(
    entries: readonly LogEntry[],
    pathOf: (index: number) => string,
  ): Promise<FoodLogShape[]> {
    const { userId } = requireUser(this.unit.viewer);
    // Profiles are read before the transaction, because identity may be asked for them, and no transaction should wait for
    // another service.
    const times = await Promise.all(
      entries.map(async (entry) => eatenAtOf(entry, await this.zoneFor(entry))),
    );
    const ids = [...new Set(entries.flatMap(({ foodId }) => foodId ?? []))];
    const locale = ids.length > 0 ? (await this.profiles.of(this.unit)).locale : undefined;
    return this.unit.transaction(async () => {
      const foods = new Map((await this.foods.readable(ids, locale)).map((food) => [food.id, food]));
      return storeEntries(
        this.unit,
        userId,
        entries.map((entry, index) => {
          const path = pathOf(index);
          const food = entry.foodId ? foods.get(entry.foodId) : undefined;
          if (entry.foodId && !food) throw unknownFood(entry.foodId, path);
          const values = valuesOf(entry, food, path);
          checkPlausible(values, {
            path,
            amount: isKnown(entry.quantity) && !isKnown(entry.grams) ? 'quantity' : 'grams',
          });
          return {
            ...values,
            ...(times[index] as EatenAt),
            ...referenceOf(food?.id ?? null),
            mealType: entry.mealType ?? null,
            source: entry.source ?? 'MANUAL',
          };
        }),
      );
    });
  }

  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (entry: FoodLog) => Promise<void>,
  ): Promise<FoodLogShape> {
    const { userId } = requireUser(this.unit.viewer);
    const changed = await this.unit.transaction(async () => {
      const entry = await this.locked(id, userId, expectedVersion);
      const before = entry.localDate;
      await apply(entry);
      await this.unit.em.flush();
      await this.dayTotals.sumUp(userId, [before, entry.localDate]);
      return present(entry);
    });
    this.byId.clear(id);
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
    checkVersion('food log entry', expectedVersion, entry.version);
    return entry;
  }

  /** The time zone that decides the day of an entry: the one of the input, else the user's. */
  private async zoneFor({ loggedAt, localDate, timezone }: When): Promise<string> {
    // If both are given, no zone decides the day.
    return timezone ?? (loggedAt && localDate ? 'UTC' : (await this.profiles.of(this.unit)).timezone);
  }

  private async readableFood(foodId: string, locale: string | undefined): Promise<FoodShape> {
    const [food] = await this.foods.readable([foodId.toLowerCase()], locale);
    if (!food) throw unknownFood(foodId, '');
    return food;
  }
}

const isKnown = (value: number | null | undefined): boolean => value !== null && value !== undefined;

/** The fields whose change can make an entry implausible. */
const VALUES = ['foodId', 'grams', 'calories', 'protein', 'carbs', 'fats'] as const;

const present = (entry: FoodLog): FoodLogShape => ({
  ...presented(FoodLogShape, entry),
  foodId: foodIdOf(entry),
});
