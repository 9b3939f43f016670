import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { StartError } from '#server/start-error.ts';

/** What of a GraphQL request says which operation is meant. */
export interface OperationReference {
  readonly query?: unknown;
  readonly extensions?: unknown;
}

const manifest = z.union([
  /** As Apollo's tools write it. */
  z
    .object({
      format: z.literal('apollo-persisted-query-manifest'),
      operations: z.array(z.object({ id: z.string(), body: z.string() })),
    })
    .transform(({ operations }) => operations.map(({ id, body }) => [id, body] as const)),
  /** As Relay's compiler writes it: id to text. */
  z.record(z.string(), z.string()).transform((texts) => Object.entries(texts)),
]);

const reference = z.object({
  persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string().min(1).max(256) }),
});

/**
 * Operations that clients name by the SHA-256 of their text: registered ones, from a manifest, and those that clients
 * bring along once (automatic persisted queries; bounded, least recently used go first).
 */
export class PersistedOperations {
  private readonly registered: ReadonlyMap<string, string>;
  private readonly registeredTexts: ReadonlySet<string>;
  private readonly registeredOnly: boolean;
  private readonly brought = boundedCache<string, string>({
    name: 'persisted_operations',
    maxEntries: 10_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: (text, hash) => bytesOfText(text) + bytesOfText(hash),
  });

  constructor(registered: ReadonlyMap<string, string>, registeredOnly: boolean) {
    this.registered = registered;
    this.registeredTexts = new Set(registered.values());
    this.registeredOnly = registeredOnly;
  }

  /**
   * The text of the operation that is meant; undefined where the request holds none, and names none that is known: the
   * client is to send the text along then.
   * @throws VALIDATION_FAILED for a hash that is not the text's, OPERATION_NOT_REGISTERED where only registered ones
   * are answered
   */
  textOf({ query, extensions }: OperationReference): string | undefined {
    const hash = hashIn(extensions);
    const text = typeof query === 'string' && query !== '' ? query : undefined;
    if (hash === undefined) return text === undefined ? undefined : this.permitted(text);
    const registered = this.registered.get(hash);
    if (registered !== undefined) return registered;
    if (text === undefined) {
      const brought = this.brought.get(hash);
      if (brought !== undefined) return brought;
      if (this.registeredOnly) throw notRegistered();
      return undefined;
    }
    if (createHash('sha256').update(text).digest('hex') !== hash)
      throw new PlatformError(
        'VALIDATION_FAILED',
        'extensions.persistedQuery.sha256Hash is not the SHA-256 of the query that came with it.',
      );
    const permitted = this.permitted(text);
    // A longer one is refused by the limits every time.
    if (permitted.length <= OPERATION_LIMITS.characters) this.brought.set(hash, permitted);
    return permitted;
  }

  private permitted(text: string): string {
    if (this.registeredOnly && !this.registeredTexts.has(text)) throw notRegistered();
    return text;
  }
}

/** Reads a manifest of registered operations. @throws StartError naming the file */
export async function readManifest(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (file === undefined) return new Map();
  try {
    return new Map(manifest.parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch (cause) {
    throw new StartError(
      `The manifest of registered operations ${file} cannot be used: expected {"format": "apollo-persisted-query-manifest", "operations": [{"id", "body"}]} or {"<id>": "<operation>"}.`,
      { cause },
    );
  }
}

/** @throws VALIDATION_FAILED for a `persistedQuery` of another form */
function hashIn(extensions: unknown): string | undefined {
  if (typeof extensions !== 'object' || extensions === null || !('persistedQuery' in extensions))
    return undefined;
  const parsed = reference.safeParse(extensions);
  if (!parsed.success)
    throw new PlatformError(
      'VALIDATION_FAILED',
      'extensions.persistedQuery: expected {"version": 1, "sha256Hash": "<hex>"}.',
    );
  return parsed.data.persistedQuery.sha256Hash;
}

const notRegistered = () =>
  new PlatformError(
    'OPERATION_NOT_REGISTERED',
    'This gateway answers registered operations only; have yours added to its manifest.',
  );
