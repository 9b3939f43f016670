import { z } from 'zod';
import { requireRole, Role } from '../auth/viewer.ts';
import { conflict, notFound } from '../errors.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '../paging.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { validated } from '../validate.ts';
import type { AnyJob } from './job.ts';
import { JobId, JobName, JobStatus, type JobShape } from './jobs.shapes.ts';

/** A stored job. */
export interface JobRow {
  id: string;
  name: string;
  attempts: number;
  maxAttempts: number;
  createdAt: string;
  runAt: string;
  isLocked: boolean;
  error: string | null;
  payload: Record<string, unknown>;
}

/** The jobs of a service without a database. Ids are positive whole numbers. */
export interface JobsWithoutDatabase {
  rows(): readonly JobRow[];
  /** Undefined if there is no such job. A job that is running stays as it is. */
  retry(id: string): JobRow | undefined;
}

interface JobsRequest extends PageRequest {
  /** Only jobs that have failed for good (true), or only others (false). */
  failed?: boolean | null | undefined;
  name?: string | null | undefined;
}

const NameInput = z.object({ name: JobName.nullish() });
const cursors = cursorsOf('jobs', z.tuple([z.string().regex(/^\d{1,19}$/)]));

/** The jobs of one service, for operators: a SUPER_ADMIN reads them, and runs failed ones again. */
export class Jobs {
  private readonly unit: UnitOfWork;
  private readonly declared: ReadonlyMap<string, Pick<AnyJob, 'shown' | 'maxAttempts'>>;
  private readonly others: JobsWithoutDatabase | undefined;

  /**
   * @param declared the service's own jobs; without them no payload is shown
   * @param others the jobs of a service that runs without a database
   */
  constructor(unit: UnitOfWork, declared: readonly AnyJob[] = [], others?: JobsWithoutDatabase) {
    this.unit = unit;
    this.declared = new Map(declared.map((job) => [job.name, job]));
    this.others = others;
  }

  /** The jobs that wait, run or have failed, the newest first. A job that has succeeded is not stored. */
  async list(request: JobsRequest): Promise<Page<JobShape>> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { name } = validated(NameInput, { name: request.name });
    const before = cursors.read(request.cursor);
    const size = pageSize(request);
    const rows = await this.rows({ ...request, name }, before?.[0], size + 1);
    return mapPage(
      cursors.page(rows, request, ({ id }) => [id]),
      (row) => this.present(row),
    );
  }

  /**
   * Lets a job begin at once, with all of its attempts again: one that failed for good, or one that waits.
   * @throws NOT_FOUND if it has succeeded or never existed, CONFLICT if it is running
   */
  async retry(id: string): Promise<JobShape> {
    const { userId } = requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    if (!JobId.safeParse(id).success) throw notFound('job', id);
    if (!this.unit.hasDatabase) return this.retryOther(id);
    return this.unit.transaction(async () => {
      const [before] = await this.unit.em.execute<JobRow[]>(`${SELECT} where job.id = ?::bigint`, [id]);
      if (!before) throw notFound('job', id);
      const changed = await this.unit.em.execute<unknown[]>(
        'select 1 from graphile_worker.reschedule_jobs(array[?::bigint], run_at => now(), attempts => 0, max_attempts => ?)',
        [id, this.declared.get(before.name)?.maxAttempts ?? before.maxAttempts],
      );
      const [row] = await this.unit.em.execute<JobRow[]>(`${SELECT} where job.id = ?::bigint`, [id]);
      if (!row) throw notFound('job', id);
      if (changed.length === 0) throw isRunning();
      // PostgreSQL notifies the workers of inserted jobs, but not of this change.
      await this.unit.em.execute(`select pg_notify('jobs:insert', '{"count":1}')`);
      this.unit.log.info({ job: row.name, jobId: id, userId }, 'a job is retried by an operator');
      return this.present(row);
    });
  }

  private retryOther(id: string): JobShape {
    const row = this.others?.retry(id);
    if (!row) throw notFound('job', id);
    if (row.isLocked) throw isRunning();
    return this.present(row);
  }

  private async rows(
    { failed, name }: JobsRequest,
    before: string | undefined,
    limit: number,
  ): Promise<JobRow[]> {
    if (!this.unit.hasDatabase)
      return (this.others?.rows() ?? [])
        .filter((row) => before === undefined || BigInt(row.id) < BigInt(before))
        .filter((row) => (name ? row.name === name : true))
        .filter((row) => typeof failed !== 'boolean' || hasFailed(row) === failed)
        .toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
        .slice(0, limit);
    const conditions: [sql: string, ...values: unknown[]][] = [];
    if (before !== undefined) conditions.push(['job.id < ?::bigint', before]);
    if (name) conditions.push(['task.identifier = ?', name]);
    if (typeof failed === 'boolean') conditions.push([failed ? IS_FAILED : `not (${IS_FAILED})`]);
    const where = conditions.map(([sql]) => sql).join(' and ') || 'true';
    const values = conditions.flatMap(([, ...given]) => given);
    return this.unit.em.execute<JobRow[]>(`${SELECT} where ${where} order by job.id desc limit ?`, [
      ...values,
      limit,
    ]);
  }

  private present(stored: JobRow): JobShape {
    const { isLocked, payload, runAt, createdAt, ...row } = stored;
    const isOver = hasFailed(stored);
    const shown = this.declared.get(row.name)?.shown ?? [];
    return {
      ...row,
      status: isLocked ? JobStatus.RUNNING : isOver ? JobStatus.FAILED : JobStatus.PENDING,
      createdAt: new Date(createdAt).toISOString(),
      runAt: isOver ? null : new Date(runAt).toISOString(),
      payload: Object.fromEntries(Object.entries(payload).filter(([field]) => shown.includes(field))),
    };
  }
}

const isRunning = () => conflict('The job is running; wait for its end.');

const hasFailed = ({ isLocked, attempts, maxAttempts }: JobRow): boolean =>
  !isLocked && attempts >= maxAttempts;

const IS_FAILED = 'job.attempts >= job.max_attempts and job.locked_at is null';

const SELECT = `select job.id::text, task.identifier as name, job.attempts, job.max_attempts as "maxAttempts",
  job.created_at as "createdAt", job.run_at as "runAt", job.locked_at is not null as "isLocked", job.last_error as error,
  job.payload
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id`;
