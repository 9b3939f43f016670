import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder in memory, on Linux. */
const IN_MEMORY = '/dev/shm';
const NAME = /^platform-tests-(\d+)-/;
const GIGABYTE = 1024 ** 3;
/** The files of a run need less than 2 GB; the rest is a margin. */
const FREE_IN_FOLDER = 4 * GIGABYTE;
/** The memory of the run's processes and of its files, with a margin. */
const FREE_MEMORY = 10 * GIGABYTE;

/**
 * Makes a folder in memory the temporary folder of this run, and returns a function that removes it. A run creates, copies
 * and deletes some hundred thousand small files of databases, which takes much longer on a disk: some file systems look
 * through the entries of all files that were deleted in the last minutes. `TEST_FILES=disk` leaves them on the disk, and so
 * does a machine that has too little memory.
 */
export function useFolderInMemory(): () => void {
  if (process.env.TEST_FILES === 'disk' || !hasRoom()) return () => undefined;
  removeLeftOver();
  const folder = fs.mkdtempSync(path.join(IN_MEMORY, `platform-tests-${process.pid}-`));
  fs.chmodSync(folder, 0o711); // as root, PostgreSQL runs as another user, who must reach its own folder
  const remove = (): void => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (!canExecuteIn(folder)) {
    remove();
    return () => undefined;
  }
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  process.once('exit', remove); // for a run that is interrupted
  return () => {
    process.off('exit', remove);
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    remove();
  };
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
    return bavail * bsize >= FREE_IN_FOLDER && process.availableMemory() >= FREE_MEMORY;
  } catch {
    return false; // no such folder on this system
  }
}

/** Containers often forbid to run programs from this folder; some tests write a program and run it. */
function canExecuteIn(folder: string): boolean {
  const program = path.join(folder, 'program');
  fs.writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  fs.rmSync(program);
  return status === 0;
}

/**
 * Removes the folders of runs that were killed, because nobody else frees their memory before the next start of the
 * machine.
 */
function removeLeftOver(): void {
  const { uid } = os.userInfo();
  for (const name of fs.readdirSync(IN_MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    const folder = path.join(IN_MEMORY, name);
    if (pid && !isRunning(Number(pid)) && fs.statSync(folder).uid === uid)
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
