/*
 * A backup is a ZIP file, so that ordinary programs can show what is in it:
 *
 *     fitness-platform-backup                           a line of text; the first part, by which the file is recognised
 *     databases/<database>/<schema>.<table>.copy        rows in the text format of COPY, in the order of the primary key
 *     folders/<folder>/<path>                           files of DATA_DIR
 *     manifest.json                                     manifest.ts; the last part
 *
 * The comment of the ZIP file ends with the SHA-256 of everything before it, so that a change of any byte is found.
 */
export const START = 'fitness-platform-backup';
export const START_TEXT = 'A backup of the fitness platform. docs/backup.md says how to restore it.\n';
export const MANIFEST = 'manifest.json';
/** The beginning of the ZIP file's comment; the digest follows. */
export const END = 'fitness-platform-backup sha256:';
/** The length of the digest, in hexadecimal digits. */
export const DIGEST_LENGTH = 64;
