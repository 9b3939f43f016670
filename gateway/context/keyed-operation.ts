import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { invalid } from '#server/errors.ts';
import { IDEMPOTENCY_SCOPE } from '#server/graphql/keyed-mutations.ts';
import { keyOf } from '#server/rest/idempotency.ts';

/** What a client asked for with an `Idempotency-Key`. */
interface SentOperation {
  source: string;
  operationName: string | undefined;
  rawVariables: Readonly<Record<string, unknown>>;
}

/**
 * The `Idempotency-Key` of a client's operation. Each service keeps the answers to its own part of the operation: the
 * gateway gives it the key, the number of the mutation among those that it gets, and a digest of the whole operation.
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
      // a file, which the service looks at itself
      typeof value === 'object' && value !== null && 'promise' in value ? 'file' : value,
    );
    this.digest = createHash('sha256').update(text).digest('hex');
  }

  /** Names and values in turn, of the next mutation to a service. */
  headersFor(service: string): string[] {
    const place = this.sentTo.get(service) ?? 0;
    this.sentTo.set(service, place + 1);
    this.sent += 1;
    return ['idempotency-key', this.key, IDEMPOTENCY_SCOPE, `${place};${this.digest}`];
  }

  /** A service has given again what it had answered before. */
  wasReplayed(): void {
    this.replayed += 1;
  }

  /** Whether nothing was written this time. */
  get isReplay(): boolean {
    return this.sent > 0 && this.replayed === this.sent;
  }
}

/** @returns undefined for no header, and for one that is no key: express refuses that */
export function keyedOperationOf(header: string | string[] | undefined): KeyedOperation | undefined {
  if (typeof header !== 'string') return undefined;
  try {
    return new KeyedOperation(keyOf(header));
  } catch {
    return undefined;
  }
}

/** Refuses a key that is none, and one of a batch: it could not say which of the operations it means. */
export const checkIdempotencyKey: RequestHandler = (req, _res, next) => {
  const header = req.headers['idempotency-key'];
  if (typeof header === 'string') {
    keyOf(header);
    if (Array.isArray(req.body))
      throw invalid('Idempotency-Key', 'a batch takes none; send its operations one by one, each with a key');
  }
  next();
};
