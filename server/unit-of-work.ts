import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Viewer } from './auth/viewer.ts';
import { RolledBackError } from './database/platform-client.ts';
import { read, runOnce } from './database/read.ts';
import { isOfFailedTransaction } from './database/refusals.ts';
import { repeated, type Attempt } from './database/repetition.ts';
import type { EventOutbox } from './events/event-log.ts';
import { logOfRequest, logOfSpan, type Logger } from './observability/logger.ts';
import {
  activeSpan,
  within,
  withoutSpan,
  type Span,
  type SpanOptions,
  type Tracing,
} from './observability/tracing.ts';
import type { ServiceName } from './settings.ts';

/** The request to which a unit of work belongs. Calls to other services send its id, trace and authorization. */
export interface Origin {
  readonly requestId: string;
  readonly traceparent: string;
  /** The span of the request, if it is sampled. */
  readonly span?: Span | undefined;
  /** The caller's `Authorization`, for calls with their rights. */
  readonly authorization: string | undefined;
  readonly address: string;
  /** `User-Agent`, cut to 256 characters; for the list of a user's sessions. */
  readonly userAgent: string;
  /** The gateway's path prefix of this service, such as `/gym`, if the request came through the gateway; else empty. */
  readonly prefix: string;
  /** `Accept-Language`, cut to 256 characters. Absent if no request has caused the work. */
  readonly acceptLanguage?: string;
  /** How many milliseconds the caller still waits for the answer; undefined if that is unknown. Absent if no caller waits. */
  readonly timeLeft?: () => number | undefined;
  /** Returns a signal that aborts if the client's connection closes before the answer is sent. Absent if no client waits. */
  readonly clientLeft?: () => AbortSignal;
}

interface TransactionOptions {
  /**
   * Whether the transaction may run again if the answer to its COMMIT is lost. It may if it first writes something, such as a
   * key, by which the repetition finds what was committed. Called after `work`. Default: no.
   */
  mayRepeatCommit?: () => boolean;
}

type Task = () => void | Promise<void>;

/** A transaction of a unit of work, or a savepoint in one. */
interface OpenTransaction {
  readonly unit: UnitOfWork;
  /** The transaction, perhaps of another unit, in which this one was begun. */
  readonly outer: OpenTransaction | undefined;
  /** Undefined if the transaction is not repeated. */
  readonly attempt: Attempt | undefined;
  /** What runs after the commit. */
  readonly tasks: Task[];
  isOver: boolean;
}

/**
 * The innermost transaction of the running code. It is no property of the unit of work, because the fields of a query can have
 * transactions at the same time.
 */
const innermost = new AsyncLocalStorage<OpenTransaction>();

/** The origin of work that no request has caused. */
export const NO_ORIGIN: Origin = {
  requestId: '',
  traceparent: '',
  authorization: undefined,
  address: '',
  userAgent: '',
  prefix: '',
};

/**
 * One request, subscription event, socket frame or attempt of a job: its viewer, a fresh EntityManager, and the tasks that run
 * after its writes are committed. Rules and their DataLoaders are created for one unit of work, and used by no other.
 */
export class UnitOfWork {
  readonly viewer: Viewer;
  readonly origin: Origin;
  /** Undefined if the service declares no events. */
  readonly outbox: EventOutbox | undefined;
  private readonly serviceLog: Logger;
  private ownLog: Logger | undefined;
  private readonly orm: MikroORM | undefined;
  private readonly tracing: Tracing | undefined;
  private own: EntityManager | undefined;
  /** How many transactions of this unit are open, with their savepoints. */
  private openCount = 0;

  constructor(
    orm: MikroORM | undefined,
    viewer: Viewer,
    log: Logger,
    origin: Origin,
    { outbox, tracing }: { outbox?: EventOutbox | undefined; tracing?: Tracing | undefined } = {},
  ) {
    this.orm = orm;
    this.viewer = viewer;
    this.serviceLog = log;
    this.origin = origin;
    this.outbox = outbox;
    this.tracing = tracing;
  }

  get log(): Logger {
    const { requestId, traceparent } = this.origin;
    if (!requestId) return logOfSpan(this.serviceLog, activeSpan());
    return (this.ownLog ??= logOfRequest(this.serviceLog, requestId, traceparent));
  }

  /**
   * A path of this service as the caller can request it: with the gateway's prefix if the request came through the gateway.
   * URLs are returned unchanged.
   * @param service the owner of the path, if it is another service. The result is right only for requests through the
   * gateway, which serves all services under one address.
   */
  publicPath<Path extends string | null>(path: Path, service?: ServiceName): Path;
  publicPath(path: string | null, service?: ServiceName): string | null {
    if (!path?.startsWith('/')) return path;
    const { prefix } = this.origin;
    return (service ? prefix.replace(/[^/]+$/, service) : prefix) + path;
  }

  /**
   * Runs work that no open request waits for, in a span of its own if it is sampled.
   * @param cause the trace context of what caused the work; undefined if the work begins a new trace
   */
  traced<Result>(
    name: string,
    cause: string | undefined,
    options: SpanOptions,
    work: (span: Span | undefined) => Promise<Result>,
  ): Promise<Result> {
    const span = this.tracing?.start(name, cause, options);
    return span ? within(span, () => work(span)) : withoutSpan(() => work(undefined));
  }

