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

/** The data of the events that this service writes. */
export const memberEvents = {
  'member.joined': z.union([MemberShape, MemberIdShape]),
  'member.updated': z.union([MemberShape, MemberIdShape]),
  'member.removed': MemberIdShape,
} as const;

/**
 * What a gym knows of a user; `recordMemberChange` compares it before and after a change. It has the stored status of the
 * membership: the events of a status that changes by the clock are written when the new status is stored.
 */
export const memberOf = (unit: UnitOfWork, user: User): MemberShape => {
  const member = presentUser(unit, user, clientOf(user.membershipGymId ?? null), 0);
  return { ...member, avatar: user.avatar ? `/identity${user.avatar}` : null };
};

/**
 * Writes the events of a change of a user, who is locked: a membership has begun or ended, or what the gym knows of the user
 * has changed. A PENDING membership has begun, too.
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

/** Writes the events of new accounts, of which all have a gym. */
export const recordNewMembers = (unit: UnitOfWork, users: readonly User[]): Promise<void> =>
  recordEvents(
    unit,
    users
      .map((user) => memberOf(unit, user))
      .map((member) => eventOf('member.joined', gymOfMember(member) ?? '', member)),
  );

/** The gym that counts the user among its people; null once the membership has ended. */
const gymOfMember = (member: MemberShape | null): string | null =>
  member?.membership && member.membership.status !== 'ENDED' ? member.membership.gymId : null;

const eventOf = (type: NewEvent['type'], gymId: string, data: { id: string }): NewEvent => ({
  type,
  gymId,
  subject: `member/${data.id}`,
  data,
});

/** The version and the time are not compared: they also change with values that the gym does not know. */
const isChanged = (before: MemberShape, after: MemberShape): boolean =>
  JSON.stringify({ ...before, version: 0, updatedAt: '' }) !==
  JSON.stringify({ ...after, version: 0, updatedAt: '' });

/** A machine client of the gym that may read its members. */
const clientOf = (gymId: string | null): ClientViewer => ({
  kind: 'client',
  clientId: '',
  gymId: gymId ?? '',
  scopes: new Set(['members:read'] as const),
  locationId: null,
  sessionId: '',
  expiresAt: 0,
});
