import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import type { ClientViewer } from '#server/auth/viewer.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { User } from './user.entity.ts';
import { UserShape } from './users.shapes.ts';
import { presentUser } from './present-user.ts';

/** A user as `GET /users/:id` returns them to a machine client. */
export const MemberShape = UserShape.omit({
  qrCode: true,
  body: true,
  trainingGoals: true,
  emailVerified: true,
  suspension: true,
}).meta({
  id: 'Member',
  description:
    'A user, without their QR code, body and training goals, and without the reason of their membership. `avatar` is the path at the gateway.',
});
export type MemberShape = z.infer<typeof MemberShape>;

const MemberIdShape = z.object({ id: uuid() });

/** The shapes of the data of the events that this service writes. After an account is erased, only the id is left. */
export const memberEvents = {
  'member.joined': z.union([MemberShape, MemberIdShape]),
  'member.updated': z.union([MemberShape, MemberIdShape]),
  'member.removed': MemberIdShape,
} as const;

/**
 * The fields of a user that their gym may read, for `recordMemberChange`, which compares them before and after a change. The
 * status of the membership is the stored one, also if its `until` has passed: a job then stores the next status, and writes the
 * event.
 */
export const memberOf = (unit: UnitOfWork, user: User): MemberShape => {
  const member = presentUser(unit, user, clientOf(user.membershipGymId ?? null), 0);
  return { ...member, avatar: user.avatar ? `/identity${user.avatar}` : null };
};

/**
 * Writes the events of a change of a locked user: `member.joined` for a membership that has begun, also as PENDING,
 * `member.removed` for one that has ended, and `member.updated` if other fields that the gym may read have changed.
 * @param before the user before the change; null for a new account
 * @param after null for a deleted account
 */
export async function recordMemberChange(
  unit: UnitOfWork,
  before: MemberShape | null,
  after: MemberShape | null,
): Promise<void> {
  const [left, joined] = [gymOfMember(before), gymOfMember(after)];
  const events: NewEvent[] = [];
  if (before && left !== null && left !== joined)
    events.push(eventOf('member.removed', left, { id: before.id }));
  if (after && joined !== null && left !== joined) events.push(eventOf('member.joined', joined, after));
  if (before && after && joined !== null && left === joined && isChanged(before, after))
    events.push(eventOf('member.updated', joined, after));
  await recordEvents(unit, events);
}

/** Writes the events of new accounts, all of which have a membership. */
export const recordNewMembers = (unit: UnitOfWork, users: readonly User[]): Promise<void> =>
  recordEvents(
    unit,
    users
      .map((user) => memberOf(unit, user))
      .map((member) => eventOf('member.joined', gymOfMember(member) ?? '', member)),
  );

/** The gym of the user's membership; null if they have none or it has ended. */
const gymOfMember = (member: MemberShape | null): string | null =>
  member?.membership && member.membership.status !== 'ENDED' ? member.membership.gymId : null;

const eventOf = (type: NewEvent['type'], gymId: string, data: { id: string }): NewEvent => ({
  type,
  gymId,
  subject: `member/${data.id}`,
  data,
});

/** `version` and `updatedAt` are not compared, because they also change with fields that the gym may not read. */
const isChanged = (before: MemberShape, after: MemberShape): boolean =>
  JSON.stringify({ ...before, version: 0, updatedAt: '' }) !==
  JSON.stringify({ ...after, version: 0, updatedAt: '' });

/** The viewer for whom `memberOf` presents a user: a machine client that may read the members of the gym. */
const clientOf = (gymId: string | null): ClientViewer => ({
  kind: 'client',
  clientId: '',
  gymId: gymId ?? '',
  scopes: new Set(['members:read'] as const),
  locationId: null,
  sessionId: '',
  expiresAt: 0,
});
