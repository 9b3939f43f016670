// Written by `npm run clients`; do not edit.

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The origin of an entry. */
export type FoodLogSource =
  /** The user has entered it. */
  | 'MANUAL'
  /** An analysis by the AI provider, which the user confirmed. */
  | 'AI'
  /** An estimate by the food table, which the user confirmed. */
  | 'FOOD_TABLE'
  /** A copy of another entry. */
  | 'COPY'
  /** A line of an imported CSV file. */
  | 'IMPORT';

/** A new entry: with a food, from which absent values are computed, or with a name and calories. */
export type LogFoodInput = {
  /** The id of a food of the table, of your own food, or of a product. Absent values are computed from it. */
  foodId?: string | null | undefined;
  /** The name of what was eaten: at most 200 characters. Required without `foodId`. Default: the name of the food. */
  foodName?: string | null | undefined;
  /** Energy in whole kcal: 0 to 20,000. Required without `foodId`. Default: computed from the food and the weight. */
  calories?: number | null | undefined;
  /** Protein in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
  protein?: number | null | undefined;
  /** Carbohydrates in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
  carbs?: number | null | undefined;
  /** Fat in g, at most 5,000. Default: computed from the food and the weight; without `foodId` 0. */
  fats?: number | null | undefined;
  /** Number of `unit`: above 0, at most 100,000. */
  quantity?: number | null | undefined;
  /** The unit of `quantity`, e.g. `cup`, `slice`, `g`: at most 40 characters. */
  unit?: string | null | undefined;
  /** The weight in grams: 0 to 100,000. Default with `foodId`: by quantity and unit, else the food's usual portion. */
  grams?: number | null | undefined;
  /** The meal that the entry belongs to. */
  mealType?: MealType | null | undefined;
  /** The origin of the entry: `MANUAL` (default), `AI` or `FOOD_TABLE`. */
  source?: FoodLogSource | null | undefined;
  /** When it was eaten. Default: now, or noon of `localDate` if that is another day. */
  loggedAt?: string | null | undefined;
  /** The day that the entry counts for. Default: the day of `loggedAt` in the time zone. */
  localDate?: string | null | undefined;
  /** IANA time zone that decides the day. Default: your profile. */
  timezone?: string | null | undefined;
};

/** A meal of the day. */
export type MealType =
  /** Breakfast. */
  | 'BREAKFAST'
  /** Lunch. */
  | 'LUNCH'
  /** Dinner. */
  | 'DINNER'
  /** Anything between the meals. */
  | 'SNACK';

/** How full a location is. */
export type OccupancyLevel =
  /** Below 80 percent. */
  | 'OK'
  /** From 80 percent. */
  | 'BUSY'
  /** No more members are let in. */
  | 'FULL';

export type HomeQueryVariables = Exact<{
  workouts: number;
}>;


export type HomeQuery = { me: { displayName: string, gym: { locations: Array<{ name: string, occupancy: { people: number, level: OccupancyLevel } }> | null } | null, nutritionDay: { totals: { calories: number } } | null, nextWorkout: { title: string, durationMinutes: number } | null, trainingSummary: { count: number, minutes: number, volumeKg: number, streakWeeks: number } | null } | null, workouts: { nodes: Array<{ title: string, durationMinutes: number }> } | null };

export type LogFoodMutationVariables = Exact<{
  input: LogFoodInput;
}>;


export type LogFoodMutation = { logFood: { id: string, foodName: string, calories: number, localDate: string } | null };


export const HomeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Home"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"workouts"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"me"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"gym"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"locations"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"occupancy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"people"}},{"kind":"Field","name":{"kind":"Name","value":"level"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"nutritionDay"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calories"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextWorkout"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"durationMinutes"}}]}},{"kind":"Field","name":{"kind":"Name","value":"trainingSummary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"days"},"value":{"kind":"IntValue","value":"7"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}},{"kind":"Field","name":{"kind":"Name","value":"volumeKg"}},{"kind":"Field","name":{"kind":"Name","value":"streakWeeks"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"workouts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"workouts"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"title"}},{"kind":"Field","name":{"kind":"Name","value":"durationMinutes"}}]}}]}}]}}]} as unknown as DocumentNode<HomeQuery, HomeQueryVariables>;
export const LogFoodDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"LogFood"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LogFoodInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"logFood"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"foodName"}},{"kind":"Field","name":{"kind":"Name","value":"calories"}},{"kind":"Field","name":{"kind":"Name","value":"localDate"}}]}}]}}]} as unknown as DocumentNode<LogFoodMutation, LogFoodMutationVariables>;