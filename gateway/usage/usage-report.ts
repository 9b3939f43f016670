import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, type Metrics } from '#server/observability/metrics.ts';
import { StartError } from '#server/start-error.ts';
import { usedFields } from './used-fields.ts';
import { readUsageDay, UsageTable, type UsedOperation } from './usage-table.ts';

/** How often the counts are added up and written; a crash loses at most those of this time. */
const WRITE_MILLIS = 60_000; // 1 min
/** The counts are added up earlier if this many operations wait for it. */
const MAX_PENDING = 2_000;
const KEPT_DAYS = 90;
/** How many operations have a metric of their own. */
const MAX_METRICS = 200;
/** The suffix of a file that could not be read. */
const DAMAGED = '.damaged';
/** The file of a day, also a damaged one, and one whose writing was interrupted. */
const FILE = /^usage-(\d{4}-\d{2}-\d{2})-[\w.-]+\.json(\.damaged|\.new)?$/;

/** Counts one operation for the report. */
export class OperationUse {
  readonly pending = new Map<string, number>();
  private readonly onFirst: (use: OperationUse) => void;
  readonly used: () => UsedOperation;

  constructor(used: () => UsedOperation, onFirst: (use: OperationUse) => void) {
    this.used = used;
    this.onFirst = onFirst;
  }

  count(client: string | undefined): void {
    if (this.pending.size === 0) this.onFirst(this);
    const name = client ?? 'unknown';
    // A client may send any number of names, so only the first 100 are counted by name.
    const key = this.pending.has(name) || this.pending.size < 100 ? name : 'other';
    this.pending.set(key, (this.pending.get(key) ?? 0) + 1);
  }
}

/**
 * The report of the operations, fields and clients that this gateway has answered: a file for each day, which every replica
 * writes under its own name, and metrics of the most used operations.
 */
export class UsageReport {
  private readonly folder: string;
  private readonly log: Logger;
  private readonly pending = new Set<OperationUse>();
  private readonly byDocument = new WeakMap<DocumentNode, OperationUse>();
  private readonly timer: NodeJS.Timeout;
  private readonly host = os.hostname().replaceAll(/[^\w.-]/g, '_');
  private table: UsageTable;
  private writing = Promise.resolve();

  private constructor(folder: string, table: UsageTable, log: Logger) {
    this.folder = folder;
    this.table = table;
    this.log = log;
    this.timer = setInterval(() => void this.write(), WRITE_MILLIS).unref();
  }

  /** @throws StartError if the folder, or today's file in it, cannot be used */
  static async open(folder: string, metrics: Metrics, log: Logger): Promise<UsageReport> {
    const report = new UsageReport(folder, new UsageTable(today()), log);
    try {
      await mkdir(folder, { recursive: true });
      await report.restoreToday();
    } catch (cause) {
      clearInterval(report.timer);
      throw new StartError(
        `USAGE_REPORT: the folder ${folder} cannot be used; name one that may be written.`,
        {
          cause,
        },
      );
    }
    report.register(metrics);
    return report;
  }

  /** The counter of an operation. The operation's fields are read from the document when its counts are first added up. */
  of(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    source: string,
  ): OperationUse {
    let used: UsedOperation | undefined;
    return new OperationUse(
      () =>
        (used ??= {
          hash: createHash('sha256').update(source).digest('hex'),
          name: operation.name?.value.slice(0, 64) ?? '',
          kind: operation.operation,
          fields: usedFields(schema, document),
        }),
      (use) => this.wait(use),
    );
  }

  /** Counts an operation that is not prepared, such as a subscription. */
  countDocument(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    client: string | undefined,
  ): void {
    const text = document.loc?.source.body ?? '';
    const use = this.byDocument.get(document) ?? this.of(schema, document, operation, text);
    this.byDocument.set(document, use);
    use.count(client);
  }

  /** Writes the counts so far. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  /** Continues the counts of today's file, if there is one. If it cannot be read, it gets another name, and the counts begin at 0. */
  private async restoreToday(): Promise<void> {
    const file = this.file(this.table.day);
    try {
      this.table.restore(readUsageDay(await readFile(file, 'utf8')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      await rename(file, file + DAMAGED);
      this.log.warn(
        { err: error, file: file + DAMAGED },
        "today's usage report cannot be read: its file has got another name, and the counts of today begin again",
      );
    }
  }

  private wait(use: OperationUse): void {
    this.pending.add(use);
    if (this.pending.size >= MAX_PENDING) this.addUp();
  }

  private addUp(): void {
    for (const use of this.pending) {
      this.table.add(use.used(), use.pending);
      use.pending.clear();
    }
    this.pending.clear();
  }

  /** One write at a time. */
  private write(): Promise<void> {
    this.writing = this.writing.then(() => this.writeNow());
    return this.writing;
  }

  /** A failure is logged, and the next write contains the same counts. */
  private async writeNow(): Promise<void> {
    this.addUp();
    const { table } = this;
    try {
      const file = this.file(table.day);
      // Synced before the rename, so that the file is complete whenever it is read, also after a power failure.
      await writeFile(`${file}.new`, table.toJson(), { flush: true });
      await rename(`${file}.new`, file);
      if (table.day === today()) return;
      this.table = new UsageTable(today());
      await this.removeOld();
    } catch (error) {
      this.log.warn({ err: error, folder: this.folder }, 'the usage report cannot be written now');
    }
  }

  private async removeOld(): Promise<void> {
    const oldest = dayOf(Date.now() - KEPT_DAYS * 24 * 60 * 60 * 1_000);
    for (const name of await readdir(this.folder)) {
      const day = FILE.exec(name)?.[1];
      if (day !== undefined && day < oldest) await rm(path.join(this.folder, name), { force: true });
    }
  }

  private file(day: string): string {
    return path.join(this.folder, `usage-${day}-${this.host}.json`);
  }

  private register({ registry }: Metrics): void {
    const countsOf = (): readonly MostUsed[] => this.mostUsed();
    registry.registerMetric(
      new Counter({
        name: 'graph_operation_requests_total',
        help: `Requests of today by operation and client, for the ${MAX_METRICS} most used operations; the usage report has all.`,
        labelNames: ['operation', 'client'] as const,
        registers: [],
        collect() {
          this.reset();
          for (const { operation, clients } of countsOf())
            for (const [client, requests] of clients) this.inc({ operation, client }, requests);
        },
      }),
    );
  }

  private mostUsed(): readonly MostUsed[] {
    this.addUp();
    return [...this.table.operations]
      .toSorted(([, a], [, b]) => b.requests - a.requests)
      .slice(0, MAX_METRICS)
      .map(([hash, { name, clients }]) => ({ operation: name || hash.slice(0, 12), clients }));
  }
}

interface MostUsed {
  readonly operation: string;
  readonly clients: ReadonlyMap<string, number>;
}

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);
const today = (): string => dayOf(Date.now());
