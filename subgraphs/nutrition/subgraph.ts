import { accountDataRest } from '#server/accounts/account-data.rest.ts';
import { defineSubgraph } from '#server/define-subgraph.ts';
import { jobsRest } from '#server/jobs/jobs.rest.ts';
import { readExamples } from '#server/rest/examples.ts';
import { analysisGraphql } from './analysis/analysis.graphql.ts';
import { ANALYSIS_RATE, analysisRest } from './analysis/analysis.rest.ts';
import { database } from './database.ts';
import { nutritionJobs } from './jobs.ts';
import { jobsGraphql } from './jobs.graphql.ts';
import { daysGraphql } from './days/days.graphql.ts';
import { daysRest } from './days/days.rest.ts';
import { demo } from './demo.ts';
import { foodLogsGraphql } from './food-logs/food-logs.graphql.ts';
import { foodLogsRest } from './food-logs/food-logs.rest.ts';
import { openFoodFacts } from './foods/barcode-source.open-food-facts.ts';
import { foodsGraphql } from './foods/foods.graphql.ts';
import { foodsRest } from './foods/foods.rest.ts';
import { goalsGraphql } from './goals/goals.graphql.ts';
import { goalsRest } from './goals/goals.rest.ts';
import { importsGraphql } from './imports/imports.graphql.ts';
import { importsRest } from './imports/imports.rest.ts';
import { nutritionRetention } from './retention.ts';
import { nutritionServices, type NutritionResources } from './services.ts';
import { geminiProvider } from './analysis/ai-provider.gemini.ts';
import { nutritionSettings } from './settings.ts';
import { identityProfiles } from '#server/profiles/profiles.identity.ts';

export const nutrition = defineSubgraph({
  name: 'nutrition',
  title: 'Nutrition service',
  description: 'Analysis of meals, the food log, goals, and sums and averages over time.',
  settings: nutritionSettings,
  database,
  resources: async ({ settings, log }): Promise<NutritionResources> => {
    const profiles = identityProfiles(settings.identityUrl);
    return {
      profiles,
      dispose: () => profiles.close(),
      provider: settings.geminiApiKey
        ? geminiProvider({
            apiKey: settings.geminiApiKey,
            model: settings.geminiModel,
            baseUrl: settings.geminiBaseUrl,
            timeoutMillis: settings.geminiTimeoutMillis,
            totalTimeoutMillis: settings.geminiTotalTimeoutMillis,
            retries: settings.geminiRetries,
            maxRetryWaitMillis: settings.geminiMaxRetryWaitMillis,
            breakerFailures: 5,
            breakerOpenMillis: settings.geminiBreakerMillis,
            log,
          })
        : undefined,
      barcodes: settings.openFoodFactsUrl
        ? openFoodFacts({
            url: settings.openFoodFactsUrl,
            timeoutMillis: settings.openFoodFactsTimeoutMillis,
            log,
          })
        : undefined,
    };
  },
  services: nutritionServices,
  jobs: nutritionJobs,
  features: {
    foodLogs: 'nutrition',
    goals: 'nutrition',
    days: 'nutrition',
    imports: 'nutrition',
    analyses: 'nutrition',
    foods: 'nutrition',
    ownFoods: 'nutrition',
    jobs: null,
    accountData: null,
  },
  graphql: [
    analysisGraphql,
    foodLogsGraphql,
    goalsGraphql,
    daysGraphql,
    foodsGraphql,
    importsGraphql,
    jobsGraphql,
  ],
  graphqlRateLimits: { 'Mutation.analyzeFood': ANALYSIS_RATE },
  examples: readExamples(new URL('examples.json', import.meta.url)),
  // Imports come before the log, so that `/log/import` does not match `/log/:id`.
  rest: [
    ...analysisRest,
    ...importsRest,
    ...foodLogsRest,
    ...goalsRest,
    ...daysRest,
    ...foodsRest,
    ...accountDataRest,
    ...jobsRest,
  ],
  retention: () => nutritionRetention,
  demo: (_services, unit, _resources, { demoHistory }) => demo(unit, demoHistory),
});
