import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { SystemUser } from '#server/embedded-postgres/system-user.ts';

const SIZE_MEBIBYTES = 512;
const CHUNK = Buffer.alloc(1_048_576); // 1 MiB

/** A folder with a file system of its own (tmpfs), which can be filled. */
export interface SmallDisk {
  /** Whether the folder is a file system of its own. Without the right to mount one, it is an ordinary folder. */
  readonly canBeFilled: boolean;
  fill(): void;
  free(): void;
  remove(): void;
}

/** @param user the user who owns the folder */
export function openSmallDisk(folder: string, user: SystemUser): SmallDisk {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = user.uid === undefined ? '' : `,uid=${user.uid},gid=${user.gid}`;
  const options = `size=${SIZE_MEBIBYTES}m,mode=700${owner}`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  const canBeFilled = mounted.status === 0;
  const ballast = path.join(folder, 'ballast');
  return {
    canBeFilled,
    fill() {
      const file = openSync(ballast, 'w');
      try {
        // The loop is bounded by the size of the file system.
        for (let mebibytes = 0; mebibytes <= SIZE_MEBIBYTES; mebibytes += 1)
          if (writeSync(file, CHUNK) < CHUNK.length) return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => void (canBeFilled && spawnSync('umount', ['-l', folder])),
  };
}
