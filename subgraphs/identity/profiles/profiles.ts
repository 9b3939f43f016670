import { LockMode } from '@mikro-orm/core';
import { requireUser } from '#server/auth/viewer.ts';
import { checkVersion, invalid, notFound, unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { memberOf, recordMemberChange } from '../users/member-events.ts';
import { newQrCode } from '../users/qr-code.ts';
import { User, type Body, type TrainingGoals } from '../users/user.entity.ts';
import { UpdateProfileShape, type UserShape } from '../users/users.shapes.ts';
import { presentUser } from '../users/present-user.ts';

/** Profiles, which users change themselves; services change them, too. */
export class Profiles {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Fields that are absent or null are unchanged. `body` changes the keys that it contains, and a null in it removes the value;
   * `trainingGoals` replaces the stored ones as a whole; an empty bio removes the stored one. A user changes their own profile;
   * a service names the user by `userId`.
   * @param expectedVersion the version on which the change is based; undefined: `version` of the input. Without both, the last
   * write wins.
   * @throws VERSION_CONFLICT; NOT_FOUND if a service names a user that does not exist
   */
  async update(input: unknown, expectedVersion?: number): Promise<UserShape> {
    const { viewer } = this.unit;
    const { userId, displayName, bio, locale, timezone, units, body, trainingGoals, version } = validated(
      UpdateProfileShape,
      input,
    );
    const owner = viewer.kind === 'service' ? userId : requireUser(viewer).userId;
    if (!owner) throw invalid('userId', 'expected the id of the user whose profile is to be changed');
    return this.changeUser(owner, (user) => {
      checkVersion('profile', expectedVersion ?? version, user.version);
      user.body = body ? changedBody(user.body ?? null, body) : user.body;
      user.trainingGoals = trainingGoals ? goalsOf(trainingGoals) : user.trainingGoals;
      user.displayName = displayName ?? user.displayName;
      user.bio = bio === undefined || bio === null ? user.bio : bio || null;
      user.locale = locale ?? user.locale;
      user.timezone = timezone ?? user.timezone;
      user.units = units ?? user.units;
    });
  }

  /** Replaces the viewer's lasting code; the previous one is no longer valid. */
  async rotateQrCode(): Promise<UserShape> {
    return this.changeOwn((user) => {
      user.qrCode = newQrCode();
    });
  }

  /** The viewer's lasting code. */
  async qrCode(): Promise<string> {
    const { userId } = requireUser(this.unit.viewer);
    const user = await this.unit.em.findOne(User, { id: userId });
    if (!user) throw accountDeleted();
    return user.qrCode;
  }

  /** Locks the viewer's account, changes it by `apply`, and returns it. */
  async changeOwn(apply: (user: User) => void): Promise<UserShape> {
    return this.changeUser(requireUser(this.unit.viewer).userId, apply);
  }

  private async changeUser(userId: string, apply: (user: User) => void): Promise<UserShape> {
    const { viewer } = this.unit;
    return this.unit.transaction(async () => {
      const user = await this.unit.em.findOne(
        User,
        { id: userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (!user) throw viewer.kind === 'service' ? notFound('user', userId) : accountDeleted();
      const before = memberOf(this.unit, user);
      apply(user);
      user.version += 1;
      user.updatedAt = new Date();
      await recordMemberChange(this.unit, before, memberOf(this.unit, user));
      return presentUser(this.unit, user, viewer);
    });
  }
}

const NO_BODY: Body = { heightCm: null, weightKg: null, sex: null, birthDate: null };

/** The body after a change; null if it has no values. */
function changedBody(
  body: Body | null,
  change: Partial<{ [Key in keyof Body]: Body[Key] | undefined }>,
): Body | null {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const changed: Body = { ...NO_BODY, ...body, ...Object.fromEntries(given) };
  return Object.values(changed).every((value) => value === null) ? null : changed;
}

const goalsOf = ({
  goals,
  activity,
}: {
  goals: string[];
  activity?: string | null | undefined;
}): TrainingGoals | null => (goals.length === 0 && !activity ? null : { goals, activity: activity ?? null });

const accountDeleted = () => unauthenticated('Your account has been deleted.');
