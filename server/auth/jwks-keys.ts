import { JwksClient } from 'jwks-rsa';
import { PlatformError } from '../errors.ts';

/**
 * The public keys that verify tokens, from identity's `/.well-known/jwks.json`.
 *
 * An unknown key id is looked up at once, so that no request fails after a key rotation; but at most once per
 * `cooldownMillis`, so that tokens with invented key ids cannot flood identity with requests.
 * Keys that identity no longer publishes are forgotten with the first refresh, which is due after `maxAgeMillis`.
 */
export class JwksKeys {
  private keys = new Map<string, string>();
  private fetchedAt = 0;
  private failedAt = 0;
  private fetching: Promise<void> | undefined;
  private readonly client: JwksClient;
  private readonly cooldownMillis: number;
  private readonly maxAgeMillis: number;

  constructor(
    jwksUri: string,
    options: { cooldownMillis?: number; maxAgeMillis?: number; timeoutMillis?: number } = {},
  ) {
    this.client = new JwksClient({ jwksUri, cache: false, timeout: options.timeoutMillis ?? 3_000 }); // 3 s
    this.cooldownMillis = options.cooldownMillis ?? 1_000; // 1 s
    this.maxAgeMillis = options.maxAgeMillis ?? 300_000; // 5 min
  }

  /**
   * The key as PEM; undefined if identity publishes no key of that id.
   * @throws UPSTREAM_UNAVAILABLE if the key is not in memory and identity does not answer
   */
  async get(kid: string): Promise<string | undefined> {
    const now = Date.now();
    const known = this.keys.get(kid);
    if (known && now - this.fetchedAt < this.maxAgeMillis) return known;
    if (now - this.fetchedAt < this.cooldownMillis) return known;
    if (known) {
      // The cached keys are old but usable: refresh in the background, because identity may be restarting.
      void this.refresh().catch(() => undefined);
      return known;
    }
    await this.refresh();
    return this.keys.get(kid);
  }

  /** Reads the keys from identity now; simultaneous calls share one request. */
  refresh(): Promise<void> {
    if (!this.fetching && Date.now() - this.failedAt < 200) return Promise.reject(unavailable()); // 0.2 s
    this.fetching ??= this.fetch().finally(() => (this.fetching = undefined));
    return this.fetching;
  }

  private async fetch(): Promise<void> {
    try {
      const published = await this.client.getSigningKeys();
      this.keys = new Map(published.map((key) => [key.kid, key.getPublicKey()]));
      this.fetchedAt = Date.now();
    } catch (cause) {
      this.failedAt = Date.now();
      throw unavailable(cause);
    }
  }
}

const unavailable = (cause?: unknown) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    'Your token cannot be checked now because the identity service does not answer; try again in a moment.',
    { retryAfterSeconds: 1, cause },
  );
