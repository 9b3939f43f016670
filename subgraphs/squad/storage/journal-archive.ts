import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '#server/observability/logger.ts';
import { encode, parse, recordFile } from './record-file.ts';
import { namesIn, readFailure, statOf } from './read-failures.ts';

/** A journal that has ended, as one line of a file. */
export interface Archived {
  readonly kind: string;
  readonly id: string;
  /** ISO 8601: its last change before it was archived. */
  readonly changedAt: string;
  readonly records: readonly object[];
}

/** Where the line of a journal is. Offset and length in bytes. */
interface Place {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Where the line of a journal is, as a record of the file's index. */
interface IndexLine {
  readonly kind: string;
  readonly id: string;
  readonly offset: number;
  readonly length: number;
  readonly changedAt: string;
}
/** A record of a file's index: the line of a journal, or the offset of a line whose journal was removed. */
type IndexRecord = IndexLine | { readonly removed: number };

/**
 * Journals that have ended, in one file for each gym and month: `<folder>/<gym>/<year>-<month>.jsonl`. A line is one
 * journal. Beside each file there is an index of its lines, so that a start need not read the journals; it is made again
 * if it is missing or does not fit the file. A journal is removed by overwriting its line with blanks; a file is removed
 * with its last journal.
 */
export class JournalArchive {
  private readonly folder: string;
  private readonly log: Logger;
  private readonly places = new Map<string, Place>();
  /** Bytes of each file. */
  private readonly lengths = new Map<string, number>();
  /** The number of journals in each file. */
  private readonly counts = new Map<string, number>();
  private opening: Promise<void> | undefined;
  private working: Promise<unknown> = Promise.resolve();

  constructor(folder: string, log: Logger) {
    this.folder = folder;
    this.log = log;
  }

  /**
   * Reads the indexes, if that has not happened yet. `list` and `has` need them.
   * @throws UPSTREAM_UNAVAILABLE if a file cannot be read now; the next call reads all of them again
   */
  open(): Promise<void> {
    return (this.opening ??= this.readIndexes().catch((error: unknown) => {
      this.opening = undefined;
      throw readFailure(error);
    }));
  }

  /** The archived journals of a kind. */
  *list(kind: string): Iterable<{ id: string; changedAt: Date }> {
    for (const [name, { changedAt }] of this.places)
      if (name.startsWith(`${kind}/`))
        yield { id: name.slice(kind.length + 1), changedAt: new Date(changedAt) };
  }

  has(kind: string, id: string): boolean {
    return this.places.has(`${kind}/${id}`);
  }

  /** The journal's records; undefined if it is not archived. */
  async read(kind: string, id: string): Promise<readonly object[] | undefined> {
    await this.open();
    const place = this.places.get(`${kind}/${id}`);
    if (!place) return undefined;
    const bytes = Buffer.alloc(place.length);
    const handle = await open(place.file, constants.O_RDONLY);
    try {
      await handle.read(bytes, 0, place.length, place.offset);
    } finally {
      await handle.close();
    }
    const [line] = parse(bytes).records as (Archived | { blank: string })[];
    // The process may have ended after the line was overwritten and before the index was changed.
    if (line && 'blank' in line) return undefined;
    if (line?.kind === kind && line.id === id) return line.records;
    this.log.error(
      { file: place.file, offset: place.offset },
      'a line of an archive is damaged; its journal is lost',
    );
    return undefined;
  }

  /** Stores journals of one gym. Resolves once they are on disk. */
  add(gymId: string, journals: readonly Archived[]): Promise<void> {
    return this.inTurn(async () => {
      await this.open();
      const byFile = Map.groupBy(journals, ({ changedAt }) =>
        path.join(this.folder, encodeURIComponent(gymId), `${changedAt.slice(0, 7)}.jsonl`),
      );
      for (const [file, some] of byFile) await this.append(file, some);
    });
  }

  /** Overwrites the journal with blanks. */
  remove(kind: string, id: string): Promise<void> {
    return this.inTurn(async () => {
      await this.open();
      const name = `${kind}/${id}`;
      const place = this.places.get(name);
      if (!place) return;
      // If this fails, the journal stays in `places`, so that the next attempt overwrites the line.
      await this.blank(place);
      this.places.delete(name);
    });
  }

  /** Removes the journals of a kind whose last change was before that time, in milliseconds since 1970. Returns their ids. */
  async sweep(kind: string, before: number): Promise<string[]> {
    await this.open();
    const old = [...this.places].filter(
      ([name, { changedAt }]) => name.startsWith(`${kind}/`) && changedAt < before,
    );
    const ids = old.map(([name]) => name.slice(kind.length + 1));
    for (const id of ids) await this.remove(kind, id);
    return ids;
  }

