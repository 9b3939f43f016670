import { isJsonObject } from '../json-object.ts';
import { logOfSpan, type Logger } from '../observability/logger.ts';
import { Counter, Gauge, Histogram, type Metrics } from '../observability/metrics.ts';
import { SpanKind } from '../observability/tracing.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { TRACE_FIELD } from './add-job.ts';
import type { AnyJob } from './job.ts';
import { JobRefused } from './job-refused.ts';

/** One attempt of a stored job. */
export interface Attempt {
  readonly id: string;
  readonly payload: unknown;
  /** 1 for the first attempt. */
  readonly number: number;
  readonly max: number;
}

export interface JobHost {
  resources: object;
  unitOf: () => UnitOfWork;
  log: Logger;
  metrics: JobMetrics;
  /** Aborts at the stop of the service. */
  signal: AbortSignal;
}

export interface JobMetrics {
  pending: Gauge<'name'>;
  oldestDue: Gauge<'name'>;
  failed: Counter<'name'>;
  duration: Histogram<'name' | 'outcome'>;
}

const madeFor = new WeakMap<Metrics, JobMetrics>();

/**
 * The metrics of a server's jobs. Timers and jobs in memory share them.
 * @param names of all jobs that can fail: an alert sees the first failure only if the counter was 0 before
 */
export function jobMetrics(metrics: Metrics, names: readonly string[]): JobMetrics {
  const made = madeFor.get(metrics) ?? makeMetrics([metrics.registry]);
  madeFor.set(metrics, made);
  for (const name of names) made.failed.inc({ name }, 0);
  return made;
}

function makeMetrics(registers: Metrics['registry'][]): JobMetrics {
  return {
    pending: new Gauge({
      name: 'jobs_pending',
      help: 'Jobs that wait for their time, their next attempt or a worker: the same at all replicas.',
      labelNames: ['name'] as const,
      registers,
    }),
    oldestDue: new Gauge({
      name: 'jobs_oldest_due_seconds',
      help: 'For how long the oldest job whose time has come has been waiting for a worker: the same at all replicas. 0 if none waits.',
      labelNames: ['name'] as const,
      registers,
    }),
    failed: new Counter({
      name: 'jobs_failed_total',
      help: 'Jobs that have failed for good at this replica, after their last attempt.',
      labelNames: ['name'] as const,
      registers,
    }),
    duration: new Histogram({
      name: 'job_duration_seconds',
      help: 'The duration of the attempts at jobs; outcome is done or failed.',
      labelNames: ['name', 'outcome'] as const,
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
      registers,
    }),
  };
}

/** Runs one attempt at a job. @throws StoredFailure */
export function runJob(job: AnyJob, attempt: Attempt, host: JobHost): Promise<void> {
  const { name } = job;
  const { [TRACE_FIELD]: cause, ...payload } = isJsonObject(attempt.payload) ? attempt.payload : {};
  const options = {
    kind: SpanKind.consumer,
    attributes: {
      'messaging.system': 'graphile_worker',
      'messaging.operation.name': 'run',
      'messaging.operation.type': 'process',
      'messaging.destination.name': name,
      'messaging.message.id': attempt.id || undefined,
    },
  };
  return host
    .unitOf()
    .traced(`run ${name}`, typeof cause === 'string' ? cause : undefined, options, (span) =>
      runAttempt(job, { ...attempt, payload }, { ...host, log: logOfSpan(host.log, span) }),
    );
}

async function runAttempt(job: AnyJob, attempt: Attempt, host: JobHost): Promise<void> {
  const { name } = job;
  const { metrics, log, signal, resources } = host;
  const isLastAttempt = attempt.number >= attempt.max;
  const begunAt = performance.now();
  const done = (outcome: 'done' | 'failed') =>
    metrics.duration.observe({ name, outcome }, (performance.now() - begunAt) / 1_000);
  try {
    // The payload has the job's own shape, and the service has the job's resources: TypeScript has checked both.
    const run = job.run as (payload: unknown, context: object) => Promise<void>;
    const { unitOf } = host;
    await run(job.payload.parse(attempt.payload), {
      unit: unitOf(),
      unitOf,
      resources,
      signal,
      isLastAttempt,
    });
    done('done');
  } catch (error) {
    done('failed');
    const facts = { err: error, job: name, jobId: attempt.id, attempt: attempt.number };
    if (isLastAttempt || error instanceof JobRefused) {
      metrics.failed.inc({ name });
      log.error(facts, 'a job has failed for good; GET /jobs?failed=true shows it');
    } else log.warn(facts, 'a job has failed; it is tried again');
    throw new StoredFailure(error);
  }
}

const MAX_ERROR_LENGTH = 500;

/** The text of an error, as it is stored with its job: without email addresses, which mail servers repeat in their answers. */
export class StoredFailure extends Error {
  override readonly name = 'StoredFailure';
  /** Whether no further attempt follows, even if the job has attempts left. */
  readonly isFinal: boolean;

  constructor(error: unknown) {
    const text = error instanceof Error ? error.message : String(error);
    super(
      text.replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[address]').slice(0, MAX_ERROR_LENGTH) ||
        'an error without a text',
    );
    this.isFinal = error instanceof JobRefused;
    delete this.stack; // the log has the stack of the error itself
  }
}
