import { z } from 'zod';

/** The version of the format that this code writes and reads. There is no earlier one; a backup of a later one is refused. */
export const FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

const tableSchema = z.object({
  schema: z.string(),
  name: z.string(),
  /** The copied columns: all but generated ones and those of type xid8; see `tablesOf`. */
  columns: z.array(z.string()),
  rows: count,
  /** The size of the rows in the text format of COPY, before compression. */
  bytes: count,
  sha256,
});

const databaseSchema = z.object({
  name: z.string(),
  /** The names of the migrations that had run. */
  migrations: z.array(z.string()),
  /** The version of the schema of the jobs' library. */
  jobsVersion: count,
  tables: z.array(tableSchema),
  /** `lastValue` is null if the sequence was never used. */
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), lastValue: z.string().nullable() })),
});

const folderSchema = z.object({
  name: z.string().regex(/^[a-z]+$/, 'expected a name of letters'),
  files: z.array(
    z.object({
      path: z.string().refine(isInside, 'expected a path inside the folder'),
      bytes: count,
      sha256,
      /** ISO 8601. A restore sets it again, because squad takes the age of a journal from its file. */
      modifiedAt: z.iso.datetime(),
    }),
  ),
});

/** What a backup contains; the last part of its file. */
export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** The version of the platform that wrote it. */
  platform: z.string(),
  /** The major version of PostgreSQL; a backup can be restored into another one. */
  postgres: count,
  /** The moment of the data, ISO 8601. */
  moment: z.iso.datetime(),
  databases: z.array(databaseSchema),
  folders: z.array(folderSchema),
  /** Names data of the installation that the backup does not contain, as text for an operator. */
  missing: z.array(z.string()),
});

export type Manifest = z.output<typeof manifestSchema>;
export type DatabaseManifest = z.output<typeof databaseSchema>;
export type TableManifest = z.output<typeof tableSchema>;
export type FolderManifest = z.output<typeof folderSchema>;

/** The name of the part with the rows of a table. */
export const tablePart = (
  database: string,
  { schema, name }: Pick<TableManifest, 'schema' | 'name'>,
): string => `databases/${database}/${schema}.${name}.copy`;

/** The name of the part with a file of a folder. */
export const filePart = (folder: string, path: string): string => `folders/${folder}/${path}`;

function isInside(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\\'));
}
