import { connectionOf, pageOf } from '../graphql/connection.ts';
import type { Jobs } from './jobs.ts';

interface JobsArguments {
  failed?: boolean | null | undefined;
  name?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/** The resolvers of a service's two fields for jobs. Their names differ by service, because one graph has all services. */
export const jobsResolvers = {
  list: async (_root: unknown, { failed, name, ...page }: JobsArguments, { jobs }: { jobs: Jobs }) =>
    connectionOf(await jobs.list({ ...pageOf(page), failed, name })),
  retry: (_root: unknown, { id }: { id: string }, { jobs }: { jobs: Jobs }) => jobs.retry(id),
};
