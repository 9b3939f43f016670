import { subgraphs } from '../../subgraphs/index.ts';
import type { Recording } from './recorder.ts';

const SUPER = { as: 'super@demo.test' } as const;

/** The operations that are the same in every service that has them. */
export async function commonExamples(
  { service, examples, recorder }: Recording,
  others: Examples,
): Promise<void> {
  const operations = new Set(
    subgraphs.find(({ name }) => name === service)?.rest.map(({ operationId }) => operationId),
  );
  const { platform, record } = recorder;
  if (operations.has('listEvents')) await record('listEvents', { ...SUPER, query: { after: 'latest' } });
  // Without a database, squad has no stored jobs.
  if (service === 'squad')
    return void Object.assign(examples, { listJobs: others.listJobs, retryJob: others.retryJob });
  const [{ id }] = await platform.sql(
    service,
    `select id::text from graphile_worker.add_job('remove_failed_jobs', run_at => now() + interval '1 day')`,
  );
  await record('listJobs', { ...SUPER, query: { name: 'remove_failed_jobs', failed: 'false', limit: 1 } });
  await record('retryJob', { ...SUPER, params: { id } });
}

type Examples = Recording['examples'];
