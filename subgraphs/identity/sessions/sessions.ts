import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { requireService, requireUser } from '#server/auth/viewer.ts';
import { notFound, PlatformError, unauthenticated } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { gymOf } from '../memberships/membership.ts';
import { User } from '../users/user.entity.ts';
import { presentUser } from '../users/present-user.ts';
import type { AccessTokens } from './access-tokens.ts';
import { endedSince, endSessions } from './ended-sessions.ts';
import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_MILLIS } from './lifetimes.ts';
import { forgetFailures } from './login-guard.ts';
import type { PasswordChecks } from './password-checks.ts';
import { RefreshToken } from './refresh-token.entity.ts';
import { hashOf } from './secrets.ts';
import { Session } from './session.entity.ts';
import {
  LoginShape,
  LogoutShape,
  RefreshShape,
  type AuthPayloadShape,
  type EndedSessionsShape,
  type SessionShape,
} from './sessions.shapes.ts';

/**
 * The maximum number of a user's sessions. A program that logs in each time instead of refreshing would otherwise have tens of
 * thousands of them, and every one of them has to be ended when the user is suspended or changes their password.
 */
const MAX_SESSIONS = 200;

/** Log-ins. Each log-in opens a session, which has one valid refresh token at a time: every use replaces it by the next one. */
export class Sessions {
  private readonly unit: UnitOfWork;
  private readonly passwordChecks: PasswordChecks;
  private readonly tokens: AccessTokens;
  private readonly audit: Audit;

  constructor(unit: UnitOfWork, passwordChecks: PasswordChecks, tokens: AccessTokens, audit: Audit) {
    this.audit = audit;
    this.unit = unit;
    this.passwordChecks = passwordChecks;
    this.tokens = tokens;
  }

  /**
   * Opens a session. If the log-in is refused, neither message nor status nor time reveals whether the email has no account,
   * the password is wrong, or the account is locked: the same checks are made in the same order. Only a caller with the right
   * password learns that the account is suspended.
   * @throws UNAUTHENTICATED, ACCOUNT_SUSPENDED
   */
  async login(input: unknown): Promise<AuthPayloadShape> {
    const { email, password } = validated(LoginShape, input);
    const known = await this.credentialsOf(email);
    const credentials = { email, id: known?.id ?? null, passwordHash: known?.passwordHash ?? null };
    if (!(await this.passwordChecks.check(credentials, password)) || !known) throw wrongLogin();
    return this.unit.transaction(async () => {
      // A shared lock: password, role and gym cannot change before the commit, and the account cannot be deleted.
      const user = await this.unit.em.findOne(
        User,
        { id: known.id },
        { lockMode: LockMode.PESSIMISTIC_READ, refresh: true, populate: ['passwordHash'] },
      );
      if (!user || user.passwordHash !== known.passwordHash) throw wrongLogin();
      if (user.suspendedAt) throw suspended();
      await forgetFailures(this.unit.em, email);
      await this.audit.record('LOGGED_IN', user.id);
      return this.open(user);
    });
  }

  private async credentialsOf(
    email: string,
  ): Promise<{ id: string; passwordHash: string | null } | undefined> {
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
    const payload = await this.issueTokens(user, session, now);
    await endSessions(this.unit.em, await this.excessSessionsOf(user.id));
    return payload;
  }

  /** The user's least recently used sessions beyond the limit, without those that another transaction is using. */
  private async excessSessionsOf(userId: string): Promise<string[]> {
    const rows = await this.unit.em.execute<{ id: string }[]>(
      `select id from login_session where id in (
         select id from login_session where user_id = ? order by last_used_at desc, id desc offset ?
       ) order by id for update skip locked`,
      [userId, MAX_SESSIONS],
    );
    return rows.map(({ id }) => id);
  }

  /** Stores the next refresh token of the session, and signs an access token. */
  private async issueTokens(user: User, session: Session, now: Date): Promise<AuthPayloadShape> {
    const refreshToken = randomBytes(32).toString('base64url');
    this.unit.em.create(RefreshToken, {
      hash: hashOf(refreshToken),
      session: session.id,
      createdAt: now,
      usedAt: null,
    });
    await this.unit.em.flush();
    const gymId = gymOf(user);
    // The user is presented as they see themselves, with their private fields.
    const owner = {
      kind: 'user',
      userId: user.id,
      role: user.role,
      gymId,
      sessionId: session.id,
      expiresAt: 0, // of an access token, which does not matter for the presentation
    } as const;
    return {
      token: this.tokens.ofUser({ ...rightsOf(user), gymId }, session.id),
      tokenType: 'Bearer',
      expiresIn: ACCESS_TOKEN_SECONDS,
      refreshToken,
      user: presentUser(this.unit, user, owner),
    };
  }

