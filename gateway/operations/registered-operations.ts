import { createHash } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import type { Logger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';
import { onReloadSignal } from '../supergraph/reload-signal.ts';

const manifest = z.union([
  /** The format of Apollo's tools. */
  z
    .object({
      format: z.literal('apollo-persisted-query-manifest'),
      operations: z.array(z.object({ id: z.string(), body: z.string() })),
    })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  /** The format of Relay's compiler: text by id. */
  z.record(z.string(), z.string()).transform((texts) => Object.entries(texts)),
]);

const MANIFEST_FORMAT =
  'expected {"format": "apollo-persisted-query-manifest", "operations": [{"id", "body"}]} or {"<id>": "<operation>"}';
const MAX_OPERATIONS = 20_000;
/** How often the files are checked for changes, for file systems without change events (network mounts). */
const POLL_MILLIS = 5_000; // 5 s
/** Files that changed within this time may still be written to. */
const SETTLE_MILLIS = 100; // 0.1 s

/** Registered operations by id. Each is also known by the SHA-256 of its text. */
type Texts = ReadonlyMap<string, string>;

/**
 * The operations that were registered in a manifest, or in a folder of manifests (`*.json`) and documents (`*.graphql`,
 * whose id is the name of the file). They are read again when a file changes, and at SIGHUP; if the new files cannot be
 * used, the previous operations stay.
 */
export class RegisteredOperations {
  private byId: Texts = new Map();
  private texts: ReadonlySet<string> = new Set();
  private readonly listeners = new Set<() => void>();
  private stopWatching: () => void = () => undefined;

  /** @throws StartError naming the file that cannot be used */
  static async open(source: string | undefined, log: Logger): Promise<RegisteredOperations> {
    const operations = new RegisteredOperations();
    if (source === undefined) return operations;
    const identity = await identityOf(source); // before it is read, so that a write in between is noticed
    operations.replace(await readOperations(source));
    operations.stopWatching = watched(source, identity, log, (texts) => operations.replace(texts));
    return operations;
  }

  /** @param id also as `sha256:<hash of the text>`, the form of the persisted documents of GraphQL over HTTP */
  textOf(id: string): string | undefined {
    return this.byId.get(id) ?? (id.startsWith('sha256:') ? this.byId.get(id.slice(7)) : undefined);
  }

  has(text: string): boolean {
    return this.texts.has(text);
  }

  /** Calls the listener after each change. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  close(): void {
    this.stopWatching();
  }

  private replace(texts: Texts): void {
    const byHash = [...texts.values()].map((text) => [hashOf(text), text] as const);
    this.byId = new Map([...byHash, ...texts]);
    this.texts = new Set(texts.values());
    for (const listener of this.listeners) listener();
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Reads a manifest, or all files of a folder. @throws StartError naming the file */
async function readOperations(source: string): Promise<Texts> {
  const texts = new Map<string, string>();
  for (const file of await filesOf(source))
    for (const [id, text] of await operationsIn(file)) {
      const known = texts.get(id);
      if (known !== undefined && known !== text)
        throw new StartError(
          `${file}: another file has an operation with the id "${id}", too; give it another one.`,
        );
      if (text.length > OPERATION_LIMITS.characters)
        throw new StartError(
          `${file}: the operation "${id}" is longer than ${OPERATION_LIMITS.characters} characters, so no client could run it.`,
        );
      texts.set(id, text);
    }
  if (texts.size > MAX_OPERATIONS)
    throw new StartError(
      `${source} has ${texts.size} operations; at most ${MAX_OPERATIONS} can be registered.`,
    );
  return texts;
}

async function operationsIn(file: string): Promise<(readonly [id: string, text: string])[]> {
  try {
    const content = await readFile(file, 'utf8');
    if (file.endsWith('.graphql')) return [[path.basename(file, '.graphql'), content]];
    return manifest.parse(JSON.parse(content));
  } catch (cause) {
    throw new StartError(`The registered operations ${file} cannot be used: ${MANIFEST_FORMAT}.`, { cause });
  }
}

async function filesOf(source: string): Promise<string[]> {
  const found = await stat(source).catch((cause: unknown) => {
    throw new StartError(
      `The registered operations ${source} cannot be used: there is no such file or folder.`,
      {
        cause,
      },
    );
  });
  if (!found.isDirectory()) return [source];
  const names = await readdir(source);
  return names
    .filter((name) => /\.(graphql|json)$/.test(name))
    .toSorted()
    .map((name) => path.join(source, name));
}

/** A text that changes whenever a file is written, added or removed; empty if the source cannot be read. */
async function identityOf(source: string): Promise<string> {
  try {
    const parts = (await filesOf(source)).map(async (file) => {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      return `${file} ${ino} ${size} ${mtimeNs}`;
    });
    return (await Promise.all(parts)).join('\n');
  } catch {
    return '';
  }
}

/** Calls `onTexts` after each change. Returns the function that ends the watch. */
function watched(source: string, first: string, log: Logger, onTexts: (texts: Texts) => void): () => void {
  let known = first;
  let isStopped = false;
  let checking = Promise.resolve();
  const check = async (): Promise<void> => {
    const identity = await identityOf(source);
    if (isStopped || identity === known || identity === '') return;
    known = identity;
    try {
      const texts = await readOperations(source);
      if (isStopped) return;
      onTexts(texts);
      log.info({ source, operations: texts.size }, 'the registered operations have changed');
    } catch (error) {
      log.error({ source, err: error }, 'the registered operations cannot be read; the previous ones stay');
    }
  };
  const checkSoon = (): void => void (checking = checking.then(check));
  let settling: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(settling);
    settling = setTimeout(checkSoon, SETTLE_MILLIS).unref();
  };
  const watchers = [source, path.dirname(source)].map((folder) => watcherOf(folder, settle));
  const polling = setInterval(checkSoon, POLL_MILLIS).unref();
  const stopListening = onReloadSignal(checkSoon);
  return () => {
    isStopped = true;
    clearTimeout(settling);
    clearInterval(polling);
    stopListening();
    for (const watcher of watchers) watcher?.close();
  };
}

/** Undefined if the place cannot be watched; the files are then checked for changes at an interval only. */
function watcherOf(place: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(place, { persistent: false }, onEvent).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
