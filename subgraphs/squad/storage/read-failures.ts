import { readdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { PlatformError } from '#server/errors.ts';

/**
 * The error of a request whose journal could not be read from its files. A failure of the system, for example because too many
 * files are open, may be over in a moment; any other error is a mistake of the program and stays as it is.
 */
export const readFailure = (cause: unknown): unknown =>
  isSystemError(cause)
    ? new PlatformError('UPSTREAM_UNAVAILABLE', 'Stored data cannot be read now; try again in a moment.', {
        cause,
        retryAfterSeconds: 1,
      })
    : cause;

/** The names in a folder and in the folders in it; none if there is no such folder. */
export const namesIn = (folder: string): Promise<string[]> =>
  unlessMissing(readdir(folder, { recursive: true }), []);

/** Undefined if there is no such file. */
export const statOf = (file: string): Promise<Stats | undefined> => unlessMissing(stat(file), undefined);

/** Any other failure is thrown: a folder that cannot be read now is not empty. */
async function unlessMissing<Found, None>(found: Promise<Found>, none: None): Promise<Found | None> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
}

const isSystemError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error;