  /** Whether the service uses a database. */
  get hasDatabase(): boolean {
    return this.orm !== undefined;
  }

  /** The unit's EntityManager. Inside `transaction`, its calls run in the transaction, because of `useContext`. */
  get em(): EntityManager {
    this.own ??= this.database.em.fork({ useContext: true });
    return this.own;
  }

  /** Rows of a frequent `select`; see `read` of server/database. */
  read<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    // The ORM's EntityManager is enough for `read`, so that a unit that only reads creates no EntityManager of its own.
    return read(this.database.em, sql, values);
  }

  /** As `read`, for statements that also write. They are never sent twice, even if the connection is lost. */
  run<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return runOnce(this.database.em, sql, values);
  }

  private get database(): MikroORM {
    if (!this.orm) throw new Error('This service declares no database.');
    return this.orm;
  }

  /**
   * Runs `work` in a transaction. Inside another transaction it runs in a savepoint, so that an error rolls back only the
   * writes of `work`.
   *
   * `work` may run up to three times, see `repeated`: what it computes must depend only on its arguments and on what it reads
   * in the transaction. It runs once if this unit has loaded entities before, because `work` may have changed them in memory, and
   * if another transaction of this unit is open.
   */
  async transaction<Result>(
    work: () => Promise<Result>,
    { mayRepeatCommit }: TransactionOptions = {},
  ): Promise<Result> {
    if (this.openCount > 0 || !this.isFresh()) return this.transactionOnce(work);
    return repeated((attempt) => this.transactionOnce(work, attempt), {
      mayRepeatCommit,
      reset: () => this.own?.clear(),
    });
  }

  private async transactionOnce<Result>(work: () => Promise<Result>, attempt?: Attempt): Promise<Result> {
    const outer = this.openTransaction();
    const own: OpenTransaction = {
      unit: this,
      outer: innermost.getStore(),
      attempt: attempt ?? outer?.attempt,
      tasks: [],
      isOver: false,
    };
    let result: Result;
    this.openCount += 1;
    try {
      result = await innermost.run(own, () =>
        this.em.transactional(async (em) => {
          const done = await work();
          if (!attempt) return done;
          await em.flush(); // otherwise MikroORM would flush next, and an error of the flush would count as one of the COMMIT
          attempt.isCommitting = true;
          return done;
        }),
      );
    } finally {
      own.isOver = true;
      this.openCount -= 1;
    }
    // If the transaction was rolled back, its tasks are dropped.
    if (outer) outer.tasks.push(...own.tasks);
    else await this.runTasks(own.tasks);
    return result;
  }

  /** The innermost transaction of this unit in which the running code is; undefined if it is in none. */
  private openTransaction(): OpenTransaction | undefined {
    let one = innermost.getStore();
    while (one && (one.unit !== this || one.isOver)) one = one.outer;
    return one;
  }

  /** Notes an error that became part of an answer and is not thrown, so that the open transaction can still be repeated. */
  noteFailure(error: unknown): void {
    const attempt = this.openTransaction()?.attempt;
    if (attempt) attempt.failure ??= error;
  }

  private isFresh(): boolean {
    if (!this.own) return true;
    const known = this.own.getUnitOfWork(false);
    return (
      known.getIdentityMap().keys().length === 0 &&
      known.getPersistStack().size === 0 &&
      known.getOrphanRemoveStack().size === 0
    );
  }

  /**
   * Runs `work` inside the open transaction, behind a savepoint, so that the transaction can still be used if a statement of
   * `work` fails. Without a savepoint, PostgreSQL refuses every further statement after one that failed, such as a unique
   * violation that a rule turns into a refusal.
   *
   * If no statement failed, the writes of `work` stay, also if the result is a refusal: a count of failed log-ins for example.
   * If a statement failed, they are rolled back; then a refusal is returned, and for any other result RolledBackError is thrown.
   * After a refusal, changes of entities that were not flushed are dropped.
   */
  async inSavepoint<Result>(
    work: () => Promise<Result>,
    isRefusal: (result: Result) => boolean,
  ): Promise<Result> {
    await this.em.execute('savepoint work');
    const result = await work();
    const isAborted = await this.em.execute('release savepoint work').then(
      () => false,
      (error: unknown) => {
        if (!isOfFailedTransaction(error)) throw error;
        return true;
      },
    );
    if (isAborted) {
      if (!isRefusal(result)) throw new RolledBackError();
      await this.em.execute('rollback to savepoint work');
      await this.em.execute('release savepoint work'); // otherwise an enclosing call would roll back to it
    }
    if (isRefusal(result)) this.em.clear();
    return result;
  }

  /**
   * Runs `task` after the open transaction is committed, or at once if none is open, so that events are never published
   * before the commit. If the task fails, the error is logged. If the transaction is rolled back, its tasks are dropped.
   */
  async afterCommit(task: Task): Promise<void> {
    const open = this.openTransaction();
    if (open) open.tasks.push(task);
    else await this.runTasks([task]);
  }

  private async runTasks(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) {
      try {
        await task();
      } catch (error) {
        this.log.error({ err: error }, 'a task after commit failed');
      }
    }
  }
}
