import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { nutritionAccountPart } from './accounts/account-part.ts';
import type { AiProvider } from './analysis/ai-provider.ts';
import { Analyses } from './analysis/analysis.ts';
import { Days } from './days/days.ts';
import { FoodLogs } from './food-logs/food-logs.ts';
import { Foods } from './foods/foods.ts';
import { Goals } from './goals/goals.ts';
import { Imports } from './imports/imports.ts';
import type { TimeZones } from './time-zones/time-zones.ts';

/** What lives as long as the service. */
export interface NutritionResources {
  zones: TimeZones;
  /** Undefined where none is configured. */
  provider: AiProvider | undefined;
}

/** The rules of this service, made for one unit of work. */
export const nutritionServices = (unit: UnitOfWork, { zones, provider }: NutritionResources) => {
  const foodLogs = new FoodLogs(unit, zones);
  const goals = new Goals(unit, zones);
  return {
    foodLogs,
    goals,
    days: new Days(unit, foodLogs, goals, zones),
    imports: new Imports(unit, zones),
    analyses: new Analyses(unit, provider),
    foods: new Foods(),
    accountData: new AccountData(unit, nutritionAccountPart(unit)),
  };
};

export type NutritionServices = ReturnType<typeof nutritionServices>;
export type Context = GraphContext<NutritionServices>;
