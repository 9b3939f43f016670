import DataLoader from 'dataloader';
import { requireSelf } from '#server/auth/viewer.ts';
import { notFound, PlatformError, versionConflict } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuidv7 } from '#server/ids.ts';
import { validated } from '#server/validate.ts';
import { requireOwner } from '../access.ts';
import { weekdayOf } from '../days/calendar.ts';
import { SetGoalShape, type NutritionGoalShape } from './goals.shapes.ts';

const COLUMNS = `calories, protein, carbs, fats, weekday, to_char(date, 'YYYY-MM-DD') as date, version`;
const THE_PLACE = 'user_id = ? and weekday is not distinct from ?::int and date is not distinct from ?::date';

/** Of whom and for which days a goal is. */
interface Place {
  userId?: string | null | undefined;
  weekday?: number | null | undefined;
  date?: string | null | undefined;
}

/** What a user wants to eat: a default, days of the week that differ, single dates that differ. */
export class Goals {
  private readonly unit: UnitOfWork;
  private readonly byDate = new DataLoader<string, NutritionGoalShape | null>((dates) =>
    this.on('me', dates),
  );

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** All of the caller's (a service of the platform says whose): the default, then weekdays, then dates. */
  async list(userId?: string): Promise<NutritionGoalShape[]> {
    const { viewer } = this.unit;
    return this.unit.em.execute(
      `select ${COLUMNS} from nutrition_goal where user_id = ? order by nutrition_goal.date nulls first, weekday nulls first limit 1000`,
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
    const [from, to] = [inOrder[0], inOrder.at(-1)];
    const goals = await this.unit.read<NutritionGoalShape>(
      `select ${COLUMNS} from nutrition_goal where user_id = ? and (date is null or date between ?::date and ?::date)`,
      [requireOwner(this.unit.viewer, userId), from, to],
    );
    const byDate = new Map(goals.flatMap((goal) => (goal.date ? [[goal.date, goal] as const] : [])));
    const byWeekday = new Map(goals.flatMap((goal) => (goal.weekday ? [[goal.weekday, goal] as const] : [])));
    const byDefault = goals.find((goal) => !goal.date && !goal.weekday) ?? null;
    return days.map((day) => byDate.get(day) ?? byWeekday.get(weekdayOf(day)) ?? byDefault);
  }

  /**
   * Sets the goal of its weekday or date, or the default; what was there is replaced. A service of the platform says for whom.
   * @param expectedVersion undefined: last write wins. @throws VERSION_CONFLICT also where a version is expected and there is no goal
   */
  async set(input: unknown, expectedVersion?: number): Promise<NutritionGoalShape> {
    const { userId, version, ...goal } = validated(SetGoalShape, input);
    const owner = requireSelf(this.unit.viewer, userId);
    const place: Place = { userId: owner, weekday: goal.weekday, date: goal.date };
    return this.unit.transaction(async () => {
      const expected = expectedVersion ?? version ?? undefined;
      if (expected !== undefined) await this.locked(place, expected);
      const [row] = await this.unit.em.execute<NutritionGoalShape[]>(
        `insert into nutrition_goal (id, user_id, weekday, date, calories, protein, carbs, fats, updated_at, version) values (?, ?, ?, ?::date, ?, ?, ?, ?, now(), 1)
         on conflict (user_id, coalesce(weekday, 0), coalesce(date, '0001-01-01'::date))
         do update set calories = excluded.calories, protein = excluded.protein, carbs = excluded.carbs, fats = excluded.fats, updated_at = excluded.updated_at, version = nutrition_goal.version + 1
         returning ${COLUMNS}`,
        [
          uuidv7(),
          ...placeValues(place),
          goal.calories,
          goal.protein ?? null,
          goal.carbs ?? null,
          goal.fats ?? null,
        ],
      );
      if (!row) throw new Error('A goal that was written is gone.');
      return row;
    });
  }

  /**
   * Takes the goal of a weekday or date away, or the default. A service of the platform says whose.
   * @throws NOT_FOUND where there is none, VERSION_CONFLICT
   */
  async delete(place: Place, expectedVersion?: number): Promise<void> {
    const own = { ...place, userId: requireSelf(this.unit.viewer, place.userId) };
    await this.unit.transaction(async () => {
      if (expectedVersion !== undefined) await this.locked(own, expectedVersion);
      const deleted = await this.unit.em.execute<unknown[]>(
        `delete from nutrition_goal where ${THE_PLACE} returning id`,
        placeValues(own),
      );
      if (deleted.length === 0)
        throw notFound('nutrition goal', place.date ?? String(place.weekday ?? 'default'));
    });
  }

  /** Nobody else writes the goal until the end of the transaction. */
  private async locked(place: Place, expectedVersion: number): Promise<void> {
    const [goal] = await this.unit.em.execute<{ version: number }[]>(
      `select version from nutrition_goal where ${THE_PLACE} for update`,
      placeValues(place),
    );
    if (!goal)
      throw new PlatformError(
        'VERSION_CONFLICT',
        `There is no such goal any more, the write expected its version ${expectedVersion}. Repeat it without a version to set one.`,
      );
    if (goal.version !== expectedVersion)
      throw versionConflict('nutrition goal', expectedVersion, goal.version);
  }
}

const placeValues = ({ userId, weekday, date }: Place): unknown[] => [userId, weekday ?? null, date ?? null];
