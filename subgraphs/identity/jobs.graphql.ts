import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { identityJobs: jobsResolvers.list },
  Mutation: { retryIdentityJob: jobsResolvers.retry },
} satisfies Resolvers;
