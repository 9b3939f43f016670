import type { GraphContext } from '#server/graphql/subgraph-endpoint.ts';
import { Jobs } from '#server/jobs/jobs.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AccountData } from '#server/accounts/account-data.ts';
import { nutritionAccountPart } from './accounts/account-part.ts';
import type { AiProvider } from './analysis/ai-provider.ts';
import { Analyses } from './analysis/analysis.ts';
import { Days } from './days/days.ts';
import { FoodLogs } from './food-logs/food-logs.ts';
import type { BarcodeSource } from './foods/barcode-source.ts';
import { Foods } from './foods/foods.ts';
import { OwnFoods } from './foods/own-foods.ts';
import { Goals } from './goals/goals.ts';
import { Imports } from './imports/imports.ts';
import { nutritionJobs } from './jobs.ts';
import type { Profiles } from '#server/profiles/profiles.ts';

/** Objects that exist as long as the service runs. */
export interface NutritionResources {
  profiles: Profiles;
  /** Undefined: none is configured. */
  provider: AiProvider | undefined;
  /** Undefined: none is configured. */
  barcodes: BarcodeSource | undefined;
  dispose(): Promise<void>;
}

/** The rules of this service for one unit of work. */
export const nutritionServices = (unit: UnitOfWork, { profiles, provider, barcodes }: NutritionResources) => {
  const foods = new Foods(unit, profiles, barcodes);
  const foodLogs = new FoodLogs(unit, profiles, foods);
  const goals = new Goals(unit, profiles);
  return {
    foodLogs,
    goals,
    days: new Days(unit, foodLogs, goals, profiles),
    imports: new Imports(unit, profiles),
    analyses: new Analyses(unit, provider),
    foods,
    ownFoods: new OwnFoods(unit),
    jobs: new Jobs(unit, nutritionJobs),
    accountData: new AccountData(unit, nutritionAccountPart(unit)),
  };
};

type NutritionServices = ReturnType<typeof nutritionServices>;
export type Context = GraphContext<NutritionServices>;
