import { watch, type FSWatcher } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';
import { onReloadSignal } from './reload-signal.ts';
import { OfferedSupergraph, type SupergraphSource } from './supergraph-source.ts';

export interface FileSourceOptions {
  log: Logger;
  /** How often the file is looked at where its file system tells of no changes (network mounts). Default 5 s. */
  pollMillis?: number;
  /** A file that changed within this time may still be written to. Default 50 ms. */
  settleMillis?: number;
}

/**
 * A supergraph file: written in place, replaced by renaming, or reached over a symbolic link that is set anew (as
 * Kubernetes mounts its ConfigMaps).
 * @throws StartError where it cannot be read at the start
 */
export async function supergraphFile(
  file: string,
  { log, pollMillis = 5_000, settleMillis = 50 }: FileSourceOptions,
): Promise<SupergraphSource> {
  let seen = await identityOf(file); // before it is read: what is written meanwhile is noticed
  const first = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartError(
      `The supergraph file ${file} cannot be read. Compose it with "npm run compose", or name another with SUPERGRAPH or --supergraph.`,
      { cause },
    );
  });
  const offered = new OfferedSupergraph(first, log);
  const stopped = new AbortController();
  let looking: Promise<void> | undefined;
  let again = false;

  async function look(): Promise<void> {
    const now = await identityOf(file);
    if (now === seen) return;
    await pause(settleMillis, undefined, { signal: stopped.signal });
    const settled = await identityOf(file);
    if (settled !== now) return look();
    const sdl = await readFile(file, 'utf8');
    seen = settled;
    offered.offer(sdl, file);
  }
  const check = (): void => {
    again = true;
    looking ??= (async () => {
      while (again && !stopped.signal.aborted) {
        again = false;
        await look().catch((error: unknown) => {
          // Between its removal and its return it is simply not there; the one before is served meanwhile.
          if (!stopped.signal.aborted)
            log.debug({ file, err: error }, 'the supergraph file cannot be read now');
        });
      }
      looking = undefined;
    })();
  };

  // The folder is watched, for a watch on the file itself stays with the one that a renaming has replaced.
  const watcher = watchFolder(path.dirname(file), check, log);
  const polling = setInterval(check, pollMillis);
  polling.unref();
  const stopListening = onReloadSignal(check);

  return {
    get current() {
      return offered.current;
    },
    onChange: (listener) => offered.onChange(listener),
    stop() {
      stopped.abort();
      watcher?.close();
      clearInterval(polling);
      stopListening();
    },
  };
}

/** What differs as soon as the content does; empty where there is no file. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : '';
}

function watchFolder(folder: string, onEvent: () => void, log: Logger): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on('error', (error) =>
      log.debug({ folder, err: error }, 'the folder is looked at from time to time'),
    );
    return watcher;
  } catch (error) {
    log.debug({ folder, err: error }, 'the folder is looked at from time to time');
    return undefined;
  }
}
