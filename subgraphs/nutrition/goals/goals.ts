import DataLoader from 'dataloader';
import { requireSelf } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { uuidv7 } from '#server/ids.ts';
import { validated } from '#server/validate.ts';
import { requireOwner } from '../access.ts';
import { weekdayOf } from '../days/calendar.ts';
import { SetGoalShape, type NutritionGoalShape } from './goals.shapes.ts';

const COLUMNS = `calories, protein, carbs, fats, weekday, to_char(date, 'YYYY-MM-DD') as date`;

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

  /** Sets the goal of its weekday or date, or the default; what was there is replaced. A service of the platform says for whom. */
  async set(input: unknown): Promise<NutritionGoalShape> {
    const { userId, ...goal } = validated(SetGoalShape, input);
    const [row] = await this.unit.em.execute<NutritionGoalShape[]>(
      `insert into nutrition_goal (id, user_id, weekday, date, calories, protein, carbs, fats, updated_at) values (?, ?, ?, ?::date, ?, ?, ?, ?, now())
       on conflict (user_id, coalesce(weekday, 0), coalesce(date, '0001-01-01'::date))
       do update set calories = excluded.calories, protein = excluded.protein, carbs = excluded.carbs, fats = excluded.fats, updated_at = excluded.updated_at
       returning ${COLUMNS}`,
      [
        uuidv7(),
        requireSelf(this.unit.viewer, userId),
        goal.weekday ?? null,
        goal.date ?? null,
        goal.calories,
        goal.protein ?? null,
        goal.carbs ?? null,
        goal.fats ?? null,
      ],
    );
    if (!row) throw new Error('A goal that was written is gone.');
    return row;
  }

  /** Takes the goal of a weekday or date away, or the default. A service of the platform says whose. @throws NOT_FOUND where there is none. */
  async delete(place: {
    userId?: string | null | undefined;
    weekday?: number | null | undefined;
    date?: string | null | undefined;
  }): Promise<void> {
    const userId = requireSelf(this.unit.viewer, place.userId);
    const deleted = await this.unit.em.execute<unknown[]>(
      'delete from nutrition_goal where user_id = ? and weekday is not distinct from ?::int and date is not distinct from ?::date returning id',
      [userId, place.weekday ?? null, place.date ?? null],
    );
    if (deleted.length === 0)
      throw notFound('nutrition goal', place.date ?? String(place.weekday ?? 'default'));
  }
}
