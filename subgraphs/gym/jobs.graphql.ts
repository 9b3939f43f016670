import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { gymJobs: jobsResolvers.list },
  Mutation: { retryGymJob: jobsResolvers.retry },
} satisfies Resolvers;
