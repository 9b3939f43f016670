import DataLoader from 'dataloader';
import { requireSelf } from '#server/auth/viewer.ts';
import { checkVersion, conflict, notFound, PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuidv7 } from '#server/ids.ts';
import { validated } from '#server/validate.ts';
import { requireOwner } from '../access.ts';
import { dayOf, weekdayOf } from '../days/calendar.ts';
import type { Profiles } from '../profiles/profiles.ts';
import { SetGoalShape, type NutritionGoalShape } from './goals.shapes.ts';

const DAY = (column: string) => `to_char(${column}, 'YYYY-MM-DD')`;
/** A goal of a place ends on the day before the next one begins. Rows without calories are such ends alone. */
const WITH_ENDS = `select *, lead(valid_from) over (partition by user_id, weekday, date order by valid_from) - 1 as valid_until from nutrition_goal`;
const COLUMNS = `calories, protein, carbs, fats, weekday, ${DAY('date')} as date, ${DAY('valid_from')} as "from", ${DAY('valid_until')} as until, version`;
const THE_PLACE = 'user_id = ? and weekday is not distinct from ?::int and date is not distinct from ?::date';
/** Each change of a default or weekday goal is one, so that this is a change a day for years. */
const MOST_GOALS = 2_000;

/** Of whom and for which days a goal is. */
interface Place {
  userId?: string | null | undefined;
  weekday?: number | null | undefined;
  date?: string | null | undefined;
  from?: string | null | undefined;
}

/**
 * What a user wants to eat: a default, days of the week that differ, single dates that differ. The first two hold from a
 * day on, until the next one of their kind: to set a new one does not change what was wanted before.
 */
export class Goals {
  private readonly unit: UnitOfWork;
  private readonly byDate = new DataLoader<string, NutritionGoalShape | null>((dates) =>
    this.on('me', dates),
  );

  private readonly profiles: Profiles;

  constructor(unit: UnitOfWork, profiles: Profiles) {
    this.unit = unit;
    this.profiles = profiles;
  }

  /** All of the caller's (a service of the platform says whose): the default, then weekdays, the latest first, then dates. */
  async list(userId?: string): Promise<NutritionGoalShape[]> {
    const { viewer } = this.unit;
    return this.unit.em.execute(
      `select ${COLUMNS} from (${WITH_ENDS} where user_id = ?) as goal where calories is not null
       order by goal.date nulls first, weekday nulls first, valid_from desc limit ${MOST_GOALS}`,
      [viewer.kind === 'service' ? requireSelf(viewer, userId) : requireOwner(viewer, userId ?? 'me')],
    );
  }

  /** What holds on a day of the caller's; batched. */
  ofDate(date: string): Promise<NutritionGoalShape | null> {
    return this.byDate.load(date);
  }

  /** What holds on each of the days: the date's own goal, else its weekday's, else the default; null where there is none. */
  async on(userId: string, days: readonly string[]): Promise<(NutritionGoalShape | null)[]> {
    const inOrder = days.toSorted();
    const [first, last] = [inOrder[0], inOrder.at(-1)];
    const goals = await this.unit.read<NutritionGoalShape>(
      `select ${COLUMNS} from (${WITH_ENDS} where user_id = ?) as goal
       where calories is not null and (goal.date between ?::date and ?::date or (valid_from <= ?::date and coalesce(valid_until, ?::date) >= ?::date))`,
      [requireOwner(this.unit.viewer, userId), first, last, last, first, first],
    );
    const byDate = new Map(goals.flatMap((goal) => (goal.date ? [[goal.date, goal] as const] : [])));
    const lasting = Map.groupBy(
      goals.filter((goal) => goal.date === null),
      (goal) => goal.weekday,
    );
    const heldOn = (weekday: number | null, day: string) =>
      lasting
        .get(weekday)
        ?.find(({ from, until }) => (from ?? '') <= day && (until === null || day <= until));
    return days.map((day) => byDate.get(day) ?? heldOn(weekdayOf(day), day) ?? heldOn(null, day) ?? null);
  }

