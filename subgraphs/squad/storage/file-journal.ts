import { PlatformError } from '#server/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Following, JournalJob, JournalKind, JournalListener } from './journal.ts';
import { damagedCopies } from './damaged-copies.ts';
import { readFailure } from './read-failures.ts';
import { recordFile } from './record-file.ts';

/**
 * The file is replaced when this many records were appended to it since it was read. If it has been replaced since then, the
 * next replacement comes after this many records, and as many more as the new file contains.
 */
const SPARE_RECORDS = 500;

/** The archive's copy of one journal. */
interface ArchivedCopy {
  /** Undefined if there is none. */
  read(): Promise<readonly object[] | undefined>;
  remove(): Promise<void>;
}

interface Waiting<State, Item> {
  /** A step without items replaces the file by the records of its state. */
  steps: readonly { items: readonly Item[]; state: State }[];
  resolve(): void;
  reject(error: Error): void;
}

/**
 * One journal in a file. Changes are decided one after the other on the newest state, and written in groups: all changes
 * that are decided during a write are in the next write (group commit).
 */
export class FileJournal<State, Item extends object> {
  readonly listeners = new Set<JournalListener<State>>();
  /** The calls of `FileJournals` that use this journal now. */
  uses = 0;
  private readonly kind: JournalKind<State, Item>;
  private readonly id: string;
  private readonly file: string;
  private readonly log: Logger;
  private readonly archived: ArchivedCopy;
  /** Whether the records are in the archive, and there is no file. */
  private isArchived = false;
  private loading: Promise<void> | undefined;
  private isLoaded = false;
  /** The state with all decided records, also those that are not on disk yet. */
  private state: State;
  /** The state with the records that are on disk; listeners get no other state. */
  private safeState: State;
  private length = 0;
  private recordCount = 0;
  private compactAt = SPARE_RECORDS;
  /** During an append and after a failed one: the file's length before it, to which the file is cut before the next use. */
  private mustCutTo: number | undefined;
  /** The next write replaces the file, however few records there are. */
  private mustReplace = false;
  private waiting: Waiting<State, Item>[] = [];
  private flushing: Promise<void> | undefined;

  constructor(
    kind: JournalKind<State, Item>,
    id: string,
    { file, archived, log }: { file: string; archived: ArchivedCopy; log: Logger },
  ) {
    this.archived = archived;
    this.kind = kind;
    this.id = id;
    this.file = file;
    this.log = log;
    this.state = kind.empty(id);
    this.safeState = this.state;
  }

  get isInUse(): boolean {
    return this.uses > 0 || this.listeners.size > 0 || this.waiting.length > 0 || this.flushing !== undefined;
  }

  /** Waits for records that are not on disk yet: nobody may see what a crash could undo. */
  async read(): Promise<State> {
    return this.change(() => []);
  }

  /** @param addJobs called with the jobs of the change once its records are on disk */
  async change(
    decide: (state: State) => readonly Item[],
    addJobs?: (jobs: readonly JournalJob[]) => void,
  ): Promise<State> {
    while (!this.isLoaded) await this.load();
    const before = this.state;
    const items = decide(before);
    const steps = items.map((item) => ({
      items: [item],
      state: (this.state = this.kind.apply(this.state, item)),
    }));
    if (items.length === 0 && !this.flushing) return this.state;
    const jobs = items.length > 0 ? this.kind.jobsOf?.(before, this.state) : undefined;
    const after = await this.written(steps);
    if (jobs && jobs.length > 0) addJobs?.(jobs);
    return after;
  }

  async rewrite(change: (state: State) => State): Promise<State> {
    // Loading a damaged file makes a copy of it.
    while (!this.isLoaded) await this.load();
    // The copies are removed first, so that a repetition after a crash, which finds the same records, removes them again.
    await damagedCopies.removeAll(this.file).catch((error: unknown) => {
      throw readFailure(error);
    });
    while (!this.isLoaded) await this.load();
    const before = this.state;
    const after = change(before);
    if (after === before) return this.read();
    this.state = after;
    this.mustReplace = true;
    return this.written([{ items: [], state: this.state }]);
  }

  /** Resolves to the state after these steps, once their records are on disk. */
  private async written(steps: Waiting<State, Item>['steps']): Promise<State> {
    const { state } = this;
    await new Promise<void>((resolve, reject) => {
      this.waiting.push({ steps, resolve, reject });
      this.flush();
    });
    return state;
  }

  async follow(listener: JournalListener<State>): Promise<Following<State>> {
    while (!this.isLoaded) await this.load();
    this.listeners.add(listener);
    return { state: this.safeState, stop: () => void this.listeners.delete(listener) };
  }

