import type { Resolvers } from '../resolvers.generated.ts';

export const daysGraphql = {
  User: {
    nutritionDay: ({ id }, { date, timezone }, { days }) => days.day(id, date, timezone),
    nutritionSeries: ({ id }, { bucket, ...range }, { days }) => days.series(id, { ...range, bucket: bucket ?? undefined }),
    nutritionGoal: ({ id }, { date, timezone }, { days }) => days.goal(id, date, timezone),
  },
  NutritionDay: {
    entries: (day, _args, { days }) => days.entriesOf(day),
  },
} satisfies Resolvers;