  /**
   * Sets the goal of its weekday, or the default, from a day on, or that of a date; one of the same day is replaced.
   * A service of the platform says for whom.
   * @param expectedVersion of the goal that holds on that day; undefined: last write wins. @throws VERSION_CONFLICT also
   * if a version is expected and there is no goal
   */
  async set(input: unknown, expectedVersion?: number): Promise<NutritionGoalShape> {
    const { userId, version, ...goal } = validated(SetGoalShape, input);
    const owner = requireSelf(this.unit.viewer, userId);
    const from = goal.date ? null : (goal.from ?? (await this.today()));
    const place: Place = { userId: owner, weekday: goal.weekday, date: goal.date, from };
    return this.unit.transaction(async () => {
      const held = await this.locked(place);
      checkExpected(held?.version, expectedVersion ?? version ?? undefined);
      const [others] = await this.unit.em.execute<{ count: number }[]>(
        `select count(*)::int as count from nutrition_goal where user_id = ? and not (${THE_PLACE} and valid_from is not distinct from ?::date)`,
        [owner, ...placeValues(place), from],
      );
      if (others && others.count >= MOST_GOALS)
        throw conflict(
          `You have ${MOST_GOALS} goals, which is as many as there may be; take one of a date away first.`,
        );
      await this.unit.em.execute(
        `insert into nutrition_goal (id, user_id, weekday, date, valid_from, calories, protein, carbs, fats, updated_at, version) values (?, ?, ?, ?::date, ?::date, ?, ?, ?, ?, now(), ?)
         on conflict (user_id, coalesce(weekday, 0), coalesce(date, '0001-01-01'::date), coalesce(valid_from, '0001-01-01'::date))
         do update set calories = excluded.calories, protein = excluded.protein, carbs = excluded.carbs, fats = excluded.fats, updated_at = excluded.updated_at, version = nutrition_goal.version + 1`,
        [
          uuidv7(),
          ...placeValues(place),
          from,
          goal.calories,
          goal.protein ?? null,
          goal.carbs ?? null,
          goal.fats ?? null,
          (held?.version ?? 0) + 1,
        ],
      );
      const [row] = await this.unit.em.execute<NutritionGoalShape[]>(
        `select ${COLUMNS} from (${WITH_ENDS} where ${THE_PLACE}) as goal where valid_from is not distinct from ?::date`,
        [...placeValues(place), from],
      );
      if (!row) throw new Error('A goal that was written is gone.');
      return row;
    });
  }

  /**
   * Takes the goal of a weekday, or the default, away from a day on, or that of a date. Days before keep it.
   * A service of the platform says whose.
   * @throws NOT_FOUND where there is none, VERSION_CONFLICT
   */
  async delete(input: Place, expectedVersion?: number): Promise<void> {
    const owner = requireSelf(this.unit.viewer, input.userId);
    const from = input.date ? null : (input.from ?? (await this.today()));
    const place = { ...input, userId: owner, from };
    await this.unit.transaction(async () => {
      const held = await this.locked(place);
      if (expectedVersion !== undefined) checkExpected(held?.version, expectedVersion);
      const deleted = await this.unit.em.execute<{ calories: number | null }[]>(
        `delete from nutrition_goal where ${THE_PLACE} and (valid_from is null or valid_from >= ?::date) returning calories`,
        [...placeValues(place), from],
      );
      if (!held && !deleted.some(({ calories }) => calories !== null))
        throw notFound('nutrition goal', place.date ?? String(place.weekday ?? 'default'));
      // What held before would come back without an end.
      await this.unit.em.execute(
        `insert into nutrition_goal (id, user_id, weekday, valid_from, updated_at, version)
         select ?, user_id, weekday, ?::date, now(), version + 1 from nutrition_goal
         where ${THE_PLACE} and valid_from < ?::date order by nutrition_goal.valid_from desc limit 1`,
        [uuidv7(), from, ...placeValues(place), from],
      );
    });
  }

  /** A service writes for users of any zone: the earliest day on earth holds for all of them. */
  private async today(): Promise<string> {
    const isService = this.unit.viewer.kind === 'service';
    return dayOf(new Date(), isService ? 'Etc/GMT+12' : (await this.profiles.of(this.unit)).timezone);
  }

  /**
   * The goal of its kind that holds on the day of the place, if any. Nobody else changes goals of this kind until the
   * end of the transaction: they are read by a statement after the one that locks them, which sees what was written
   * while it waited.
   */
  private async locked(place: Place): Promise<{ version: number } | undefined> {
    await this.unit.em.execute(
      `select 1 from nutrition_goal where ${THE_PLACE} for update`,
      placeValues(place),
    );
    const [goal] = await this.unit.em.execute<{ version: number; calories: number | null }[]>(
      `select version, calories from nutrition_goal where ${THE_PLACE} and (valid_from is null or valid_from <= ?::date)
       order by nutrition_goal.valid_from desc limit 1`,
      [...placeValues(place), place.from],
    );
    return goal && goal.calories !== null ? goal : undefined;
  }
}

function checkExpected(stored: number | undefined, expected: number | undefined): void {
  if (expected === undefined) return;
  if (stored === undefined)
    throw new PlatformError(
      'VERSION_CONFLICT',
      `There is no such goal any more, the write expected its version ${expected}. Repeat it without a version to set one.`,
    );
  checkVersion('nutrition goal', expected, stored);
}

const placeValues = ({ userId, weekday, date }: Place): unknown[] => [userId, weekday ?? null, date ?? null];
