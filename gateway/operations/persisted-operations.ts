import { z } from 'zod';
import { PlatformError } from '#server/errors.ts';
import { OPERATION_LIMITS } from '#server/graphql/limits.ts';
import { boundedCache, bytesOfText } from '#server/observability/bounded-cache.ts';
import { hashOf, type RegisteredOperations } from './registered-operations.ts';

/** The parts of a GraphQL request that identify its operation. */
export interface OperationReference {
  readonly query?: unknown;
  readonly extensions?: unknown;
  /** The id of a registered operation, as Relay sends it, and GraphQL over HTTP defines it (persisted documents). */
  readonly documentId?: unknown;
}

/** The texts of automatic persisted queries that all replicas of the gateway share. */
export interface SharedTexts {
  /** Undefined if no replica has added it lately, or if the store does not answer. Never rejects. */
  find(hash: string): Promise<string | undefined>;
  /** Never rejects. */
  add(hash: string, text: string): Promise<void>;
}

const reference = z.object({
  persistedQuery: z.object({ version: z.literal(1), sha256Hash: z.string().min(1).max(256) }),
});

/**
 * Operations that clients send by hash or id: registered operations of a manifest, and automatic persisted queries (APQ),
 * whose text a client sends once; their cache is bounded, and drops the least recently used ones first. The replicas of the
 * gateway may share them, so that a client sends the text to one of them only.
 */
export class PersistedOperations {
  private readonly registered: RegisteredOperations;
  private readonly registeredOnly: boolean;
  private readonly shared: SharedTexts | undefined;
  private readonly automatic = boundedCache<string, string>({
    name: 'persisted_operations',
    maxEntries: 10_000,
    maxBytes: 16 * 1024 * 1024, // 16 MiB
    bytesOf: (text, hash) => bytesOfText(text) + bytesOfText(hash),
  });

  constructor(registered: RegisteredOperations, registeredOnly: boolean, shared?: SharedTexts) {
    this.registered = registered;
    this.shared = shared;
    this.registeredOnly = registeredOnly;
  }

  /**
   * If the request has only a hash, and this replica does not know it, looks for its text in the store that the replicas
   * share, so that `textOf` returns it. @throws VALIDATION_FAILED as `textOf`
   */
  async load({ query, extensions, documentId }: OperationReference): Promise<void> {
    if (!this.shared || this.registeredOnly || isId(documentId)) return;
    if (typeof query === 'string' && query !== '') return;
    const hash = hashIn(extensions);
    if (
      hash === undefined ||
      this.registered.textOf(hash) !== undefined ||
      this.automatic.get(hash) !== undefined
    )
      return;
    const text = await this.shared.find(hash);
    if (text !== undefined && hashOf(text) === hash) this.automatic.set(hash, text);
  }

  /**
   * The text of the operation; undefined if the request has neither a text nor a known hash, so that the client has to
   * send the text.
   * @throws VALIDATION_FAILED for a hash that is not the hash of the text, OPERATION_NOT_REGISTERED for an unknown
   * `documentId`, and for an unregistered operation if only registered ones are allowed
   */
  textOf({ query, extensions, documentId }: OperationReference): string | undefined {
    const text = typeof query === 'string' && query !== '' ? query : undefined;
    if (isId(documentId)) return this.textOfDocument(documentId, text);
    const hash = hashIn(extensions);
    if (hash === undefined) return text === undefined ? undefined : this.permitted(text);
    const registered = this.registered.textOf(hash);
    if (registered !== undefined) return registered;
    if (text === undefined) {
      const automatic = this.automatic.get(hash);
      if (automatic !== undefined) return automatic;
      if (this.registeredOnly) throw notRegistered();
      return undefined;
    }
    if (hashOf(text) !== hash)
      throw new PlatformError(
        'VALIDATION_FAILED',
        'extensions.persistedQuery.sha256Hash is not the SHA-256 of the query that came with it.',
      );
    const permitted = this.permitted(text);
    // A longer text is not cached, because the limits refuse it every time.
    if (permitted.length <= OPERATION_LIMITS.characters) this.remember(hash, permitted);
    return permitted;
  }

  /** Calls the listener when other operations are registered. */
  onChange(listener: () => void): void {
    this.registered.onChange(listener);
  }

  private textOfDocument(id: string, text: string | undefined): string {
    if (text !== undefined)
      throw new PlatformError('VALIDATION_FAILED', 'Send either a query or a documentId, not both.');
    const registered = this.registered.textOf(id);
    if (registered === undefined)
      throw new PlatformError(
        'OPERATION_NOT_REGISTERED',
        'No operation is registered with this documentId; register it, or send its text as query.',
      );
    return registered;
  }

  private remember(hash: string, text: string): void {
    if (this.automatic.get(hash) !== undefined) return;
    this.automatic.set(hash, text);
    void this.shared?.add(hash, text);
  }

  private permitted(text: string): string {
    if (this.registeredOnly && !this.registered.has(text)) throw notRegistered();
    return text;
  }
}

/** Null and an empty text count as none, as for `query`. */
const isId = (documentId: unknown): documentId is string =>
  typeof documentId === 'string' && documentId !== '';

/** @throws VALIDATION_FAILED for an invalid `persistedQuery` */
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
