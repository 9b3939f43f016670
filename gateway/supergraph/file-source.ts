import { watch, type FSWatcher } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';
import { onReloadSignal } from './reload-signal.ts';
import { OfferedSupergraph, type SupergraphSource } from './supergraph-source.ts';

interface FileSourceOptions {
  log: Logger;
  /** How often the file is checked, for file systems without change events (network mounts). Default 5 s. */
  pollMillis?: number;
  /** A file that changed within this time may still be written to. Default 50 ms. */
  settleMillis?: number;
}

/**
 * A supergraph file that may be written in place, replaced by renaming, or be behind a symbolic link that is replaced (as
 * in Kubernetes ConfigMaps).
 * @throws StartError if it cannot be read at the start
 */
export async function supergraphFile(
  file: string,
  { log, pollMillis = 5_000, settleMillis = 50 }: FileSourceOptions,
): Promise<SupergraphSource> {
  let loadedIdentity = await identityOf(file); // before it is read, so that a write in between is noticed
  const first = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartError(
      `The supergraph file ${file} cannot be read. Compose it with "npm run compose", or name another with SUPERGRAPH or --supergraph.`,
      { cause },
    );
  });
  const offered = new OfferedSupergraph(first, log);
  const stopped = new AbortController();
  let checking: Promise<void> | undefined;
  let isCheckRequested = false;

  async function loadIfChanged(): Promise<void> {
    const identity = await identityOf(file);
    if (identity === loadedIdentity) return;
    await pause(settleMillis, undefined, { signal: stopped.signal });
    const settled = await identityOf(file);
    if (settled !== identity) return loadIfChanged();
    const sdl = await readFile(file, 'utf8');
    loadedIdentity = settled;
    offered.offer(sdl, file);
  }
  const check = (): void => {
    isCheckRequested = true;
    checking ??= (async () => {
      while (isCheckRequested && !stopped.signal.aborted) {
        isCheckRequested = false;
        await loadIfChanged().catch((error: unknown) => {
          // A file that is being replaced is missing for a moment; the previous supergraph is served meanwhile.
          if (!stopped.signal.aborted)
            log.debug({ file, err: error }, 'the supergraph file cannot be read now');
        });
      }
      checking = undefined;
    })();
  };

  // A watch on the file itself would stay with the file that a renaming has replaced, so the folder is watched.
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

/** A text that changes whenever the file is written or replaced; empty if there is no file. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : '';
}

function watchFolder(folder: string, onEvent: () => void, log: Logger): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on('error', (error) =>
      log.debug({ folder, err: error }, 'the folder cannot be watched; the file is checked at an interval'),
    );
    return watcher;
  } catch (error) {
    log.debug({ folder, err: error }, 'the folder cannot be watched; the file is checked at an interval');
    return undefined;
  }
}
