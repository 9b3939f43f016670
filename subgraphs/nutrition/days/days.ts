import { invalid } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireOwner } from '../access.ts';
import type { FoodLogs } from '../food-logs/food-logs.ts';
import type { FoodLogShape } from '../food-logs/food-logs.shapes.ts';
import type { Goals } from '../goals/goals.ts';
import type { NutritionGoalShape } from '../goals/goals.shapes.ts';
import { divided, grams, NO_NUTRIENTS, sum, type Nutrients } from '../nutrients.ts';
import type { Profiles } from '../profiles/profiles.ts';
import {
  addDays,
  checkRange,
  dayOf,
  daysFrom,
  endOfBucket,
  startOfBucket,
  validZone,
  type Bucket,
} from './calendar.ts';
import { chartOf, type ChartMetric } from './chart.ts';
import { DayTotals } from './day-totals.ts';
import type {
  DailyShape,
  NutritionDay,
  NutritionDayShape,
  RemainingShape,
  SeriesPointShape,
} from './days.shapes.ts';

const MOST_DAYS_WITH_ENTRIES = 92;
const MOST_DAYS = 3_660; // ten years
const MOST_BARS = 366;

export interface Range {
  from?: string | null | undefined;
  to?: string | null | undefined;
  timezone?: string | null | undefined;
}

/** Days of eating: totals against goals, and how they went over time. Each sees their own alone. */
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

  /** The user's today, in the zone that is named or their own. */
  async today(timezone?: string | null): Promise<string> {
    return dayOf(new Date(), validZone(timezone) ?? (await this.profiles.of(this.unit)).timezone);
  }

  /** One day; default: today. @throws NOT_FOUND for another user's. */
  async day(userId: string, date?: string | null, timezone?: string | null): Promise<NutritionDay> {
    const owner = requireOwner(this.unit.viewer, userId);
    const day = date ?? (await this.today(timezone));
    const [logged] = await this.totals.between(owner, day, day);
    return { userId: owner, date: day, totals: logged?.totals ?? NO_NUTRIENTS };
  }

  /** What holds on a day; default: today. Null where there is no goal. */
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

  /** Every day of the range with its entries, and the averages over those that have any; at most 92 days. */
  async daily(userId: string, range: Range): Promise<DailyShape> {
    const owner = requireOwner(this.unit.viewer, userId);
    const { from, to } = await this.rangeOf(range, 7, MOST_DAYS_WITH_ENTRIES);
    const [days, entries] = await Promise.all([
      this.withGoals(owner, from, to),
      this.foodLogs.between(owner, from, to),
    ]);
    const byDay = Map.groupBy(entries, (entry) => entry.localDate);
    return {
      from,
      to,
      days: days.map((day) => ({ ...day, entries: byDay.get(day.date) ?? [] })),
      averages: divided(sum(days.map((day) => day.totals)), byDay.size),
      loggedDays: byDay.size,
    };
  }

  /** How it went, by day, week or month; at most ten years. */
  async series(
    userId: string,
    { bucket = 'DAY', ...range }: Range & { bucket?: Bucket | undefined },
  ): Promise<SeriesPointShape[]> {
    const owner = requireOwner(this.unit.viewer, userId);
    const { from, to } = await this.rangeOf(range, 30, MOST_DAYS);
    const days = daysFrom(from, to);
    const [logged, goals] = await Promise.all([
      this.totals.between(owner, from, to),
      this.goals.on(owner, days),
    ]);
    const totalOf = new Map(logged.map((day) => [day.date, day]));
    const dated = days.map((date, index) => ({ date, total: totalOf.get(date), goal: goals[index] ?? null }));
    return [...Map.groupBy(dated, ({ date }) => startOfBucket(date, bucket))].map(([start, part]) => {
      const withEntries = part.flatMap(({ total }) => (total ? [total] : []));
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
    }: Range & { bucket?: Bucket | undefined; metric?: ChartMetric | undefined },
  ): Promise<string> {
    const points = await this.series(userId, range);
    if (points.length > MOST_BARS)
      throw invalid(
        'bucket',
        `expected at most ${MOST_BARS} bars, got ${points.length}; choose a longer bucket or a shorter range`,
      );
    return chartOf(points, metric);
  }

  private async withGoals(
    owner: string,
    from: string,
    to: string,
  ): Promise<Omit<NutritionDayShape, 'entries'>[]> {
    const days = daysFrom(from, to);
    const [logged, goals] = await Promise.all([
      this.totals.between(owner, from, to),
      this.goals.on(owner, days),
    ]);
    const totalOf = new Map(logged.map((day) => [day.date, day.totals]));
    return days.map((date, index) => {
      const totals = totalOf.get(date) ?? NO_NUTRIENTS;
      const goal = goals[index] ?? null;
      return { date, totals, goal, remaining: goal && remaining(goal, totals) };
    });
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

const left = (goal: number | null, eaten: number): number | null =>
  goal === null ? null : grams(goal - eaten);

const remaining = (goal: NutritionGoalShape, eaten: Nutrients): RemainingShape => ({
  calories: goal.calories - eaten.calories,
  protein: left(goal.protein, eaten.protein),
  carbs: left(goal.carbs, eaten.carbs),
  fats: left(goal.fats, eaten.fats),
});

/** The mean of the goals there are; a nutrient that none of them names is left out. */
function meanGoal(goals: readonly (NutritionGoalShape | null)[]): Partial<Nutrients> | null {
  const present = goals.filter((goal) => goal !== null);
  if (present.length === 0) return null;
  const mean = (values: readonly (number | null)[]): number | undefined => {
    const given = values.filter((value) => value !== null);
    return given.length === 0 ? undefined : given.reduce((total, value) => total + value, 0) / given.length;
  };
  const [protein, carbs, fats] = [
    mean(present.map((goal) => goal.protein)),
    mean(present.map((goal) => goal.carbs)),
    mean(present.map((goal) => goal.fats)),
  ];
  return {
    calories: Math.round(mean(present.map((goal) => goal.calories)) ?? 0),
    ...(protein !== undefined && { protein: grams(protein) }),
    ...(carbs !== undefined && { carbs: grams(carbs) }),
    ...(fats !== undefined && { fats: grams(fats) }),
  };
}
