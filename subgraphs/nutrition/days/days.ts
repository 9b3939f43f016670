import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireOwner } from '../access.ts';
import type { FoodLogs } from '../food-logs/food-logs.ts';
import type { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import type { Goals } from '../goals/goals.ts';
import type { NutritionGoalShape } from '../goals/goals.shapes.ts';
import {
  divided,
  grams,
  NO_NUTRIENTS,
  nutrientsBy,
  roundedNutrient,
  sum,
  type NutrientName,
  type Nutrients,
} from '../nutrients.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import {
  addDays,
  checkRange,
  dayOf,
  daysFrom,
  endOfBucket,
  startOfBucket,
  validZone,
  type Bucket,
} from '#server/calendar.ts';
import { chartOf } from './chart.ts';
import { DayTotals } from './day-totals.ts';
import type { DailyShape, NutritionDay, RemainingShape, SeriesPointShape } from './days.shapes.ts';

/** The maximum number of days of an answer that contains their entries. */
const MAX_DAYS_WITH_ENTRIES = 92;
const MAX_DAYS = 3_660; // ten years
const MAX_BARS = 366;

interface Range {
  from?: string | null | undefined;
  to?: string | null | undefined;
  timezone?: string | null | undefined;
}

/** Totals of days with their goals, and series over time. A user can read only their own. */
export class Days {
  private readonly unit: UnitOfWork;
  private readonly foodLogs: FoodLogs;
  private readonly goals: Goals;
  private readonly profiles: Profiles;
  private readonly totals: DayTotals;

  constructor(unit: UnitOfWork, foodLogs: FoodLogs, goals: Goals, profiles: Profiles) {
    this.unit = unit;
    this.foodLogs = foodLogs;
    this.goals = goals;
    this.profiles = profiles;
    this.totals = new DayTotals(unit);
  }

  /** Today in the given time zone, by default the user's. */
  async today(timezone?: string | null): Promise<string> {
    return dayOf(new Date(), validZone(timezone) ?? (await this.profiles.of(this.unit)).timezone);
  }

  /** One day; default: today. @throws NOT_FOUND for another user */
  async day(userId: string, date?: string | null, timezone?: string | null): Promise<NutritionDay> {
    const owner = requireOwner(this.unit.viewer, userId);
    const day = date ?? (await this.today(timezone));
    const [logged] = await this.totals.between(owner, day, day);
    return { userId: owner, date: day, totals: logged?.totals ?? NO_NUTRIENTS };
  }

  /** The goal of a day; default: today. Null if there is none. @throws NOT_FOUND for another user */
  async goal(
    userId: string,
    date?: string | null,
    timezone?: string | null,
  ): Promise<NutritionGoalShape | null> {
    requireOwner(this.unit.viewer, userId);
    return this.goals.ofDate(date ?? (await this.today(timezone)));
  }

  async goalOf(day: Pick<NutritionDay, 'date'>): Promise<NutritionGoalShape | null> {
    return this.goals.ofDate(day.date);
  }

  async remainingOf(day: Pick<NutritionDay, 'date' | 'totals'>): Promise<RemainingShape | null> {
    const goal = await this.goals.ofDate(day.date);
    return goal && remaining(goal, day.totals);
  }

  entriesOf(day: Pick<NutritionDay, 'userId' | 'date'>): Promise<FoodLogShape[]> {
    return this.foodLogs.between(day.userId, day.date, day.date);
  }

