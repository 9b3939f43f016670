import DataLoader from 'dataloader';
import { requireSelf, requireService } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { checkVersion, conflict, invalid, notFound, PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuidv7 } from '#server/ids.ts';
import { validated } from '#server/validate.ts';
import { requireOwner } from '../access.ts';
import { dayOf, weekdayOf } from '#server/calendar.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import { NutritionGoalShape, SetGoalShape } from './goals.shapes.ts';

/**
 * The goals with their last days: a goal ends on the day before the next row of its kind begins. A row without calories is
 * no goal: it only ends the goal before it.
 */
const WITH_ENDS = `select *, lead(valid_from) over (partition by user_id, weekday, date order by valid_from) - 1 as valid_until from nutrition_goal`;
const COLUMNS = columnsOf(NutritionGoalShape, { from: 'valid_from', until: 'valid_until' });
const SAME_KIND = 'user_id = ? and weekday is not distinct from ?::int and date is not distinct from ?::date';
/**
 * Inserts or replaces the row of a goal. If a service makes the change (`change_id`), the row keeps the values that it had
 * before (`replaced`), so that the change can be undone. If the same change is repeated, these stay the values from before
 * its first attempt.
 */
const SET = `insert into nutrition_goal (id, user_id, weekday, date, valid_from, calories, protein, carbs, fats, updated_at, version, change_id)
  values (?, ?, ?, ?::date, ?::date, ?, ?, ?, ?, now(), ?, ?::uuid)
  on conflict (user_id, coalesce(weekday, 0), coalesce(date, '0001-01-01'::date), coalesce(valid_from, '0001-01-01'::date))
  do update set calories = excluded.calories, protein = excluded.protein, carbs = excluded.carbs, fats = excluded.fats,
    updated_at = excluded.updated_at, version = nutrition_goal.version + 1, change_id = excluded.change_id,
    replaced = case
      when excluded.change_id is null then null
      when excluded.change_id = nutrition_goal.change_id then nutrition_goal.replaced
      else jsonb_build_object('calories', nutrition_goal.calories, 'protein', nutrition_goal.protein, 'carbs', nutrition_goal.carbs, 'fats', nutrition_goal.fats)
    end`;
/** A change of a default or weekday goal adds a row. This maximum is enough for one change a day for five years. */
const MAX_GOALS = 2_000;

/** The user of a goal, and the days for which it is valid. */
interface GoalDays {
  userId?: string | null | undefined;
  weekday?: number | null | undefined;
  date?: string | null | undefined;
  from?: string | null | undefined;
}

