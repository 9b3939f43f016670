import {
  isSuperAdmin,
  requireGym,
  requireGymOfClient,
  requireRole,
  requireScope,
  requireService,
  requireUser,
  Role,
  type Viewer,
} from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import { invalid, notFound, unauthenticated } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { maySee } from '../access.ts';
import type { EmailVerifications } from '../email-verifications/email-verifications.ts';
import type { NewMembership } from '../memberships/membership.ts';
import { joining } from '../memberships/memberships.ts';
import type { GymsOfUsers } from './gyms-of-users.ts';
import { insertUser } from './insert-user.ts';
import { presentUser, UserRow } from './present-user.ts';
import { passwordProblem } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import { SEARCHED_TEXT, withoutAccents } from './user.entity.ts';
import { RegisterShape, UsersFilter, type UserShape } from './users.shapes.ts';

const cursors = cursorsOf('users', z.tuple([uuid()]));

const USERS = `select ${columnsOf(UserRow)} from user_account`;

/**
 * Characters with a meaning for `like` are escaped after the accents are removed, because the removal turns other
 * characters, such as the full-width percent sign, into these characters.
 */
const SEARCH = String.raw`${SEARCHED_TEXT} like '%' || regexp_replace(${withoutAccents('?::text')}, '([\\%_])', '\\\1', 'g') || '%'`;

/** The users of the platform: which users a viewer may see, and which of their fields. */
export class Users {
  private readonly unit: UnitOfWork;
  private readonly passwords: Passwords;
  private readonly gyms: GymsOfUsers;
  private readonly emailVerifications: EmailVerifications;
  private readonly byId = loaderOf(
    (ids) => this.unit.read<UserRow>(`${USERS} where id = any(?::uuid[])`, [ids]),
    (user) => user.id,
  );

  constructor(
    unit: UnitOfWork,
    passwords: Passwords,
    gyms: GymsOfUsers,
    emailVerifications: EmailVerifications,
  ) {
    this.unit = unit;
    this.passwords = passwords;
    this.gyms = gyms;
    this.emailVerifications = emailVerifications;
  }

  /** The viewer's own account. @throws UNAUTHENTICATED without a log-in */
  async me(): Promise<UserShape> {
    const { userId } = requireUser(this.unit.viewer);
    const user = await this.byId.load(userId);
    if (!user) throw unauthenticated('Your account has been deleted.');
    return presentUser(this.unit, user);
  }

  /**
   * The user, with the fields that the viewer may see; null if the user does not exist or the viewer may not see them.
   * @throws UNAUTHENTICATED without a log-in
   */
  async find(id: string): Promise<UserShape | null> {
    if (this.unit.viewer.kind === 'anonymous') throw unauthenticated();
    const user = isUuid(id) ? await this.byId.load(id) : null;
    return user && maySee(this.unit.viewer, user) ? presentUser(this.unit, user) : null;
  }

  /** @throws NOT_FOUND, also for a user that the viewer may not see */
  async get(id: string): Promise<UserShape> {
    const user = await this.find(id);
    if (!user) throw notFound('user', id);
    return user;
  }

  /**
   * The people of the viewer's gym for a GYM_ADMIN or a machine client, of all gyms or of one for a SUPER_ADMIN; in the order of
   * registration. The people of a gym are also those who have applied and those whose membership has ended.
   */
  async list(filter: unknown, request: PageRequest): Promise<Page<UserShape>> {
    const { viewer } = this.unit;
    const { gymId: requested, search, status } = validated(UsersFilter, filter);
    const gymId = gymOfList(viewer, requested);
    const after = cursors.read(request.cursor);
    const searched = search?.trim();
    const conditions = [
      // A `text` of PostgreSQL cannot contain NUL, so no name and no email contains the searched text.
      searched?.includes('\0') ? 'false' : 'true',
      ...(gymId ? ['membership_gym_id = ?'] : []),
      ...(status ? ['membership_status = ?'] : []),
      ...(searched && !searched.includes('\0') ? [SEARCH] : []),
      ...(after ? ['id > ?'] : []),
    ];
    const rows = await this.unit.read<UserRow>(
      `${USERS} where ${conditions.join(' and ')} order by id limit ?`,
      [
        ...(gymId ? [gymId] : []),
        ...(status ? [status] : []),
        ...(searched && !searched.includes('\0') ? [searched] : []),
        ...(after ?? []),
        pageSize(request) + 1,
      ],
    );
    return mapPage(
      cursors.page(rows, request, (user) => [user.id]),
      (user) => presentUser(this.unit, user, viewer),
    );
  }

  /** Whether an email is free to register; for services, which ask on behalf of a user. */
  async isEmailAvailable(email: string): Promise<boolean> {
    requireService(this.unit.viewer);
    const rows = await this.unit.em.execute<unknown[]>(
      'select 1 from user_account where lower(email) = lower(?)',
      [email],
    );
    return rows.length === 0;
  }

  /** The SUPER_ADMINs, whom users contact for support, with their email. */
  async superAdmins(): Promise<UserShape[]> {
    requireUser(this.unit.viewer);
    const admins = await this.unit.read<UserRow>(
      `${USERS} where role = '${Role.SUPER_ADMIN}' order by id limit 200`,
      [],
    );
    return admins.map((user) => presentUser(this.unit, user));
  }

  /**
   * Creates an account with the role MEMBER. If the input names a gym, the policy of the gym decides about the membership.
   * @throws CONFLICT if the email is taken, without regard to case, or if the gym is not active; INVITATION_REQUIRED;
   * UPSTREAM_UNAVAILABLE if the input names a gym and the gym service does not answer
   */
  async register(input: unknown): Promise<UserShape> {
    const { email, password, displayName, gymId } = validated(RegisterShape, input);
    const problem = passwordProblem(password, email);
    if (problem) throw invalid('password', problem);
    await this.membershipAt(gymId); // a refusal comes before the slow hash
    const passwordHash = await this.passwords.hash(password);
    // The policy is asked again, because it may have changed while the hash waited.
    const membership = await this.membershipAt(gymId);
    const user = await this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId ?? null);
      const created = await insertUser(this.unit, {
        email,
        passwordHash,
        displayName,
        role: Role.MEMBER,
        membership,
      });
      await this.emailVerifications.requestMail(created.id);
      return created;
    });
    // The answer shows the account as its user sees it, although nobody is logged in yet.
    return presentUser(this.unit, user, {
      kind: 'user',
      userId: user.id,
      role: user.role,
      gymId: user.gymId ?? null,
      sessionId: '',
      expiresAt: 0,
    });
  }

  /** The membership of a new account; null without a gym. @throws the errors of `register` about its gym */
  private async membershipAt(gymId: string | null | undefined): Promise<NewMembership | null> {
    if (!gymId) return null;
    const policy = await this.gyms.requireJoinable(gymId);
    return policy && joining(gymId, policy, null);
  }
}

/** The gym whose users are listed; null or undefined if those of all gyms are. @throws UNAUTHENTICATED, FORBIDDEN, GYM_REQUIRED */
function gymOfList(viewer: Viewer, requested: string | null | undefined): string | null | undefined {
  if (viewer.kind === 'client') {
    requireScope(viewer, 'members:read');
    return requireGymOfClient(viewer, requested);
  }
  const user = requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  return isSuperAdmin(user) ? requested : requireGym(user, requested);
}