  /** Every day of a range of at most 92 days with its entries, and the averages over the days with entries. */
  async daily(userId: string, range: Range): Promise<DailyShape> {
    const owner = requireOwner(this.unit.viewer, userId);
    const { from, to } = await this.rangeOf(range, 7, MAX_DAYS_WITH_ENTRIES);
    const [days, entries] = await Promise.all([
      this.datedDays(owner, from, to),
      this.foodLogs.between(owner, from, to),
    ]);
    const byDay = Map.groupBy(entries, (entry) => entry.localDate);
    return {
      from,
      to,
      days: days.map(({ date, logged, goal }) => {
        const totals = logged?.totals ?? NO_NUTRIENTS;
        const left = goal && remaining(goal, totals);
        return { date, totals, goal, remaining: left, entries: byDay.get(date) ?? [] };
      }),
      averages: divided(sum(days.map(({ logged }) => logged?.totals ?? NO_NUTRIENTS)), byDay.size),
      loggedDays: byDay.size,
    };
  }

  /** Totals and averages by day, week or month, over at most ten years. */
  async series(
    userId: string,
    { bucket = 'DAY', ...range }: Range & { bucket?: Bucket | undefined },
  ): Promise<SeriesPointShape[]> {
    const owner = requireOwner(this.unit.viewer, userId);
    const { from, to } = await this.rangeOf(range, 30, MAX_DAYS);
    const days = await this.datedDays(owner, from, to);
    return [...Map.groupBy(days, ({ date }) => startOfBucket(date, bucket))].map(([start, part]) => {
      const withEntries = part.flatMap(({ logged }) => logged ?? []);
      const totals = sum(withEntries.map((day) => day.totals));
      const end = endOfBucket(start, bucket);
      return {
        start: start < from ? from : start,
        end: end > to ? to : end,
        totals,
        averages: divided(totals, withEntries.length),
        goal: meanGoal(part.map(({ goal }) => goal)),
        loggedDays: withEntries.length,
        entries: withEntries.reduce((count, day) => count + day.entries, 0),
      };
    });
  }

  /** The series as an SVG picture; at most 366 bars. */
  async chart(
    userId: string,
    {
      metric = 'calories',
      ...range
    }: Range & { bucket?: Bucket | undefined; metric?: NutrientName | undefined },
  ): Promise<string> {
    const points = await this.series(userId, range);
    if (points.length > MAX_BARS)
      throw invalid(
        'bucket',
        `expected at most ${MAX_BARS} bars, got ${points.length}; choose a longer bucket or a shorter range`,
      );
    return chartOf(points, metric);
  }

  /** Every day of a range with its sums, if it has entries, and its goal. */
  private async datedDays(owner: string, from: string, to: string) {
    const dates = daysFrom(from, to);
    const [logged, goals] = await Promise.all([
      this.totals.between(owner, from, to),
      this.goals.on(owner, dates),
    ]);
    const byDate = new Map(logged.map((day) => [day.date, day]));
    return dates.map((date, index) => ({ date, logged: byDate.get(date), goal: goals[index] ?? null }));
  }

  private async rangeOf(
    { from, to, timezone }: Range,
    defaultDays: number,
    mostDays: number,
  ): Promise<{ from: string; to: string }> {
    const last = to ?? (await this.today(timezone));
    const first = from ?? addDays(last, 1 - defaultDays);
    checkRange(first, last, mostDays);
    return { from: first, to: last };
  }
}

const remaining = (goal: NutritionGoalShape, eaten: Nutrients): RemainingShape => ({
  ...nutrientsBy((name) => {
    const wanted = goal[name];
    return wanted === null ? null : grams(wanted - eaten[name]);
  }),
  calories: goal.calories - eaten.calories,
});

/** The mean of the goals; a nutrient without any goal is omitted. */
function meanGoal(goals: readonly (NutritionGoalShape | null)[]): Partial<Nutrients> | null {
  const present = goals.filter((goal) => goal !== null);
  if (present.length === 0) return null;
  const means = nutrientsBy((name) => {
    const values = present.map((goal) => goal[name]).filter((value) => value !== null);
    const total = values.reduce((part, value) => part + value, 0);
    return values.length === 0 ? undefined : roundedNutrient(name, total / values.length);
  });
  return Object.fromEntries(Object.entries(means).filter(([, mean]) => mean !== undefined));
}
