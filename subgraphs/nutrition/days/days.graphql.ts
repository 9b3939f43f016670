import type { Resolvers } from '../resolvers.generated.ts';

const METRIC = { CALORIES: 'calories', PROTEIN: 'protein', CARBS: 'carbs', FATS: 'fats' } as const;

// `undefined` means the default of the rule, `null` would be a value, so an argument that is null is left out.
export const daysGraphql = {
  User: {
    nutritionDay: ({ id }, { date, timezone }, { days }) => days.day(id, date, timezone),
    nutritionSeries: ({ id }, { bucket, ...range }, { days }) =>
      days.series(id, { ...range, bucket: bucket ?? undefined }),
    nutritionChart: ({ id }, { bucket, metric, ...range }, { days }) =>
      days.chart(id, { ...range, bucket: bucket ?? undefined, metric: metric ? METRIC[metric] : undefined }),
    nutritionGoal: ({ id }, { date, timezone }, { days }) => days.goal(id, date, timezone),
  },
  NutritionDay: {
    goal: (day, _args, { days }) => days.goalOf(day),
    remaining: (day, _args, { days }) => days.remainingOf(day),
    entries: (day, _args, { days }) => days.entriesOf(day),
  },
} satisfies Resolvers;
