import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Days } from './days/days.ts';
import { FoodLogs } from './food-logs/food-logs.ts';
import { Goals } from './goals/goals.ts';
import type { TimeZones } from './time-zones/time-zones.ts';

/** What lives as long as the service. */
export interface NutritionResources {
  zones: TimeZones;
}

/** The rules of this service, made for one unit of work. */
export const nutritionServices = (unit: UnitOfWork, { zones }: NutritionResources) => {
  const foodLogs = new FoodLogs(unit, zones);
  const goals = new Goals(unit);
  return { foodLogs, goals, days: new Days(unit, foodLogs, goals, zones) };
};

export type NutritionServices = ReturnType<typeof nutritionServices>;
export type Context = GraphContext<NutritionServices>;
