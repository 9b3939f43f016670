import { Outcome, type ErasureResult } from '#server/accounts/account-part.ts';
import type { Hub } from '../hub.ts';
import { gyms } from '../gyms/gym.journal.ts';
import { closeInvites } from '../invites/invite-records.ts';
import { settle } from '../squads/finish.ts';
import { squads } from '../squads/squad.journal.ts';
import type { Journals } from '../storage/journal.ts';
import { forgetNames, namesOf } from '../users/names.journal.ts';
import { erasedUser, users, type UserRecord } from '../users/user.journal.ts';
import { forgetInGym, forgetInSquad, forgetInUser } from './forgotten.ts';

/**
 * Erases a user from all journals. After the user's open invites are closed, a `leaving` record is added to their own
 * journal, which accepts no other records from then on. A rule that has written the user's id into another journal reads
 * the user's journal afterwards (`forgetIfErased`), so either the rule or this function erases the id. Until the last step,
 * the user's journal lists the other journals that name them, so that a repetition after a crash rewrites the remaining ones.
 */
export async function eraseUser(hub: Hub, userId: string): Promise<ErasureResult> {
  const { journals } = hub;
  const before = await journals.of(users).read(userId);
  if (before.farewell?.isDone) return before.farewell.verdict;
  const verdict = before.farewell?.verdict ?? (await resultOf(journals, before));
  hub.withdraw(userId);
  await closeInvites(journals, userId, 'REVOKED', () => true);
  await closeInvites(journals, userId, 'DECLINED', () => true);
  const user = await journals
    .of(users)
    .change(userId, ({ farewell }) => (farewell ? [] : [{ type: 'leaving', verdict }]));
  const named = await namesOf(journals, user);
  for (const squadId of named.squads) {
    await forgetInSquad(journals, squadId, userId);
    await settle(journals, squadId); // the squad may have ended when the user left
  }
  for (const gymId of named.gyms) await forgetInGym(journals, gymId, userId);
  for (const otherId of named.users) await forgetInUser(journals, otherId, userId);
  await forgetNames(journals, user);
  await journals.of(users).rewrite(userId, (current) => erasedUser(current, verdict));
  return verdict;
}

async function resultOf(journals: Journals, user: UserRecord): Promise<ErasureResult> {
  if (!(await sharesWithOthers(journals, user))) return { outcome: Outcome.DELETED, reason: null };
  return {
    outcome: Outcome.ANONYMISED,
    reason:
      'Squads, workouts and clubs of other users stay. No message, set or id of this user is left in them.',
  };
}

/** Whether other users share a squad, a workout or a club with the user. */
async function sharesWithOthers(journals: Journals, user: UserRecord): Promise<boolean> {
  if (user.history.some(({ participantIds }) => participantIds.length > 1)) return true;
  const named = await namesOf(journals, user);
  for (const squadId of named.squads) {
    const squad = await journals.of(squads).read(squadId);
    const hasOthers = squad.status !== 'NONE' && squad.participants.some((one) => one.userId !== user.userId);
    if (hasOthers) return true;
  }
  for (const gymId of named.gyms) {
    const { groups } = await journals.of(gyms).read(gymId);
    if (
      Object.values(groups).some(
        ({ createdBy, memberIds }) =>
          (createdBy === user.userId || memberIds.includes(user.userId)) &&
          memberIds.some((memberId) => memberId !== user.userId),
      )
    )
      return true;
  }
  return false;
}
