import { z } from 'zod';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { database } from './database.ts';
import { daysGraphql } from './days/days.graphql.ts';
import { daysRest } from './days/days.rest.ts';
import { demo } from './demo.ts';
import { foodLogsGraphql } from './food-logs/food-logs.graphql.ts';
import { foodLogsRest } from './food-logs/food-logs.rest.ts';
import { goalsGraphql } from './goals/goals.graphql.ts';
import { goalsRest } from './goals/goals.rest.ts';
import { nutritionServices, type NutritionResources } from './services.ts';
import { identityTimeZones } from './time-zones/time-zones.identity.ts';

export const nutrition = defineSubgraph({
  name: 'nutrition',
  title: 'Nutrition service',
  description: 'What people eat: analysis of meals, the food log, goals and how it goes over time.',
  settings: z.object({}),
  database,
  resources: async ({ settings }): Promise<NutritionResources> => ({ zones: identityTimeZones(settings.identityUrl) }),
  services: nutritionServices,
  graphql: [foodLogsGraphql, goalsGraphql, daysGraphql],
  rest: [...foodLogsRest, ...goalsRest, ...daysRest],
  demo: (_services, unit) => demo(unit),
});