/**
 * The nutrition goals of users: a default, and others for weekdays and for single dates. A default or weekday goal is
 * valid from its first day until the next one of its kind begins, so that a new goal does not change the past.
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

  /**
   * All goals of the caller, or of the user that a service names: the default goals, then those of each weekday, both with
   * the latest first, then those of dates.
   */
  async list(userId?: string): Promise<NutritionGoalShape[]> {
    const { viewer } = this.unit;
    return this.unit.em.execute(
      `select ${COLUMNS} from (${WITH_ENDS} where user_id = ?) as goal where calories is not null
       order by goal.date nulls first, weekday nulls first, valid_from desc limit ${MAX_GOALS}`,
      [viewer.kind === 'service' ? requireSelf(viewer, userId) : requireOwner(viewer, userId ?? 'me')],
    );
  }

  /** The caller's goal of a day; batched. */
  ofDate(date: string): Promise<NutritionGoalShape | null> {
    return this.byDate.load(date);
  }

  /** The goal of each day: the one of the date, else of the weekday, else the default; null if there is none. */
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
    const validOn = (weekday: number | null, day: string) =>
      lasting
        .get(weekday)
        ?.find(({ from, until }) => (from ?? '') <= day && (until === null || day <= until));
    return days.map((day) => byDate.get(day) ?? validOn(weekdayOf(day), day) ?? validOn(null, day) ?? null);
  }

  /**
   * Sets a default or weekday goal from a day on, or the goal of a date. A goal with the same first day is replaced.
   * @param input names the user, and the change, only if the caller is a service
   * @param expectedVersion the version of the goal that is valid on that day; undefined: `version` of the input. If neither
   * is given, the last write wins.
   * @throws VERSION_CONFLICT also if a version is expected and there is no goal; CONFLICT beyond 2,000 goals
   */
  async set(input: unknown, expectedVersion?: number): Promise<NutritionGoalShape> {
    const { userId, version, changeId, ...goal } = validated(SetGoalShape, input);
    const owner = requireSelf(this.unit.viewer, userId);
    if (changeId && this.unit.viewer.kind !== 'service')
      throw invalid('changeId', 'expected none, because only a service of the platform may undo a change');
    const from = goal.date ? null : (goal.from ?? (await this.today()));
    const days: GoalDays = { userId: owner, weekday: goal.weekday, date: goal.date, from };
    return this.unit.transaction(async () => {
      const current = await this.locked(days);
      checkExpected(current?.version, expectedVersion ?? version ?? undefined);
      const [others] = await this.unit.em.execute<{ count: number }[]>(
        `select count(*)::int as count from nutrition_goal where user_id = ? and not (${SAME_KIND} and valid_from is not distinct from ?::date)`,
        [owner, ...kindValues(days), from],
      );
      if (others && others.count >= MAX_GOALS)
        throw conflict(`You have ${MAX_GOALS} goals, which is the maximum; delete the goal of a date first.`);
      await this.unit.em.execute(SET, [
        uuidv7(),
        ...kindValues(days),
        from,
        goal.calories,
        goal.protein ?? null,
        goal.carbs ?? null,
        goal.fats ?? null,
        (current?.version ?? 0) + 1,
        changeId ?? null,
      ]);
      const [row] = await this.unit.em.execute<NutritionGoalShape[]>(
        `select ${COLUMNS} from (${WITH_ENDS} where ${SAME_KIND}) as goal where valid_from is not distinct from ?::date`,
        [...kindValues(days), from],
      );
      return row as NutritionGoalShape;
    });
  }

  /**
   * Ends a default or weekday goal before a day, and deletes the goals of its kind that begin on this day or later; or
   * deletes the goal of a date. Earlier days keep their goals.
   * @param input names the user only if the caller is a service
   * @throws NOT_FOUND if there is none; VERSION_CONFLICT
   */
  async delete(input: GoalDays, expectedVersion?: number): Promise<void> {
    const owner = requireSelf(this.unit.viewer, input.userId);
    const from = input.date ? null : (input.from ?? (await this.today()));
    const days = { ...input, userId: owner, from };
    await this.unit.transaction(async () => {
      const current = await this.locked(days);
      if (expectedVersion !== undefined) checkExpected(current?.version, expectedVersion);
      const deleted = await this.unit.em.execute<{ calories: number | null }[]>(
        `delete from nutrition_goal where ${SAME_KIND} and (valid_from is null or valid_from >= ?::date) returning calories`,
        [...kindValues(days), from],
      );
      if (!current && !deleted.some(({ calories }) => calories !== null))
        throw notFound('nutrition goal', days.date ?? String(days.weekday ?? 'default'));
      // Without this row, the goal that began before this day would stay valid.
      await this.unit.em.execute(
        `insert into nutrition_goal (id, user_id, weekday, valid_from, updated_at, version)
         select ?, user_id, weekday, ?::date, now(), version + 1 from nutrition_goal
         where ${SAME_KIND} and valid_from < ?::date order by nutrition_goal.valid_from desc limit 1`,
        [uuidv7(), from, ...kindValues(days), from],
      );
    });
  }

  /**
   * Undoes a change of a service: the row of the goal gets its values from before the change, or is removed if there was none.
   * If the user has changed or deleted this goal since, or if the change was never made, nothing changes.
   */
  async undo(changeId: string): Promise<void> {
    requireService(this.unit.viewer);
    await this.unit.em.execute(
      `with changed as (select id, replaced from nutrition_goal where change_id = ? for update),
         removed as (delete from nutrition_goal using changed where nutrition_goal.id = changed.id and changed.replaced is null)
       update nutrition_goal set calories = before.calories, protein = before.protein, carbs = before.carbs, fats = before.fats,
         change_id = null, replaced = null, updated_at = now(), version = version + 1
       from changed, jsonb_to_record(changed.replaced) as before (calories int, protein float8, carbs float8, fats float8)
       where nutrition_goal.id = changed.id and changed.replaced is not null`,
      [changeId],
    );
  }

  /** The user's today; for a service, whose user may be in any time zone, the earliest current day on earth. */
  private async today(): Promise<string> {
    const isService = this.unit.viewer.kind === 'service';
    return dayOf(new Date(), isService ? 'Etc/GMT+12' : (await this.profiles.of(this.unit)).timezone);
  }

  /**
   * The goal that is valid on the first of these days, if there is one. All goals of the kind stay locked until the end of
   * the transaction. A second statement reads the goal, because only a snapshot that is newer than the lock contains what
   * others wrote while this transaction waited for the lock.
   */
  private async locked(days: GoalDays): Promise<{ version: number } | undefined> {
    await this.unit.em.execute(
      `select 1 from nutrition_goal where ${SAME_KIND} for update`,
      kindValues(days),
    );
    const [goal] = await this.unit.em.execute<{ version: number; calories: number | null }[]>(
      `select version, calories from nutrition_goal where ${SAME_KIND} and (valid_from is null or valid_from <= ?::date)
       order by nutrition_goal.valid_from desc limit 1`,
      [...kindValues(days), days.from],
    );
    return goal && goal.calories !== null ? goal : undefined;
  }
}

function checkExpected(stored: number | undefined, expected: number | undefined): void {
  if (expected === undefined) return;
  if (stored === undefined)
    throw new PlatformError(
      'VERSION_CONFLICT',
      `The goal does not exist, but the request expected its version ${expected}. To set a new goal, repeat the request without a version.`,
    );
  checkVersion('nutrition goal', expected, stored);
}

const kindValues = ({ userId, weekday, date }: GoalDays): unknown[] => [
  userId,
  weekday ?? null,
  date ?? null,
];
