/**
 * For a GraphQL type whose resolvers get objects of a TypeScript type of their own: that type, by the name of the GraphQL type.
 * `npm run generate` reads this file.
 */
export type { Analysis as FoodAnalysis, AnalysisItem } from './analysis/analysis.shapes.ts';
export type { FoodLogImportShape as FoodLogImport } from './imports/imports.shapes.ts';
export type { FoodNutrients, FoodShape as Food } from './foods/foods.shapes.ts';
export type {
  NutritionDay,
  RemainingShape as NutritionRemaining,
  SeriesPointShape as NutritionPoint,
} from './days/days.shapes.ts';
export type { FoodLogShape as FoodLog, LoggedMealShape as LoggedMeal } from './food-logs/food-logs.shapes.ts';
export type { NutritionGoalShape as NutritionGoal } from './goals/goals.shapes.ts';
export type { Nutrients } from './nutrients.ts';
/**
 * A reference to a user, with the time zone of their profile if the gateway sends it. The reference needs no rights: the
 * resolver of each of its fields checks them.
 */
export interface User {
  id: string;
  timezone?: string;
}
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
