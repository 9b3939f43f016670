import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { contentJobs: jobsResolvers.list },
  Mutation: { retryContentJob: jobsResolvers.retry },
} satisfies Resolvers;
