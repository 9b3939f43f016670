import { jobsResolvers } from '#server/jobs/jobs.graphql.ts';
import type { Resolvers } from './resolvers.generated.ts';

export const jobsGraphql = {
  Query: { wizardJobs: jobsResolvers.list },
  Mutation: { retryWizardJob: jobsResolvers.retry },
} satisfies Resolvers;
