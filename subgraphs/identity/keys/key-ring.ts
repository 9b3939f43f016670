import {
  createHash,
  createPublicKey,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { TOKEN_ALGORITHM } from '#server/auth/token-verifier.ts';
import type { Logger } from '#server/observability/logger.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { ACCESS_TOKEN_SECONDS } from '../sessions/lifetimes.ts';
import { SigningKey } from './signing-key.entity.ts';

interface PublishedKey {
  readonly kid: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly pem: string;
}

interface KeyRingOptions {
  rotationDays: number;
  publishAheadSeconds: number;
  log: Logger;
}

type OnCreated = (key: { kid: string; signsFrom: Date }, em: EntityManager) => Promise<void>;

interface Key extends PublishedKey {
  readonly privateKey: KeyObject;
  // These times are milliseconds since 1970.
  readonly createdAt: number;
  readonly signsFrom: number;
  readonly publishedUntil: number;
}

const RELOAD_EVERY_MILLIS = 1_000; // 1 s: the time until a replica has a key that another replica created
const OVERLAP_MILLIS = (ACCESS_TOKEN_SECONDS + 300) * 1000; // the lifetime of the last token, and 5 min for different clocks

/**
 * The keys that sign access tokens. They are in the database, so that all replicas use the same ones. A new key is published
 * for `publishAheadSeconds` before it signs. The previous key stays published until its last token has expired.
 *
 * The keys are read every second, independently of requests: a request that signs inside its transaction must not wait for
 * a second connection. If such requests occupied all connections, they would wait for each other.
 */
export class KeyRing {
  private readonly orm: MikroORM;
  private readonly options: KeyRingOptions;
  private readonly timer: NodeJS.Timeout;
  private keys: readonly Key[] = [];
  private loadedAt = 0;
  private loading: Promise<void> | undefined;

  private constructor(orm: MikroORM, options: KeyRingOptions) {
    this.orm = orm;
    this.options = options;
    this.timer = setInterval(() => void this.reload(), RELOAD_EVERY_MILLIS);
    this.timer.unref();
  }

  /** Opens the installation's keys, and creates the first one, or the next one if it is due. */
  static async open(orm: MikroORM, options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(orm, options);
    await ring.load();
    if (ring.keys.length === 0)
      await ring.addKey({ onlyIf: (newest) => newest === undefined, signsAfterMillis: 0 });
    await ring.rotateIfDue();
    return ring;
  }

  /** The current signing key. */
  signing(): { kid: string; privateKey: KeyObject } {
    const now = Date.now();
    const key = this.keys.findLast(({ signsFrom }) => signsFrom <= now);
    if (!key) throw new Error('There is no signing key for access tokens.');
    return key;
  }

  /** The public key of that id as PEM, for `TokenVerifier`. */
  async get(kid: string): Promise<string | undefined> {
    const known = this.published().find((key) => key.kid === kid);
    if (known) return known.pem;
    // The key may be a new one of another replica. Unknown key ids cause at most one query a second.
    if (Date.now() - this.loadedAt > RELOAD_EVERY_MILLIS) await this.reload();
    return this.published().find((key) => key.kid === kid)?.pem;
  }

  /** The public keys that verify valid access tokens. */
  published(): PublishedKey[] {
    const now = Date.now();
    return this.keys.filter(({ publishedUntil }) => publishedUntil > now);
  }

  /** Stops reading the keys regularly, and waits for a read that is running. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.loading;
  }

  /**
   * Creates the next key, which signs after `publishAheadSeconds`, and returns it. If there is a key that does not sign yet,
   * it is returned instead.
   * @param onCreated runs in the transaction that creates the key
   */
  async rotate(onCreated?: OnCreated): Promise<{ kid: string; signsFrom: Date }> {
    await this.addKey({
      onCreated,
      onlyIf: (newest) => !newest || newest.signsFrom.getTime() <= Date.now(),
      signsAfterMillis: this.options.publishAheadSeconds * 1000,
    });
    const newest = this.keys.at(-1);
    if (!newest) throw new Error('There is no signing key for access tokens.');
    return { kid: newest.kid, signsFrom: new Date(newest.signsFrom) };
  }

  /** Creates the next key if the newest one is older than `rotationDays`. */
  async rotateIfDue(): Promise<void> {
    const newest = this.keys.at(-1);
    if (newest && Date.now() - newest.createdAt > this.options.rotationDays * DAY_MILLIS) await this.rotate();
  }

  /** Reads the keys again. If the database fails, the known keys stay in use. */
  private reload(): Promise<void> {
    this.loading ??= this.load()
      .catch((error: unknown) => this.options.log.warn({ err: error }, 'signing keys could not be read'))
      .finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async load(): Promise<void> {
    const rows = await this.orm.em.fork().find(SigningKey, {}, { orderBy: { signsFrom: 'asc', kid: 'asc' } });
    const known = new Map(this.keys.map((key) => [key.kid, key]));
    this.keys = rows.map((row) => ({ ...(known.get(row.kid) ?? parsed(row)), ...timesOf(row) }));
    this.loadedAt = Date.now();
  }

  private async addKey({
    onlyIf,
    signsAfterMillis,
    onCreated,
  }: {
    onlyIf(newest: SigningKey | undefined): boolean;
    signsAfterMillis: number;
    onCreated?: OnCreated | undefined;
  }): Promise<void> {
    await this.orm.em.fork().transactional(async (em) => {
      await em.execute(`select pg_advisory_xact_lock(hashtextextended('identity signing keys', 0))`);
      const rows = await em.find(SigningKey, {}, { orderBy: { signsFrom: 'asc', kid: 'asc' } });
      if (!onlyIf(rows.at(-1))) return;
      const now = Date.now();
      const signsFrom = new Date(now + signsAfterMillis);
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const kid = createHash('sha256')
        .update(publicKey.export({ type: 'spki', format: 'der' }))
        .digest('base64url');
      em.create(SigningKey, {
        kid,
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
        createdAt: new Date(now),
        signsFrom,
        publishedUntil: null,
      });
      for (const row of rows) {
        row.publishedUntil ??= new Date(signsFrom.getTime() + OVERLAP_MILLIS);
        if (row.publishedUntil.getTime() < now) em.remove(row);
      }
      await em.flush();
      await onCreated?.({ kid, signsFrom }, em);
      this.options.log.info({ kid, signsFrom }, 'a new key will sign access tokens');
    });
    await this.load();
  }
}

function parsed(row: SigningKey) {
  const privateKey = createPrivateKey(row.privateKey);
  const publicKey = createPublicKey(privateKey);
  return {
    kid: row.kid,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: row.kid, use: 'sig', alg: TOKEN_ALGORITHM },
    pem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  };
}

const timesOf = ({ createdAt, signsFrom, publishedUntil }: SigningKey) => ({
  createdAt: createdAt.getTime(),
  signsFrom: signsFrom.getTime(),
  publishedUntil: publishedUntil?.getTime() ?? Number.POSITIVE_INFINITY,
});
