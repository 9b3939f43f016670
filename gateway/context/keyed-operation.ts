import { createHash } from 'node:crypto';
import { IDEMPOTENCY_SCOPE } from '#server/graphql/keyed-mutations.ts';
import { keyOf } from '#server/rest/idempotency.ts';

/** The operation as the client sent it; a repetition with the same key has to be equal. */
interface SentOperation {
  source: string;
  operationName: string | undefined;
  rawVariables: Readonly<Record<string, unknown>>;
}

/**
 * An operation with an `Idempotency-Key`. Each service stores the answers to its own part of the operation. With each
 * mutation the gateway sends the key, the mutation's number among those to this service, and a digest of the operation.
 */
export class KeyedOperation {
  private readonly key: string;
  private readonly sentTo = new Map<string, number>();
  private digest = '';
  private sent = 0;
  private replayed = 0;

  constructor(key: string) {
    this.key = key;
  }

  /** To be called before the operation runs. */
  begin({ source, operationName, rawVariables }: SentOperation): void {
    const text = JSON.stringify([source, operationName ?? null, rawVariables], (_name, value: unknown) =>
      // the digest contains no file; the service compares the file's content
      typeof value === 'object' && value !== null && 'promise' in value ? 'file' : value,
    );
    this.digest = createHash('sha256').update(text).digest('hex');
  }

  /** The headers of the next mutation to the service: each name is followed by its value. */
  headersFor(service: string): string[] {
    const place = this.sentTo.get(service) ?? 0;
    this.sentTo.set(service, place + 1);
    this.sent += 1;
    return ['idempotency-key', this.key, IDEMPOTENCY_SCOPE, `${place};${this.digest}`];
  }

  /** To be called if a service returned a stored answer. */
  countReplay(): void {
    this.replayed += 1;
  }

  /** Whether all services returned stored answers, so that nothing was written. */
  get isReplay(): boolean {
    return this.sent > 0 && this.replayed === this.sent;
  }
}

/** @returns undefined without the header, and for an invalid key, which `checkIdempotencyKey` refuses */
export function keyedOperationOf(header: string | string[] | undefined): KeyedOperation | undefined {
  if (typeof header !== 'string') return undefined;
  try {
    return new KeyedOperation(keyOf(header));
  } catch {
    return undefined;
  }
}
