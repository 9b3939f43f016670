import { utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '#server/observability/logger.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { damagedCopies, KEEPS_COPIES_DAYS } from './damaged-copies.ts';
import { FileJournal } from './file-journal.ts';
import { JournalArchive } from './journal-archive.ts';
import { namesIn, statOf } from './read-failures.ts';
import { recordFile } from './record-file.ts';
import type { JournalJob, JournalKind, Journals, JournalsOf } from './journal.ts';

interface FileJournalsOptions {
  folder: string;
  log: Logger;
  /** The maximum number of journals in memory; journals in use are kept even if there are more. Default 2,000. */
  cacheSize?: number;
}

/**
 * JSON files of one process, one for each journal: `<folder>/<kind>/<last two characters of the id>/<id>.jsonl`. Squads
 * that ended long enough ago, and their chats, are in the archive: one file for each gym and month.
 */
export class FileJournals implements Journals {
  private readonly options: Required<FileJournalsOptions>;
  /** In the order of their last use: the first is dropped first. */
  private readonly journals = new Map<string, FileJournal<unknown, object>>();

  private readonly archive: JournalArchive;
  private addJobs: (jobs: readonly JournalJob[]) => void = () => undefined;

  constructor(options: FileJournalsOptions) {
    this.options = { cacheSize: 2_000, ...options };
    this.archive = new JournalArchive(path.join(options.folder, 'ended'), options.log);
  }

  of<State, Item extends object>(kind: JournalKind<State, Item>): JournalsOf<State, Item> {
    return {
      read: (id) => this.use(kind, id, (journal) => journal.read()),
      change: (id, decide) =>
        this.use(kind, id, (journal) => journal.change(decide, (jobs) => this.addJobs(jobs))),
      follow: (id, listener) => this.use(kind, id, (journal) => journal.follow(listener)),
      rewrite: (id, change) => this.use(kind, id, (journal) => journal.rewrite(change)),
    };
  }

  get listeners(): number {
    return [...this.journals.values()].reduce((sum, journal) => sum + journal.listeners.size, 0);
  }

  /**
   * From now on, `add` gets the jobs of changes once these are on disk. Jobs of earlier changes, also of earlier processes, are
   * those of the difference between an empty journal and each stored one; see `pendingJobs`.
   */
  sendJobsTo(add: (jobs: readonly JournalJob[]) => void): void {
    this.addJobs = add;
  }

  /** The jobs that the journals of this kind still need, apart from those in the archive, which need none. */
  async *pendingJobs<State, Item extends object>(
    kind: JournalKind<State, Item>,
  ): AsyncIterable<readonly JournalJob[]> {
    if (!kind.jobsOf) return;
    for await (const { id } of this.listFiles(kind.name)) {
      const jobs = kind.jobsOf(kind.empty(id), await this.of(kind).read(id));
      if (jobs.length > 0) yield jobs;
    }
  }

  /**
   * Removes the journals, also archived ones, that were last written more than `keepDays` ago, and old copies of damaged files.
   * Returns the number of journals.
   */
  async sweep(
    kind: Pick<JournalKind<unknown, object>, 'name' | 'keepDays'>,
    now = Date.now(),
  ): Promise<number> {
    const folder = path.join(this.options.folder, kind.name);
    const ageOf = async (name: string): Promise<number> =>
      now - ((await statOf(path.join(folder, name)))?.mtimeMs ?? now);
    const names = await namesIn(folder);
    for (const name of names.filter(damagedCopies.isCopy))
      if ((await ageOf(name)) >= (kind.keepDays ?? KEEPS_COPIES_DAYS) * DAY_MILLIS)
        await recordFile.remove(path.join(folder, name));
    if (kind.keepDays === undefined) return 0;
    let removed = 0;
    for (const name of names) {
      if (!name.endsWith('.jsonl')) continue;
      const id = path.basename(name, '.jsonl');
      const age = await ageOf(name);
      if (age < kind.keepDays * DAY_MILLIS || this.journals.get(`${kind.name}/${id}`)?.isInUse) continue;
      this.journals.delete(`${kind.name}/${id}`);
      await recordFile.remove(path.join(folder, name));
      removed += 1;
    }
    for (const id of await this.archive.sweep(kind.name, now - kind.keepDays * DAY_MILLIS)) {
      if (!this.journals.get(`${kind.name}/${id}`)?.isInUse) this.journals.delete(`${kind.name}/${id}`);
      removed += 1;
    }
    return removed;
  }

  /** Moves a journal that has ended into the archive. Returns false if the journal is in use, or has no file. */
  async retire<State, Item extends object>(
    kind: JournalKind<State, Item>,
    id: string,
    gymId: string,
  ): Promise<boolean> {
    const file = await statOf(this.fileOf(kind.name, id));
    if (!file) return false;
    const changedAt = file.mtime.toISOString();
    return this.use(kind, id, (journal) =>
      journal.retire((records) => this.archive.add(gymId, [{ kind: kind.name, id, changedAt, records }])),
    );
  }

  /** The stored journals of a kind, with the time of their last change. */
  async *list(kind: string): AsyncIterable<{ id: string; changedAt: Date }> {
    yield* this.listFiles(kind);
    await this.archive.open();
    for (const one of this.archive.list(kind)) if (!(await this.hasFile(kind, one.id))) yield one;
  }

  /** The same as `list`, without the journals in the archive. */
  async *listFiles(kind: string): AsyncIterable<{ id: string; changedAt: Date }> {
    const folder = path.join(this.options.folder, kind);
    for (const name of await namesIn(folder)) {
      if (!name.endsWith('.jsonl')) continue;
      const file = await statOf(path.join(folder, name));
      // A file that is missing now was removed after its name was read.
      if (file) yield { id: decodeURIComponent(path.basename(name, '.jsonl')), changedAt: file.mtime };
    }
  }

  /** Whether the journal has records. */
  async has(kind: string, id: string): Promise<boolean> {
    await this.archive.open();
    return this.archive.has(kind, id) || this.hasFile(kind, id);
  }

  private async hasFile(kind: string, id: string): Promise<boolean> {
    return (await statOf(this.fileOf(kind, id))) !== undefined;
  }

  /** Sets the time from which `keepDays` count. */
  async setChangedAt(kind: string, id: string, at: Date): Promise<void> {
    await utimes(this.fileOf(kind, id), at, at);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.journals.values()].map((journal) => journal.settled()));
    this.journals.clear();
    await this.archive.settled();
  }

  private async use<State, Item extends object, Result>(
    kind: JournalKind<State, Item>,
    id: string,
    work: (journal: FileJournal<State, Item>) => Promise<Result>,
  ): Promise<Result> {
    const key = `${kind.name}/${id}`;
    const journal =
      (this.journals.get(key) as FileJournal<State, Item> | undefined) ??
      new FileJournal(kind, id, {
        file: this.fileOf(kind.name, id),
        archived: {
          read: () => this.archive.read(kind.name, id),
          remove: async () => {
            await this.archive.open();
            if (this.archive.has(kind.name, id)) await this.archive.remove(kind.name, id);
          },
        },
        log: this.options.log,
      });
    this.journals.delete(key);
    this.journals.set(key, journal as never); // the key contains the kind
    journal.uses += 1;
    this.dropUnused();
    try {
      return await work(journal);
    } finally {
      journal.uses -= 1;
    }
  }

  /**
   * A journal in use must stay: a second object for the same file would not know what the first one writes. One call looks at
   * 20 journals at most, so that it is short even if many are in use. Those in use are moved to the end, so that the next call
   * looks at others.
   */
  private dropUnused(): void {
    let looked = 0;
    for (const [key, journal] of this.journals) {
      if (this.journals.size <= this.options.cacheSize || ++looked > 20) return;
      this.journals.delete(key);
      if (journal.isInUse) this.journals.set(key, journal);
    }
  }

  private fileOf(kind: string, id: string): string {
    // Ids are UUIDs. Any other text must not lead to another folder.
    const name = encodeURIComponent(id).replaceAll('.', '%2E').slice(0, 120);
    return path.join(this.options.folder, kind, name.slice(-2), `${name}.jsonl`);
  }
}
