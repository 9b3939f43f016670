import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { squadJobs: jobsResolvers.list },
  Mutation: { retrySquadJob: jobsResolvers.retry },
} satisfies Resolvers;
