import type { User } from '../models.ts';
import type { Resolvers } from '../resolvers.generated.ts';

/** The gateway sends the time zone of the profile with the user, so that this service need not ask identity for it. */
const zoneOf = (user: User, timezone: string | null | undefined) => timezone ?? user.timezone;

const METRIC = { CALORIES: 'calories', PROTEIN: 'protein', CARBS: 'carbs', FATS: 'fats' } as const;

// The rules have a default for an argument that is undefined, but not for null. So null is turned into undefined.
export const daysGraphql = {
  User: {
    nutritionDay: (user, { date, timezone }, { days }) => days.day(user.id, date, zoneOf(user, timezone)),
    nutritionSeries: (user, { bucket, timezone, ...range }, { days }) =>
      days.series(user.id, {
        ...range,
        timezone: zoneOf(user, timezone),
        bucket: bucket ?? undefined,
      }),
    nutritionChart: (user, { bucket, metric, timezone, ...range }, { days }) =>
      days.chart(user.id, {
        ...range,
        timezone: zoneOf(user, timezone),
        bucket: bucket ?? undefined,
        metric: metric ? METRIC[metric] : undefined,
      }),
    nutritionGoal: (user, { date, timezone }, { days }) => days.goal(user.id, date, zoneOf(user, timezone)),
  },
  NutritionDay: {
    goal: (day, _args, { days }) => days.goalOf(day),
    remaining: (day, _args, { days }) => days.remainingOf(day),
    entries: (day, _args, { days }) => days.entriesOf(day),
  },
} satisfies Resolvers;
