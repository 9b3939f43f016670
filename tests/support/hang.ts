import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Whether this machine shows its processes under /proc, which `hangPostgres` needs. */
export const canHang = process.platform === 'linux';
/** For the title of tests that are skipped without it. */
export const whyNoHang = canHang ? '' : ' (skipped: this machine has no /proc)';

/** The id of the main process of the embedded PostgreSQL of a data folder. */
export const postmasterOf = (dataDir: string): number =>
  Number.parseInt(readFileSync(path.join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);

/**
 * Pauses a PostgreSQL server with all its backends, as if its machine hung: connections stay open, and no query is answered.
 */
export function hangPostgres(dataDir: string): { resume(): void } {
  const postmaster = postmasterOf(dataDir);
  // The postmaster is paused first, because it would start new backends.
  const pids = [postmaster];
  process.kill(postmaster, 'SIGSTOP');
  for (const pid of childrenOf(postmaster)) {
    process.kill(pid, 'SIGSTOP');
    pids.push(pid);
  }
  return {
    resume() {
      for (const pid of pids.toReversed()) process.kill(pid, 'SIGCONT');
    },
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        // pid (name) state parent ...
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent;
      } catch {
        return false; // ended in the meantime
      }
    });
}
