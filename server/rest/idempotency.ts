import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { DAY_MILLIS } from '../durations.ts';
import { callerKey, type Viewer } from '../auth/viewer.ts';
import { invalid, PlatformError } from '../errors.ts';

/** A request with an `Idempotency-Key` header (IETF draft-ietf-httpapi-idempotency-key-header). */
export interface KeyedRequest {
  /** The caller, as `callerOf` returns it: keys of different callers never match. */
  caller: string;
  key: string;
  /** Method and path, e.g. `POST /graphql` for a mutation. */
  operation: string;
  /** SHA-256 of the request. */
  fingerprint: string;
}

/** An answer that can be sent again. */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

export const IDEMPOTENCY_KEY_LIFETIME_MILLIS = DAY_MILLIS;

/** Stores answers by key for 24 h. Implementations: `idempotency.database.ts`, `idempotency.memory.ts`. */
export interface IdempotencyStore {
  /** Whether the writes of `perform` are rolled back if it throws. */
  readonly undoes: boolean;
  /**
   * Returns the stored answer of this key, or performs the request and stores its answer. If several requests with one key
   * arrive at once, one is performed and the others wait for its answer. If `perform` returns undefined, its writes are
   * committed, no answer is stored, and the key is free again.
   * @throws IDEMPOTENCY_KEY_REUSED if the key was used with another request
   */
  once(
    request: KeyedRequest,
    perform: () => Promise<StoredAnswer | undefined>,
  ): Promise<{ answer: StoredAnswer | undefined; replayed: boolean }>;
}

/** The key in an `Idempotency-Key` header. @throws VALIDATION_FAILED if it is malformed */
export function keyOf(header: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(header))
    throw invalid(
      'Idempotency-Key',
      'expected 1 to 255 visible ASCII characters without spaces, e.g. a UUID',
    );
  return header;
}

/** Identifies the caller in keys and counts. Anonymous callers are identified by their address. */
export const callerOf = (viewer: Viewer, address: string): string =>
  viewer.kind === 'anonymous' ? `address:${address}` : callerKey(viewer);

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const reused = () =>
  new PlatformError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used with another request in the last 24 hours; repeat that request unchanged, or choose a new key.',
  );

/**
 * Encrypts an answer with the client's idempotency key, because an answer may contain a secret, such as a token. The store
 * contains only a digest of that key, so a reader of the table cannot read the answers.
 */
export function sealed(body: string, request: KeyedRequest): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secretOf(request), iv);
  return Buffer.concat([iv, cipher.update(body, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
    'base64',
  );
}

/** Decrypts an answer that `sealed` has encrypted for the same request. */
export function unsealed(sealedBody: string, request: KeyedRequest): string {
  const bytes = Buffer.from(sealedBody, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', secretOf(request), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
}

const secretOf = (request: KeyedRequest): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', request.key, request.caller, 'idempotency-record', 32));
