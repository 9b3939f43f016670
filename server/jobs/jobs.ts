import { z } from 'zod';
import { requireRole, Role } from '../auth/viewer.ts';
import { conflict, notFound } from '../errors.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '../paging.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { validated } from '../validate.ts';
import type { AnyJob } from './job.ts';
import { JobId, JobName, JobStatus, type JobShape } from './jobs.shapes.ts';

interface JobRow {
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
  private readonly shown: ReadonlyMap<string, readonly string[]>;

  /** @param declared the service's own jobs; without them no payload is shown */
  constructor(unit: UnitOfWork, declared: readonly AnyJob[] = []) {
    this.unit = unit;
    this.shown = new Map(declared.map(({ name, shown = [] }) => [name, shown]));
  }

  /** The jobs that wait, run or have failed, the newest first. A job that has succeeded is not stored. */
  async list(request: JobsRequest): Promise<Page<JobShape>> {
    requireRole(this.unit.viewer, Role.SUPER_ADMIN);
    const { name } = validated(NameInput, { name: request.name });
    const before = cursors.read(request.cursor);
    const size = pageSize(request);
    const rows = this.unit.hasDatabase ? await this.rows({ ...request, name }, before?.[0], size + 1) : [];
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
    if (!this.unit.hasDatabase || !JobId.safeParse(id).success) throw notFound('job', id);
    return this.unit.transaction(async () => {
      const changed = await this.unit.em.execute<unknown[]>(
        'select 1 from graphile_worker.reschedule_jobs(array[?::bigint], run_at => now(), attempts => 0)',
        [id],
      );
      const [row] = await this.unit.em.execute<JobRow[]>(`${SELECT} where job.id = ?::bigint`, [id]);
      if (!row) throw notFound('job', id);
      if (changed.length === 0) throw conflict('The job is running; wait for its end.');
      // Workers are notified of inserts only.
      await this.unit.em.execute(`select pg_notify('jobs:insert', '{"count":1}')`);
      this.unit.log.info({ job: row.name, jobId: id, userId }, 'a job is retried by an operator');
      return this.present(row);
    });
  }

  private rows({ failed, name }: JobsRequest, before: string | undefined, limit: number): Promise<JobRow[]> {
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

  private present({ isLocked, payload, runAt, createdAt, ...row }: JobRow): JobShape {
    const hasFailed = !isLocked && row.attempts >= row.maxAttempts;
    const shown = this.shown.get(row.name) ?? [];
    return {
      ...row,
      status: isLocked ? JobStatus.RUNNING : hasFailed ? JobStatus.FAILED : JobStatus.PENDING,
      createdAt: new Date(createdAt).toISOString(),
      runAt: hasFailed ? null : new Date(runAt).toISOString(),
      payload: Object.fromEntries(Object.entries(payload).filter(([field]) => shown.includes(field))),
    };
  }
}

const IS_FAILED = 'job.attempts >= job.max_attempts and job.locked_at is null';

const SELECT = `select job.id::text, task.identifier as name, job.attempts, job.max_attempts as "maxAttempts",
  job.created_at as "createdAt", job.run_at as "runAt", job.locked_at is not null as "isLocked", job.last_error as error,
  job.payload
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id`;
