import { createHash, randomBytes } from 'node:crypto';
import { requireUser } from '#server/auth/viewer.ts';
import { notFound, unauthenticated } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Passwords } from '../users/passwords.ts';
import { User } from '../users/user.entity.ts';
import { presentUser } from '../users/users.ts';
import type { AccessTokens } from './access-tokens.ts';
import { refuseTokensOf } from './ended-sessions.ts';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_MILLIS } from './lifetimes.ts';
import { countFailure, forgetFailures, isLocked } from './login-guard.ts';
import { RefreshToken } from './refresh-token.entity.ts';
import { Session } from './session.entity.ts';
import { LoginShape, LogoutShape, RefreshShape, type AuthPayloadShape, type SessionShape } from './sessions.shapes.ts';

/** Log-ins: each is a session, a family of refresh tokens of which only the latest holds. */
export class Sessions {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly tokens: AccessTokens;

  constructor(unit: UnitOfWork, passwords: Passwords, tokens: AccessTokens) {
    this.unit = unit;
    this.passwords = passwords;
    this.tokens = tokens;
  }

  /**
   * Opens a session. Neither text nor status nor time tells whether the email exists, the password was right, or the
   * account is locked: the same questions are asked in the same order.
   * @throws UNAUTHENTICATED
   */
  async login(input: unknown): Promise<AuthPayloadShape> {
    const { email, password } = validated(LoginShape, input);
    const attempt = { email, address: this.unit.origin.address };
    const known = await this.credentialsOf(email);
    const matches = await this.passwords.matches(password, known?.passwordHash);
    // Asked after the slow part: of many guesses at once none slips through before the others are counted.
    const locked = await isLocked(this.unit.em, attempt);
    if (!known || !matches || locked) {
      await countFailure(this.unit.em, attempt);
      throw wrongLogin();
    }
    return this.unit.transaction(async () => {
      // Shared lock: password, role and gym cannot change between here and the commit, nor the account go.
      const user = await this.unit.em.findOne(User, { id: known.id }, { lockMode: 3 /* for share */, refresh: true, populate: ['passwordHash'] });
      if (!user || user.passwordHash !== known.passwordHash) throw wrongLogin();
      await forgetFailures(this.unit.em, email);
      return this.open(user);
    });
  }

  private async credentialsOf(email: string): Promise<{ id: string; passwordHash: string | null } | undefined> {
    const [row] = await this.unit.em.execute<{ id: string; passwordHash: string | null }[]>(
      'select id, password_hash as "passwordHash" from user_account where lower(email) = lower(?)',
      [email],
    );
    return row;
  }

  private async open(user: User): Promise<AuthPayloadShape> {
    const now = new Date();
    const { userAgent, address } = this.unit.origin;
    const session = this.unit.em.create(Session, {
      id: uuidv7(),
      user: user.id,
      userAgent,
      address: address.slice(0, 64),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + REFRESH_TOKEN_MILLIS),
    });
    return this.payload(user, session, now);
  }

  private async payload(user: User, session: Session, now: Date): Promise<AuthPayloadShape> {
    const refreshToken = randomBytes(32).toString('base64url');
    this.unit.em.create(RefreshToken, { hash: hashOf(refreshToken), session: session.id, createdAt: now, usedAt: null });
    await this.unit.em.flush();
    const herself = { kind: 'user', userId: user.id, role: user.role, gymId: user.gymId ?? null, sessionId: session.id, expiresAt: 0 } as const;
    return { token: await this.tokens.ofUser(user, session.id), tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS, refreshToken, user: presentUser(user, herself) };
  }

  /** The viewer's, the latest used first. */
  async list(): Promise<SessionShape[]> {
    const viewer = requireUser(this.unit.viewer);
    const sessions = await this.unit.em.find(Session, { user: viewer.userId, expiresAt: { $gt: new Date() } }, { orderBy: { lastUsedAt: 'desc', id: 'desc' }, limit: 200 });
    return sessions.map((session) => present(session, viewer.sessionId));
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');
const wrongLogin = () => unauthenticated('Email or password is wrong.');

const present = ({ id, createdAt, lastUsedAt, expiresAt, userAgent, address }: Session, current: string): SessionShape => ({
  id,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  userAgent,
  address,
  current: id === current,
});
