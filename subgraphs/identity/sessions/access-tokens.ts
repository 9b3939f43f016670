import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { Scope } from '#server/auth/scopes.ts';
import { TOKEN_ALGORITHM } from '#server/auth/token-verifier.ts';
import { CLIENT_SUBJECT } from '#server/auth/viewer.ts';
import type { ApiClient } from '../api-clients/api-client.entity.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { User } from '../users/user.entity.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';

/** Signs access tokens with the current signing key. */
export class AccessTokens {
  private readonly keys: KeyRing;
  private readonly issuer: string;
  private readonly audience: string;

  constructor(keys: KeyRing, { jwtIssuer, jwtAudience }: { jwtIssuer: string; jwtAudience: string }) {
    this.keys = keys;
    this.issuer = jwtIssuer;
    this.audience = jwtAudience;
  }

  /** A token for a session of this user. */
  ofUser(user: Pick<User, 'id' | 'role' | 'gymId' | 'rightsChangedAt'>, sessionId: string): string {
    // The times in tokens are whole seconds. After a change that takes rights away, every token that is dated at or before the
    // second of the change is refused (`refuseOlderTokensOf` in ended-sessions.ts). So a token with the new rights is dated at
    // least one second later.
    const issuedAt = Math.max(
      secondsOf(Date.now()),
      user.rightsChangedAt ? secondsOf(user.rightsChangedAt.getTime()) + 1 : 0,
    );
    return this.signed(
      { sub: user.id, role: user.role, gymId: user.gymId ?? null, sid: sessionId },
      issuedAt,
    );
  }

  /** A token with which a service calls other services with its own rights, not with those of a user. */
  ofService(service: string): string {
    return this.signed({ sub: service, role: 'SERVICE', gymId: null, sid: '' }, secondsOf(Date.now()));
  }

  /** A token with which a machine client acts in its gym. It has scopes instead of a role. @param seconds its lifetime */
  ofClient(
    { id, gymId, locationId }: Pick<ApiClient, 'id' | 'gymId' | 'locationId'>,
    scopes: readonly Scope[],
    seconds: number,
  ): string {
    const claims = {
      sub: `${CLIENT_SUBJECT}${id}`,
      gymId,
      locationId: locationId ?? null,
      scope: scopes.join(' '),
    };
    return this.signed(claims, secondsOf(Date.now()), seconds);
  }

  private signed(claims: object, issuedAt: number, seconds = ACCESS_TOKEN_SECONDS): string {
    const { kid, privateKey } = this.keys.signing();
    const times = { iat: issuedAt, exp: issuedAt + seconds };
    return jwt.sign(
      { iss: this.issuer, aud: this.audience, ...claims, jti: randomUUID(), ...times },
      privateKey,
      { algorithm: TOKEN_ALGORITHM, keyid: kid },
    );
  }
}

export const secondsOf = (millis: number): number => Math.floor(millis / 1000);