  async settled(): Promise<void> {
    await this.working;
  }

  private async append(file: string, journals: readonly Archived[]): Promise<void> {
    let offset = this.lengths.get(file) ?? 0;
    const isNew = offset === 0;
    const lines = journals.map(({ kind, id, changedAt, ...rest }): IndexLine => {
      const { length } = encode([{ kind, id, changedAt, ...rest }]);
      offset += length;
      return { kind, id, changedAt, offset: offset - length, length };
    });
    // An interrupted append may have left a part of a line, which would make the offsets of the new lines wrong.
    if (!isNew) await recordFile.cut(file, this.lengths.get(file) ?? 0);
    await recordFile.append(file, journals, isNew);
    await recordFile.append(indexOf(file), lines, isNew);
    this.lengths.set(file, offset);
    for (const line of lines) await this.place(file, line);
  }

  /** A journal that was archived before an interruption, and again after it, has two lines: the older one is removed. */
  private async place(file: string, { kind, id, offset, length, changedAt }: IndexLine): Promise<void> {
    const name = `${kind}/${id}`;
    const before = this.places.get(name);
    this.places.set(name, { file, offset, length, changedAt: Date.parse(changedAt) });
    this.counts.set(file, (this.counts.get(file) ?? 0) + 1);
    if (before) await this.blank(before);
  }

  private async blank(place: Place): Promise<void> {
    const { file, offset } = place;
    await overwrite(place);
    const left = (this.counts.get(file) ?? 1) - 1;
    if (left > 0) {
      const removed: IndexRecord = { removed: offset };
      await recordFile.append(indexOf(file), [removed], false);
      this.counts.set(file, left);
      return;
    }
    await recordFile.remove(indexOf(file));
    await recordFile.remove(file);
    this.lengths.delete(file);
    this.counts.delete(file);
  }

  private async readIndexes(): Promise<void> {
    // An earlier attempt may have failed. `place` would take a line that it has read for an older copy of the same journal.
    for (const map of [this.places, this.lengths, this.counts]) map.clear();
    const names = await namesIn(this.folder);
    for (const name of names.filter((one) => one.endsWith('.jsonl')).toSorted()) {
      const file = path.join(this.folder, name);
      const size = (await statOf(file))?.size ?? 0;
      const { lines, length } = (await indexed(file, size)) ?? (await linesOf(file, this.log));
      this.lengths.set(file, length);
      for (const line of lines) await this.place(file, line);
    }
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.working.then(work);
    this.working = turn.catch(() => undefined);
    return turn;
  }
}

const indexOf = (file: string): string => `${file}.index`;

/** The lines with journals by the index; undefined if the index does not fit the file, for example after a crash. */
async function indexed(
  file: string,
  size: number,
): Promise<{ lines: IndexLine[]; length: number } | undefined> {
  const { records, cutBytes, damagedLines } = await recordFile.read(indexOf(file));
  const lines = new Map<number, IndexLine>();
  let end = 0;
  for (const record of records as IndexRecord[])
    if ('removed' in record) lines.delete(record.removed);
    else {
      lines.set(record.offset, record);
      end = Math.max(end, record.offset + record.length);
    }
  return end === size && cutBytes === 0 && damagedLines === 0
    ? { lines: [...lines.values()], length: size }
    : undefined;
}

/** The lines with journals by the file itself. An incomplete last line is cut off, and the index is made again. */
async function linesOf(file: string, log: Logger): Promise<{ lines: IndexLine[]; length: number }> {
  const bytes = await readFile(file);
  const length = bytes.lastIndexOf(NEWLINE) + 1;
  if (length < bytes.length) await recordFile.cut(file, length);
  const lines: IndexLine[] = [];
  for (let offset = 0; offset < length;) {
    const next = bytes.indexOf(NEWLINE, offset) + 1;
    const [record] = parse(bytes.subarray(offset, next)).records as (
      | Archived
      | { blank: string }
      | undefined
    )[];
    if (!record) log.error({ file, offset }, 'a line of an archive is damaged; its journal is lost');
    else if ('kind' in record) {
      const { kind, id, changedAt } = record;
      lines.push({ kind, id, changedAt, offset, length: next - offset });
    }
    offset = next;
  }
  // The last two records of the index only mark the end of the file, whose last lines may be blank and then not in `lines`.
  const end = { kind: '', id: '', changedAt: '', offset: length, length: 0 };
  await recordFile.replace(indexOf(file), [...lines, end, { removed: length }]);
  return { lines, length };
}

const NEWLINE = 0x0a;

async function overwrite({ file, offset, length }: Place): Promise<void> {
  const { length: least } = encode([{ blank: '' }]);
  await recordFile.overwrite(file, offset, encode([{ blank: ' '.repeat(length - least) }]));
}
