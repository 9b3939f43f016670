import jwt from 'jsonwebtoken';
import type { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { unauthenticated } from '../errors.ts';
import { boundedCache, bytesOfText } from '../observability/bounded-cache.ts';
import type { JwksKeys } from './jwks-keys.ts';
import type { OtherIssuers } from './other-issuers.ts';
import { scopesIn } from './scopes.ts';
import { CLIENT_SUBJECT, Role, type ClientViewer, type KnownViewer } from './viewer.ts';

/** The only signature algorithm that is accepted. The `alg` in a token's own header never chooses it (RFC 8725, section 3.1). */
export const TOKEN_ALGORITHM = 'ES256';

/** The source of the keys, and the check whether a token has been revoked. */
export interface TokenChecks {
  keys: Pick<JwksKeys, 'get'>;
  /** Whether a token is refused before it expires; see `EndedSessions`. Called for every use of a token. Default: none is. */
  isRevoked?: ((viewer: KnownViewer) => boolean | Promise<boolean>) | undefined;
}

interface TokenVerifierOptions extends TokenChecks {
  issuer: string;
  audience: string;
  /** Further issuers. Default: none. */
  otherIssuers?: OtherIssuers | undefined;
  /** How many verified tokens are cached at most. Default 10,000. */
  cacheSize?: number;
}

/** The approximate memory of a cached viewer. */
const BYTES_PER_VIEWER = 500;

/** Verifies access tokens (similar to RFC 9068): signature, `iss`, `aud`, `nbf`, `exp` and the shape of the claims. */
export class TokenVerifier {
  private readonly verified: LRUCache<string, KnownViewer>;
  private readonly options: TokenVerifierOptions;

  constructor(options: TokenVerifierOptions) {
    this.options = options;
    this.verified = boundedCache({
      name: 'verified_tokens',
      maxEntries: options.cacheSize ?? 10_000,
      maxBytes: 32 * 1024 * 1024, // 32 MiB
      bytesOf: (_viewer, token) => bytesOfText(token) + BYTES_PER_VIEWER,
    });
  }

  /** @throws UNAUTHENTICATED with the reason; UPSTREAM_UNAVAILABLE if the keys cannot be read */
  async verify(token: string): Promise<KnownViewer> {
    let viewer = this.verified.get(token);
    if (!viewer || viewer.expiresAt <= Date.now()) {
      viewer = await this.verifyUncached(token);
      this.verified.set(token, viewer);
    }
    const isRevoked = hasSession(viewer) && this.options.isRevoked?.(viewer);
    if (isRevoked && (await isRevoked)) throw unauthenticated('This session has been ended; log in again.');
    return viewer;
  }

  /** Whether the token from which this viewer was read is still valid. */
  async isStillValid(viewer: KnownViewer): Promise<boolean> {
    if (viewer.expiresAt <= Date.now()) return false;
    return !hasSession(viewer) || !(await this.options.isRevoked?.(viewer));
  }

  private async verifyUncached(token: string): Promise<KnownViewer> {
    const otherViewer = await this.options.otherIssuers?.viewerOf(token);
    if (otherViewer) return otherViewer;
    const key = await this.options.keys.get(keyIdOf(token));
    if (!key)
      throw unauthenticated(
        'The access token is signed with a key that the identity service does not publish; log in again.',
      );
    return viewerOf(this.claimsOf(token, key));
  }

  private claimsOf(token: string, key: string): z.infer<typeof claimsShape> {
    const { issuer, audience } = this.options;
    try {
      return claimsShape.parse(jwt.verify(token, key, { algorithms: [TOKEN_ALGORITHM], issuer, audience }));
    } catch (error) {
      if (error instanceof jwt.TokenExpiredError)
        throw unauthenticated('The access token has expired; get a new one with POST /auth/refresh.');
      throw unauthenticated('The access token is not valid; log in again.');
    }
  }
}

/** Whether the token can be revoked. Identity ends sessions, but has no session for a token that another issuer signed. */
const hasSession = (viewer: KnownViewer): boolean => viewer.kind === 'service' || viewer.sessionId !== '';

const claimsShape = z.object({
  sub: z.string().min(1),
  /** Absent in the token of a machine client. */
  role: z.enum([...Object.values(Role), 'SERVICE']).optional(),
  gymId: z.string().nullable().default(null),
  /** The only location at which a machine client may act; null if it may act at all locations of its gym. */
  locationId: z.string().nullable().default(null),
  /** The scopes of a machine client, separated by spaces (RFC 9068, section 2.2.3). */
  scope: z.string().default(''),
  sid: z.string().default(''),
  exp: z.number(),
});

function viewerOf(claims: z.infer<typeof claimsShape>): KnownViewer {
  const expiresAt = claims.exp * 1000;
  if (claims.role === 'SERVICE') return { kind: 'service', service: claims.sub, expiresAt };
  if (claims.role === undefined) return clientOf(claims, expiresAt);
  return {
    kind: 'user',
    userId: claims.sub,
    role: claims.role,
    gymId: claims.gymId,
    sessionId: claims.sid,
    expiresAt,
  };
}

/** @throws UNAUTHENTICATED for a token that is neither a user's, a service's nor a machine client's */
function clientOf(
  { sub, gymId, locationId, scope }: z.infer<typeof claimsShape>,
  expiresAt: number,
): ClientViewer {
  if (!sub.startsWith(CLIENT_SUBJECT) || gymId === null)
    throw unauthenticated('The access token is not valid.');
  const clientId = sub.slice(CLIENT_SUBJECT.length);
  const scopes = new Set(scopesIn(scope));
  return { kind: 'client', clientId, gymId, scopes, locationId, sessionId: clientId, expiresAt };
}

/** The key id in the header. It is not verified, so it may only be used to find the key. */
function keyIdOf(token: string): string {
  let header: unknown;
  try {
    header = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('utf8'));
  } catch {
    header = undefined;
  }
  const parsed = z
    .object({ alg: z.literal(TOKEN_ALGORITHM), kid: z.string().regex(/^[\w-]{1,64}$/) })
    .safeParse(header);
  if (!parsed.success)
    throw unauthenticated(
      `The access token is not valid: expected a JWT signed with ${TOKEN_ALGORITHM} by the identity service.`,
    );
  return parsed.data.kid;
}
