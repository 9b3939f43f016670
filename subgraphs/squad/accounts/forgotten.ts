import { chats, messagesOf, type ChatState } from '../chat/chat.journal.ts';
import type { MessageReportShape } from '../chat/messages.shapes.ts';
import { keptAt, reports } from '../chat/report.journal.ts';
import { gyms, withoutEmptyGroups, type GymRecord } from '../gyms/gym.journal.ts';
import { squads, type NoSquad, type SquadState } from '../squads/squad.journal.ts';
import type { Journals } from '../storage/journal.ts';
import { forgetName } from '../users/names.journal.ts';
import { users, type UserRecord } from '../users/user.journal.ts';

/** Removes a user from a squad and its chat, with all records about them. A squad without other users is removed. */
export async function forgetInSquad(journals: Journals, squadId: string, userId: string): Promise<void> {
  const at = new Date().toISOString();
  // They leave first, so that the others get an event, and another participant becomes host.
  await journals
    .of(squads)
    .change(squadId, (current) =>
      current.status !== 'NONE' &&
      current.status !== 'ENDED' &&
      current.participants.some((one) => one.userId === userId && one.leftAt === null)
        ? [{ type: 'left', userId, banned: false, at }]
        : [],
    );
  await journals.of(squads).rewrite(squadId, (current) => squadWithout(current, userId));
  // Also if there is no squad: its journal may be older than its chat, or an earlier attempt has removed it.
  await journals.of(chats).rewrite(squadId, (current) => chatWithout(current, userId));
}

/**
 * Removes a user from the clubs, activities and reports of a gym. Clubs without other users are removed, and so are
 * activities, unless their club stays.
 */
export async function forgetInGym(journals: Journals, gymId: string, userId: string): Promise<void> {
  await journals.of(gyms).rewrite(gymId, (gym) => gymWithout(gym, userId));
  const isAbout = ({ reporterId, authorId }: MessageReportShape) =>
    reporterId === userId || authorId === userId;
  // Also if no report is about them: there may be a record of an older one, which the state does not have any more. The
  // rewriting makes the journal count as new, so it also removes the reports whose time is over.
  await journals.of(reports).rewrite(gymId, (record) =>
    record.reports.length === 0
      ? record
      : {
          reports: keptAt(new Date().toISOString(), record.reports).filter((report) => !isAbout(report)),
        },
  );
}

/** Removes a user from the journal of another user: blocks, invites, workouts that they did together. */
export async function forgetInUser(journals: Journals, otherId: string, userId: string): Promise<void> {
  const other = await journals.of(users).read(otherId);
  const isInPage = await forgetName(journals, other, userId);
  if (isInPage || other.namedIn.users.includes(userId))
    await journals.of(users).rewrite(otherId, (user) => userWithout(user, userId));
}

function squadWithout(squad: SquadState | NoSquad, userId: string): SquadState | NoSquad {
  if (squad.status === 'NONE') return squad;
  const participants = squad.participants.filter((one) => one.userId !== userId);
  const [first] = participants;
  if (!first) return { status: 'NONE' };
  const hostId = squad.hostId === userId ? first.userId : squad.hostId;
  const { [userId]: _training, ...trainings } = squad.trainings;
  const { [userId]: _row, ...rows } = squad.rows;
  return {
    ...squad,
    hostId,
    participants,
    invites: squad.invites
      .filter(({ toUserId, fromUserId, status }) =>
        toUserId === userId ? false : fromUserId !== userId || status === 'ACCEPTED',
      )
      .map((invite) =>
        invite.fromUserId === userId ? { ...invite, fromUserId: hostId, message: null } : invite,
      ),
    events: squad.events
      .filter((event) => event.userId !== userId)
      .map((event) => ({ ...event, hostId: event.hostId === userId ? hostId : event.hostId })),
    eventIds: squad.eventIds.filter(([key]) => !key.startsWith(`${userId} `)),
    trainings,
    rows: Object.fromEntries(
      Object.entries(rows).map(([id, row]) => [
        id,
        { ...row, participantIds: row.participantIds.filter((participantId) => participantId !== userId) },
      ]),
    ),
  };
}

/** The chat itself if it has no message of the user. */
function chatWithout(chat: ChatState, userId: string): ChatState {
  const messages = messagesOf(chat);
  const shared = messages.filter((message) => message.userId !== userId);
  if (shared.length === messages.length) return chat;
  return {
    shared,
    length: shared.length,
    seq: chat.seq,
    deletedSeqs: shared.filter(({ deleted }) => deleted).map(({ seq }) => seq),
  };
}

function gymWithout(gym: GymRecord, userId: string): GymRecord {
  const groups = Object.fromEntries(
    Object.values(gym.groups).map((group) => [
      group.id,
      {
        ...group,
        createdBy: group.createdBy === userId ? null : group.createdBy,
        memberIds: group.memberIds.filter((memberId) => memberId !== userId),
      },
    ]),
  );
  const kept = withoutEmptyGroups({ ...gym, groups });
  return {
    ...kept,
    activities: kept.activities
      .map((activity) => ({ ...activity, userIds: activity.userIds.filter((id) => id !== userId) }))
      .filter(({ userIds, groupId }) => userIds.length > 0 || groupId !== null),
  };
}

const userWithout = (user: UserRecord, userId: string): UserRecord => ({
  ...user,
  blockedByAsOf: Object.fromEntries(Object.entries(user.blockedByAsOf).filter(([id]) => id !== userId)),
  blocked: user.blocked.filter((id) => id !== userId),
  blockedBy: user.blockedBy.filter((id) => id !== userId),
  received: user.received.filter(({ fromUserId }) => fromUserId !== userId),
  sent: user.sent.filter(({ toUserId }) => toUserId !== userId),
  history: user.history.map((workout) => ({
    ...workout,
    participantIds: workout.participantIds.filter((id) => id !== userId),
  })),
  namedIn: { ...user.namedIn, users: user.namedIn.users.filter((id) => id !== userId) },
});
