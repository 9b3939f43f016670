import { text } from 'node:stream/consumers';
import { openArchive } from '#server/backup/archive-reader.ts';
import { filePart, tablePart } from '#server/backup/manifest.ts';
import type { Stored } from '../writers.ts';

/** The databases and folders of an installation, each of which a backup copies by itself. */
export const PART_NAMES = [
  'identity',
  'gym',
  'nutrition',
  'content',
  'wizard',
  'squad',
  'files',
  'outbox',
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** A row of the text format of COPY; null is SQL's null. */
export type Row = Readonly<Record<string, string | null>>;

export interface Part {
  /** By table, without the schema. Empty for a folder. */
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  /** The text of each file by its path; empty for uploaded files, whose bytes mean nothing here. */
  readonly files: ReadonlyMap<string, string>;
}

/** What a backup contains, without being restored. */
export type Parts = Readonly<Record<PartName, Part>>;

export async function partsOf(file: string): Promise<Parts> {
  const archive = await openArchive(file);
  try {
    const parts = Object.fromEntries(
      PART_NAMES.map((name) => [
        name,
        { tables: new Map<string, Row[]>(), files: new Map<string, string>() },
      ]),
    ) as Record<PartName, { tables: Map<string, Row[]>; files: Map<string, string> }>;
    const textOf = async (part: string): Promise<string> => text(await archive.part(part));
    for (const { name: database, tables } of archive.manifest.databases)
      for (const table of tables) {
        if (table.schema !== 'public') continue;
        const rows = rowsIn(await textOf(tablePart(database, table)), table.columns);
        parts[database.replace('platform_', '') as PartName].tables.set(table.name, rows);
      }
    for (const { name: folder, files } of archive.manifest.folders)
      for (const { path } of files) {
        const content = folder === 'squad' || folder === 'outbox' ? await textOf(filePart(folder, path)) : '';
        if (folder !== 'secrets') parts[folder as PartName].files.set(path, content);
      }
    return parts;
  } finally {
    archive.close();
  }
}

export function rowsOf(parts: Parts, database: PartName, table: string): readonly Row[] {
  const rows = parts[database].tables.get(table);
  if (!rows) throw new Error(`the backup has no table ${database}.${table}`);
  return rows;
}

/** The records of all journals in a folder of squad's, such as `users`, each with the name of its file. */
export function journalRecords(parts: Parts, kind: string): { id: string; record: JournalRecord }[] {
  return [...parts.squad.files]
    .filter(([path]) => path.startsWith(`${kind}/`) && path.endsWith('.jsonl'))
    .flatMap(([path, content]) =>
      content
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => ({
          id: path.replace(/^.*\/|\.jsonl$/g, ''),
          record: (JSON.parse(line) as [string, JournalRecord])[1],
        })),
    );
}

// oxlint-disable-next-line no-explicit-any -- the records of all kinds of journals
export type JournalRecord = { readonly type: string } & Readonly<Record<string, any>>;

/** What the writers read from an installation, read from a backup. */
export const storedIn = (parts: Parts): Stored => ({
  column: async (database, table, column) =>
    rowsOf(parts, database, table).flatMap((row) => row[column] ?? []),
  postsWithPicture: async () =>
    rowsOf(parts, 'gym', 'post')
      .filter(({ image }) => parts.files.files.has(`gym/${image}`))
      .map(({ text: content }) => content ?? ''),
  journals: async () => [...parts.squad.files.values()].join('\n'),
});

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function rowsIn(content: string, columns: readonly string[]): Row[] {
  const lines = content.split('\n');
  lines.pop(); // after the last line end
  return lines.map((line) => {
    const values = line.split('\t');
    return Object.fromEntries(columns.map((column, index) => [column, valueOf(values[index] ?? '\\N')]));
  });
}

const valueOf = (value: string): string | null =>
  value === '\\N' ? null : value.replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
