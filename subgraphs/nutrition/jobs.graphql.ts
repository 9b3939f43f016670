import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { nutritionJobs: jobsResolvers.list },
  Mutation: { retryNutritionJob: jobsResolvers.retry },
} satisfies Resolvers;
