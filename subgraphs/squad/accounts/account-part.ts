import { recordsOfList, type AccountPart, type RecordSource } from '#server/accounts/account-part.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { chats, messagesOf } from '../chat/chat.journal.ts';
import { reports } from '../chat/report.journal.ts';
import { gyms } from '../gyms/gym.journal.ts';
import type { Hub } from '../hub.ts';
import { presentInvite } from '../invites/invites.shapes.ts';
import { squads } from '../squads/squad.journal.ts';
import { DatabaseJournals } from '../storage/journal.database.ts';
import { trainingOf } from '../squads/training.ts';
import { namesOf } from '../users/names.journal.ts';
import { users } from '../users/user.journal.ts';
import { eraseUser } from './erase-user.ts';

/** The personal data of a user in this service. Of other users it contains only their ids. */
export function squadAccountPart(unit: UnitOfWork, hub: Hub): AccountPart {
  const { journals } = hub;
  const userOf = (userId: string) => journals.of(users).read(userId);
  const namedIn = async (userId: string) => namesOf(journals, await userOf(userId));
  const gymsOf = async (userId: string) =>
    Promise.all((await namedIn(userId)).gyms.map((gymId) => journals.of(gyms).read(gymId)));
  return {
    records: {
      presence: recordsOfList(async (userId) => {
        const { chosenStatus } = await userOf(userId);
        await hub.openGymOf(userId);
        return [hub.onlineEntry(userId) ?? [], chosenStatus ?? []].flat();
      }),
      squads: recordsOfList((userId) => partsOf(hub, userId)),
      messages: messagesBy(hub),
      messageReports: recordsOfList(async (userId) =>
        (
          await Promise.all((await namedIn(userId)).gyms.map((gymId) => journals.of(reports).read(gymId)))
        ).flatMap((record) =>
          record.reports
            .filter(({ reporterId }) => reporterId === userId)
            .map(({ squadId, messageId, reason, createdAt }) => ({ squadId, messageId, reason, createdAt })),
        ),
      ),
      history: recordsOfList(async (userId) => (await userOf(userId)).history),
      invitesReceived: recordsOfList(async (userId) =>
        (await userOf(userId)).received.map((invite) => presentInvite(invite)),
      ),
      invitesSent: recordsOfList(async (userId) =>
        (await userOf(userId)).sent.map((invite) => presentInvite(invite)),
      ),
      blocks: recordsOfList(async (userId) =>
        (await userOf(userId)).blocked.map((blockedId) => ({ userId: blockedId })),
      ),
      groups: recordsOfList(async (userId) =>
        (await gymsOf(userId)).flatMap(({ groups }) =>
          Object.values(groups)
            .filter(({ createdBy, memberIds }) => createdBy === userId || memberIds.includes(userId))
            .map(({ id, gymId, name, createdBy, createdAt }) => ({
              id,
              gymId,
              name,
              createdAt,
              isFounder: createdBy === userId,
            })),
        ),
      ),
      activities: recordsOfList(async (userId) =>
        (await gymsOf(userId)).flatMap(({ activities }) =>
          activities
            .filter(({ userIds }) => userIds.includes(userId))
            .map(({ id, kind, at, text, squadId, groupId }) => ({ id, kind, at, text, squadId, groupId })),
        ),
      ),
    },
    async erase(userId) {
      const verdict = await eraseUser(hub, userId);
      // The stored answers to the user's keyed requests contain their data. In files, a stored answer contains no user id, and
      // cannot be read without the key, so nothing is deleted there.
      if (hub.journals instanceof DatabaseJournals)
        await unit.em.execute('delete from idempotency_record where caller = ?', [`user:${userId}`]);
      return verdict;
    },
  };
}

/** The user's own part in the squads that are still stored. */
async function partsOf({ journals }: Hub, userId: string): Promise<object[]> {
  const parts: object[] = [];
  const named = await namesOf(journals, await journals.of(users).read(userId));
  for (const squadId of named.squads) {
    const squad = await journals.of(squads).read(squadId);
    const part =
      squad.status === 'NONE' ? undefined : squad.participants.find((one) => one.userId === userId);
    if (squad.status === 'NONE' || !part) continue;
    const { gymId, routineId, routineVersion, status, hostId } = squad;
    const { sets } = trainingOf(squad, userId);
    parts.push({
      squadId,
      gymId,
      routineId,
      routineVersion,
      status,
      isHost: hostId === userId,
      ...part,
      sets,
    });
  }
  return parts;
}

/** The user's messages, squad by squad in the order in which they entered them. A key is the squad's index and the message's number. */
const messagesBy =
  ({ journals }: Hub): RecordSource =>
  async (userId, after, limit) => {
    const { squads: squadIds } = await namesOf(journals, await journals.of(users).read(userId));
    const [begunAt, begunSeq] = after ? [Number(after[0]), Number(after[1])] : [0, 0];
    const found: { key: [number, number]; record: object }[] = [];
    for (const [index, squadId] of squadIds.entries()) {
      if (index < begunAt) continue;
      for (const message of messagesOf(await journals.of(chats).read(squadId))) {
        if (message.userId !== userId || (index === begunAt && message.seq <= begunSeq)) continue;
        found.push({ key: [index, message.seq], record: message });
        if (found.length === limit) return found;
      }
    }
    return found;
  };
