import path from 'node:path';
import { HOUR_MILLIS } from '#server/durations.ts';
import type { Logger } from '#server/observability/logger.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import {
  digestOf,
  IDEMPOTENCY_KEY_LIFETIME_MILLIS,
  reused,
  sealed,
  unsealed,
  type IdempotencyStore,
  type KeyedRequest,
  type StoredAnswer,
} from '#server/rest/idempotency.ts';
import { namesIn } from './read-failures.ts';
import { recordFile } from './record-file.ts';

/** An answer as it is stored; its body is encrypted with the client's key. */
interface KeyRecord {
  /** A digest of the caller and the key. */
  id: string;
  /** When it was stored, in milliseconds since 1970. */
  at: number;
  operation: string;
  fingerprint: string;
  answer: StoredAnswer;
}

/** A file for each hour, so that old answers are removed with their file. */
const FILE_MILLIS = HOUR_MILLIS;

/**
 * Stores the answers to keyed requests in files, for journals in files. An answer is on disk before it is sent, so a
 * repeated request gets it also after a restart: the latest 10,000 answers of the last 24 h, or as many as fit into 64 MiB.
 *
 * The answer is written after the journals. If the process is killed between the two, the client has no answer, and a
 * repetition is carried out again; in PostgreSQL both are one transaction.
 */
export class FileIdempotency implements IdempotencyStore {
  readonly undoes = false;
  private readonly folder: string;
  private readonly log: Logger;
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly known = boundedCache<string, KeyRecord>({
    name: 'squad_idempotency_keys',
    maxEntries: 10_000,
    maxBytes: 64 * 1024 * 1024, // 64 MiB
    bytesOf: ({ operation, fingerprint, answer }, id) =>
      bytesOfText(id) +
      bytesOfText(operation) +
      bytesOfText(fingerprint) +
      bytesOfText(answer.body ?? '') +
      500,
    ttlMillis: IDEMPOTENCY_KEY_LIFETIME_MILLIS,
  });
  private writing: Promise<unknown> = Promise.resolve();
  private file = '';

  private constructor(folder: string, log: Logger) {
    this.folder = folder;
    this.log = log;
  }

  /** Reads the answers of the last 24 h. */
  static async open(folder: string, log: Logger): Promise<FileIdempotency> {
    const store = new FileIdempotency(folder, log);
    for (const name of await store.files()) {
      const file = path.join(folder, name);
      const { records, length, cutBytes } = await recordFile.read(file);
      if (cutBytes > 0) await recordFile.cut(file, length);
      for (const record of records as KeyRecord[])
        if (record.at > Date.now() - IDEMPOTENCY_KEY_LIFETIME_MILLIS) store.known.set(record.id, record);
    }
    return store;
  }

  async once(
    request: KeyedRequest,
    perform: () => Promise<StoredAnswer | undefined>,
  ): Promise<{ answer: StoredAnswer | undefined; replayed: boolean }> {
    const id = digestOf(`${request.caller}\n${request.key}`);
    for (let before = this.running.get(id); before; before = this.running.get(id)) await before;
    const known = this.known.get(id);
    if (known && known.at > Date.now() - IDEMPOTENCY_KEY_LIFETIME_MILLIS)
      return { answer: answerOf(known, request), replayed: true };
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.running.set(id, ended);
    try {
      const answer = await perform();
      if (answer) await this.keep(id, request, answer);
      return { answer, replayed: false };
    } finally {
      this.running.delete(id);
      resolve();
    }
  }

  private async keep(id: string, request: KeyedRequest, answer: StoredAnswer): Promise<void> {
    const { operation, fingerprint } = request;
    const body = answer.body === null ? null : sealed(answer.body, request);
    const record: KeyRecord = { id, at: Date.now(), operation, fingerprint, answer: { ...answer, body } };
    this.known.set(id, record);
    const turn = this.writing.then(() => this.write(record));
    this.writing = turn.catch(() => undefined);
    // The change is in the journals already, so the client must get its answer, also if the answer cannot be stored.
    await turn.catch((error: unknown) =>
      this.log.error({ err: error }, 'an answer could not be stored; it is lost at a restart'),
    );
  }

  private async write(record: KeyRecord): Promise<void> {
    const file = path.join(this.folder, `${Math.floor(record.at / FILE_MILLIS)}.jsonl`);
    const isNew = file !== this.file && !(await recordFile.read(file)).length;
    await recordFile.append(file, [record], isNew);
    if (file === this.file) return;
    this.file = file;
    const oldest = Math.floor((record.at - IDEMPOTENCY_KEY_LIFETIME_MILLIS) / FILE_MILLIS);
    for (const name of await this.files())
      if (Number.parseInt(name, 10) < oldest) await recordFile.remove(path.join(this.folder, name));
  }

  /** Oldest first. */
  private async files(): Promise<string[]> {
    const names = await namesIn(this.folder);
    return names.filter((name) => name.endsWith('.jsonl')).toSorted();
  }
}

function answerOf({ operation, fingerprint, answer }: KeyRecord, request: KeyedRequest): StoredAnswer {
  if (operation !== request.operation || fingerprint !== request.fingerprint) throw reused();
  return { ...answer, body: answer.body === null ? null : unsealed(answer.body, request) };
}
