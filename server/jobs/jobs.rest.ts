import { z } from 'zod';
import { pageQuery } from '../paging.ts';
import { SUPER_ADMINS } from '../rest/callers.ts';
import { restRoute, type ApiTag } from '../rest/route.ts';
import type { Jobs } from './jobs.ts';
import { JobId, JobName, JobShape } from './jobs.shapes.ts';

const JOBS: ApiTag = {
  name: 'Jobs',
  description: 'Work that a service does later or again and again, for operators.',
};
const route = restRoute<{ jobs: Jobs }>(JOBS);

/** The two routes for operators; they are the same in every service. */
export const jobsRest = [
  route({
    method: 'GET',
    path: '/jobs',
    operationId: 'listJobs',
    summary: 'The jobs of this service that wait, run or have failed, the newest first',
    description: 'A job that has succeeded is not stored. One that has failed for good is kept for 30 days.',
    only: SUPER_ADMINS,
    auth: 'required',
    query: pageQuery.extend({
      failed: z
        .enum(['true', 'false'])
        .transform((text) => text === 'true')
        .optional()
        .meta({ description: '`true`: only jobs that have failed for good; `false`: only the others.' }),
      name: JobName.optional().meta({ description: 'Only jobs with this name.' }),
    }),
    success: { status: 200, description: 'The newest first.', shape: JobShape, page: true },
    errors: ['FORBIDDEN'],
    handler: ({ query }, { jobs }) => jobs.list(query),
  }),
  route({
    method: 'POST',
    path: '/jobs/:id/retry',
    operationId: 'retryJob',
    summary: 'Run a job at once, with all of its attempts again',
    only: SUPER_ADMINS,
    auth: 'required',
    params: z.object({ id: JobId.meta({ description: "The job's id." }) }),
    success: { status: 202, description: 'The job begins as soon as a worker is free.', shape: JobShape },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
    handler: ({ params }, { jobs }) => jobs.retry(params.id),
  }),
];
