import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Viewer } from './auth/viewer.ts';
import { RolledBackError } from './database/platform-client.ts';
import { read } from './database/read.ts';
import { logOfRequest, type Logger } from './observability/logger.ts';
import type { ServiceName } from './settings.ts';

/** Where a unit of work comes from: for passing identity and trace on to other services. */
export interface Origin {
  readonly requestId: string;
  readonly traceparent: string;
  /** The caller's `Authorization`, for calls in their name. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** `User-Agent`, cut to 256 characters; for lists of log-ins. */
  readonly userAgent: string;
  /** The path under which the gateway serves this service, such as `/gym`, if the request came through it; else empty. */
  readonly prefix: string;
  /** `Accept-Language`, cut to 256 characters. Absent: work that no request has asked for. */
  readonly acceptLanguage?: string;
  /** Milliseconds that the caller still waits for the answer; undefined if it has not said. Absent: no caller waits. */
  readonly timeLeft?: () => number | undefined;
  /** Aborts if the client's connection closes before it has the answer. Absent: no client waits. */
  readonly clientLeft?: () => AbortSignal;
}

/** The origin of work that no request has asked for. */
export const NOWHERE: Origin = {
  requestId: '',
  traceparent: '',
  authorization: undefined,
  address: '',
  userAgent: '',
  prefix: '',
};

/**
 * One request, one subscription event or one socket frame: who asks, a fresh EntityManager, and what is to happen
 * once its writes are on disk. Rule objects are made for one unit of work and forgotten with it, their DataLoaders too.
 */
export class UnitOfWork {
  readonly viewer: Viewer;
  readonly origin: Origin;
  private readonly serviceLog: Logger;
  private ownLog: Logger | undefined;
  private readonly orm: MikroORM | undefined;
  private own: EntityManager | undefined;
  private depth = 0;
  private afterCommitTasks: (() => void | Promise<void>)[] = [];

  constructor(orm: MikroORM | undefined, viewer: Viewer, log: Logger, origin: Origin) {
    this.orm = orm;
    this.viewer = viewer;
    this.serviceLog = log;
    this.origin = origin;
  }

  get log(): Logger {
    const { requestId, traceparent } = this.origin;
    if (!requestId) return this.serviceLog;
    return (this.ownLog ??= logOfRequest(this.serviceLog, requestId, traceparent));
  }

  /**
   * A path at this service as the caller can fetch it: below the gateway's prefix if they asked through the gateway.
   * URLs stay as they are.
   * @param service whose path it is, if it is another service's; only the gateway serves that one beside this one
   */
  publicPath<Path extends string | null>(path: Path, service?: ServiceName): Path;
  publicPath(path: string | null, service?: ServiceName): string | null {
    if (!path?.startsWith('/')) return path;
    const { prefix } = this.origin;
    return (service ? prefix.replace(/[^/]+$/, service) : prefix) + path;
  }

  /** The EntityManager; inside `transaction` that of the transaction. */
  get em(): EntityManager {
    // useContext: inside `transaction` the calls reach the transaction's own EntityManager
    this.own ??= this.database.em.fork({ useContext: true });
    return this.own;
  }

  /** Rows of a `select` that is run often; see `read` of server/database. */
  read<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    // A unit that only reads so needs no EntityManager of its own.
    return read(this.database.em, sql, values);
  }

  private get database(): MikroORM {
    if (!this.orm) throw new Error('This service declares no database.');
    return this.orm;
  }

  /** Runs `work` in a transaction; inside another one in a savepoint, so that what it throws undoes only its own writes. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const mark = this.afterCommitTasks.length;
    let result: Result;
    this.depth += 1;
    try {
      result = await this.em.transactional(work);
    } catch (error) {
      this.afterCommitTasks.length = mark; // what was not committed is not told
      throw error;
    } finally {
      this.depth -= 1;
    }
    if (this.depth === 0) await this.settle();
    return result;
  }

  /**
   * Runs `work` inside the open transaction, which goes on whatever `work` did. Without it, one statement that fails (a
   * unique violation that a rule turns into a refusal) makes PostgreSQL refuse every further statement of the transaction.
   *
   * A refusal keeps what `work` has stored, such as a count of failed log-ins, unless a statement failed. It drops
   * entities that were changed and not stored. An answer that is no refusal although a statement failed is not given,
   * since what `work` wrote is gone.
   */
  async attempt<Result>(
    work: () => Promise<Result>,
    isRefusal: (result: Result) => boolean,
  ): Promise<Result> {
    await this.em.execute('savepoint attempt');
    const result = await work();
    const isAborted = await this.em.execute('release savepoint attempt').then(
      () => false,
      (error: unknown) => {
        if ((error as { code?: unknown }).code !== IN_FAILED_SQL_TRANSACTION) throw error;
        return true;
      },
    );
    if (isAborted) {
      if (!isRefusal(result)) throw new RolledBackError();
      await this.em.execute('rollback to savepoint attempt');
      await this.em.execute('release savepoint attempt'); // or an attempt around this one would go back to it
    }
    if (isRefusal(result)) this.em.clear();
    return result;
  }

  /**
   * Runs `task` once the writes so far are committed (at once where no transaction is open): events are published
   * after commit, never before. A task that fails is logged; it cannot undo what is committed.
   * Tasks of a transaction that was rolled back are dropped.
   */
  async afterCommit(task: () => void | Promise<void>): Promise<void> {
    this.afterCommitTasks.push(task);
    if (this.depth === 0) await this.settle();
  }

  private async settle(): Promise<void> {
    const tasks = this.afterCommitTasks;
    this.afterCommitTasks = [];
    for (const task of tasks) {
      try {
        await task();
      } catch (error) {
        this.log.error({ err: error }, 'a task after commit failed');
      }
    }
  }
}

/** SQLSTATE */
const IN_FAILED_SQL_TRANSACTION = '25P02';