  /**
   * Moves the records: `store` stores them elsewhere, then the file is removed. Meanwhile other calls wait. Returns false if
   * other calls or listeners use the journal, or it has no file.
   */
  async retire(store: (records: readonly Item[]) => Promise<void>): Promise<boolean> {
    while (!this.isLoaded) await this.load();
    if (this.uses > 1 || this.listeners.size > 0 || this.waiting.length > 0 || this.flushing) return false;
    if (this.recordCount === 0) return false;
    this.isLoaded = false;
    const moving = store(this.kind.compacted(this.state)).then(() => recordFile.remove(this.file));
    this.loading = moving.catch(() => undefined).finally(() => (this.loading = undefined));
    await moving;
    return true;
  }

  async settled(): Promise<void> {
    while (this.flushing) await this.flushing;
  }

  private load(): Promise<void> {
    this.loading ??= this.loadFile()
      .catch((error: unknown) => {
        this.log.error({ err: error, file: this.file }, 'a journal could not be read');
        throw readFailure(error);
      })
      .finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async loadFile(): Promise<void> {
    if (this.mustCutTo !== undefined) await recordFile.cut(this.file, this.mustCutTo);
    this.mustCutTo = undefined;
    const found = await recordFile.read(this.file);
    let { length } = found;
    if (found.damagedLines > 0) {
      const copy = await damagedCopies.make(this.file);
      this.log.error(
        { file: this.file, lines: found.damagedLines, copy },
        'lines of a journal are damaged; the others are used, and the whole file is kept as a copy',
      );
      length = await recordFile.replace(this.file, found.records); // so that the next load makes no further copy
    } else if (found.cutBytes > 0) {
      this.log.warn(
        { file: this.file, bytes: found.cutBytes, records: found.records.length },
        'the end of a journal was written in part and never acknowledged; it is cut off',
      );
      await recordFile.cut(this.file, found.length);
    }
    const archived = found.records.length === 0 ? await this.archived.read() : undefined;
    // An interruption may have left both a file and a copy in the archive. The file is newer, and what was erased from it must
    // not stay in the archive.
    if (found.records.length > 0) await this.archived.remove();
    this.isArchived = archived !== undefined;
    // The first change writes the whole journal into a file of its own.
    this.mustReplace = this.isArchived;
    this.state = ((archived ?? found.records) as Item[]).reduce(
      (state, item) => this.kind.apply(state, item),
      this.kind.empty(this.id),
    );
    this.safeState = this.state;
    this.length = length;
    this.recordCount = found.records.length;
    this.compactAt = this.recordCount + SPARE_RECORDS;
    this.isLoaded = true;
  }

  private flush(): void {
    this.flushing ??= this.flushAll().finally(() => {
      this.flushing = undefined;
      if (this.waiting.length > 0) this.flush();
    });
  }

  private async flushAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      try {
        await this.write(batch.flatMap(({ steps }) => steps.flatMap(({ items }) => items)));
      } catch (cause) {
        this.giveUp([...batch, ...this.waiting.splice(0)], cause);
        return;
      }
      for (const { steps, resolve } of batch) {
        for (const { state } of steps) this.notify(state);
        resolve();
      }
    }
  }

  private async write(items: readonly Item[]): Promise<void> {
    await this.writeFile(items);
    if (!this.isArchived) return;
    this.isArchived = false;
    await this.archived.remove();
  }

  private async writeFile(items: readonly Item[]): Promise<void> {
    const count = this.recordCount + items.length;
    if (this.recordCount > 0 && (this.mustReplace || count >= this.compactAt)) {
      // The state contains these items already, and no later ones, because nothing was decided since the batch was taken.
      const records = this.kind.compacted(this.state);
      this.mustReplace = false;
      this.length = await recordFile.replace(this.file, records);
      this.recordCount = records.length;
      this.compactAt = records.length * 2 + SPARE_RECORDS;
      return;
    }
    if (this.mustReplace) {
      this.mustReplace = false;
      return this.append(this.kind.compacted(this.state)); // there is no file to replace yet
    }
    await this.append(items);
  }

  private async append(items: readonly Item[]): Promise<void> {
    if (items.length === 0) return;
    const count = this.recordCount + items.length;
    this.mustCutTo = this.length;
    this.length += await recordFile.append(this.file, items, this.recordCount === 0);
    this.mustCutTo = undefined;
    this.recordCount = count;
  }

  private notify(state: State): void {
    this.safeState = state;
    for (const listener of this.listeners) {
      try {
        listener(state);
      } catch (error) {
        this.log.error({ err: error }, 'a listener of a journal failed');
      }
    }
  }

  /** The write failed: these changes, and those decided after them, did not happen. The next use reads the file again. */
  private giveUp(batch: readonly Waiting<State, Item>[], cause: unknown): void {
    this.log.error({ err: cause, file: this.file }, 'a journal could not be written');
    this.isLoaded = false;
    this.mustReplace = false;
    const error = new PlatformError(
      'UPSTREAM_UNAVAILABLE',
      'The change could not be stored and has not happened; try again in a moment.',
      { cause, retryAfterSeconds: 1 },
    );
    for (const { reject } of batch) reject(error);
  }
}