  /**
   * Returns the next pair of tokens for the latest refresh token. A token that has been used before ends the session: either
   * its owner or a thief sends an old one, and the service cannot know which. A second use at the same moment ends the session,
   * too. A client that repeats a request because its answer was lost sends the same Idempotency-Key, and gets the same answer.
   * @throws UNAUTHENTICATED
   */
  async refresh(input: unknown): Promise<AuthPayloadShape> {
    const { refreshToken } = validated(RefreshShape, input);
    // The error is thrown outside of the transaction, because the end of a session must be committed.
    const payload = await this.unit.transaction(() => this.rotate(hashOf(refreshToken)));
    if (!payload) throw unauthenticated('This refresh token is not valid, or no longer valid; log in again.');
    return payload;
  }

  private async rotate(hash: string): Promise<AuthPayloadShape | undefined> {
    const { em } = this.unit;
    const owner = await this.ownerOf(hash);
    // A rule that locks an account and its sessions locks the account first, so that two rules cannot wait for each other. A
    // shared lock is enough: it keeps the role and gym of the user unchanged until the commit.
    const user =
      owner && (await em.findOne(User, { id: owner.userId }, { lockMode: LockMode.PESSIMISTIC_READ }));
    const session =
      owner && (await em.findOne(Session, { id: owner.sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
    const now = new Date();
    if (!user || user.suspendedAt || !session || session.expiresAt <= now) return undefined;
    const token = await em.findOneOrFail(RefreshToken, { hash });
    if (token.usedAt) {
      await endSessions(em, [session.id]);
      await this.audit.record('REFRESH_TOKEN_REUSED', user.id, { sessionId: session.id });
      this.unit.log.warn(
        { sessionId: session.id },
        'a used refresh token was used again; its session has been ended',
      );
      return undefined;
    }
    token.usedAt = now;
    session.lastUsedAt = now;
    session.expiresAt = new Date(now.getTime() + REFRESH_TOKEN_MILLIS);
    return this.issueTokens(user, session, now);
  }

  /**
   * Ends the session of a refresh token; without one, that of the access token. Idempotent.
   * @throws UNAUTHENTICATED without either token
   */
  async logout(input: unknown): Promise<void> {
    const { refreshToken } = validated(LogoutShape, input);
    await this.unit.transaction(async () => {
      const sessionId = refreshToken
        ? (await this.ownerOf(hashOf(refreshToken)))?.sessionId
        : requireUser(this.unit.viewer).sessionId;
      if (sessionId) await endSessions(this.unit.em, [sessionId]);
    });
  }

  /** Ends one of the viewer's sessions. @throws NOT_FOUND, also for another user's session */
  async end(id: string): Promise<void> {
    const { userId } = requireUser(this.unit.viewer);
    await this.unit.transaction(async () => {
      const session = isUuid(id)
        ? await this.unit.em.findOne(Session, { id, user: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
        : null;
      if (!session) throw notFound('session', id);
      await endSessions(this.unit.em, [id]);
    });
  }

  /** The sessions whose access tokens other services must refuse, see `endedSince`. Only for services. */
  async ended(since?: string): Promise<EndedSessionsShape> {
    requireService(this.unit.viewer);
    return endedSince(this.unit.em, since);
  }

  /** The session and the user of the refresh token with this hash. */
  private async ownerOf(hash: string): Promise<{ sessionId: string; userId: string } | undefined> {
    const [owner] = await this.unit.em.execute<{ sessionId: string; userId: string }[]>(
      'select s.id as "sessionId", s.user_id as "userId" from refresh_token t join login_session s on s.id = t.session_id where t.hash = ?',
      [hash],
    );
    return owner;
  }

  /** The viewer's sessions, the most recently used first. */
  async list(): Promise<SessionShape[]> {
    const viewer = requireUser(this.unit.viewer);
    const sessions = await this.unit.em.find(
      Session,
      { user: viewer.userId, expiresAt: { $gt: new Date() } },
      { orderBy: { lastUsedAt: 'desc', id: 'desc' }, limit: MAX_SESSIONS },
    );
    return sessions.map((session) => present(session, viewer.sessionId));
  }
}

const suspended = () =>
  new PlatformError('ACCOUNT_SUSPENDED', 'This account is suspended; ask the operator of the platform.');
const wrongLogin = () => unauthenticated('Email or password is wrong.');

const rightsOf = ({ id, role, rightsChangedAt }: User) => ({ id, role, rightsChangedAt });

const present = (
  { id, createdAt, lastUsedAt, expiresAt, userAgent, address }: Session,
  current: string,
): SessionShape => ({
  id,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  userAgent,
  address,
  current: id === current,
});
