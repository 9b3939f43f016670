import { forgetInGym, forgetInUser } from '../accounts/forgotten.ts';
import { gyms } from '../gyms/gym.journal.ts';
import type { StoredWorkout } from '../history/history.shapes.ts';
import { updateCopies } from '../invites/invite-records.ts';
import type { Journals } from '../storage/journal.ts';
import { moveNames } from '../users/names.journal.ts';
import { hasRow, users } from '../users/user.journal.ts';
import { lastChangeOf } from './squad-changes.ts';
import { hasLapsed } from './squad-jobs.ts';
import { isPresent, participantOf } from './squad-rights.ts';
import { squads, trainedMinutes, type NoSquad, type SquadState } from './squad.journal.ts';
import { trainingOf } from './training.ts';

/**
 * Copies the results of a change to other journals: history rows of participants who have left, and answers to invites;
 * at the end of the squad the rows of all participants, and the gym's activity. Copies are identified by squad and
 * revision, so that a repetition after a crash changes nothing.
 * @param since ISO 8601: when the change began. Results from before this time have been copied already.
 */
export async function recordSquad(journals: Journals, squad: SquadState, since: string): Promise<void> {
  if (squad.status === 'ENDED') return squad.isRecorded ? undefined : recordEnd(journals, squad);
  for (const [userId, { endedAt }] of Object.entries(squad.rows))
    if (endedAt >= since) await recordLeaving(journals, squad, userId);
  for (const invite of squad.invites)
    if (invite.respondedAt && invite.respondedAt >= since) await updateCopies(journals, invite);
}

/** Copies the row of a participant who has left into their history. */
export async function recordLeaving(journals: Journals, squad: SquadState, userId: string): Promise<void> {
  const participant = participantOf(squad, userId);
  const workout = squad.rows[userId];
  if (workout && participant && !isPresent(participant)) await copyRow(journals, userId, workout);
}

/** Copies a row into the user's history. */
export async function copyRow(journals: Journals, userId: string, workout: StoredWorkout): Promise<void> {
  const after = await journals
    .of(users)
    .change(userId, (user) => (hasRow(user, workout) ? [] : [{ type: 'trained', workout }]));
  await moveNames(journals, after);
}

async function recordEnd(journals: Journals, squad: SquadState): Promise<void> {
  const { id: squadId, gymId, participants } = squad;
  for (const { userId } of participants) {
    const workout = squad.rows[userId];
    const after = await journals
      .of(users)
      .change(userId, (user) => [
        ...(workout && !hasRow(user, workout) ? [{ type: 'trained', workout } as const] : []),
        ...(user.squads.includes(squadId) ? [{ type: 'forgotten', squadId } as const] : []),
      ]);
    await moveNames(journals, after);
  }
  await recordActivity(journals, squad);
  for (const invite of squad.invites) await updateCopies(journals, invite);
  const recorded = await journals
    .of(squads)
    .change(squadId, (current) =>
      current.status === 'NONE' || current.isRecorded ? [] : [{ type: 'recorded' }],
    );
  const remaining = recorded.status === 'NONE' ? [] : recorded.participants.map(({ userId }) => userId);
  for (const { userId: goneId } of participants)
    if (!remaining.includes(goneId)) await forgetErased(journals, goneId, gymId, remaining);
}

async function recordActivity(journals: Journals, squad: SquadState): Promise<void> {
  const { id: squadId, gymId, startedAt, endedAt, participants } = squad;
  if (!startedAt || !endedAt) return;
  const trained = participants.filter(({ userId }) => trainingOf(squad, userId).startedAt);
  const people = trained.length === 1 ? 'Trained alone' : `${trained.length} trained together`;
  const text = `${people} for ${trainedMinutes(squad)} min, ${trained.reduce((sum, { setsDone }) => sum + setsDone, 0)} sets.`;
  await journals.of(gyms).change(gymId, () => [
    {
      type: 'activity',
      activity: {
        id: squadId,
        kind: 'SQUAD_FINISHED',
        at: endedAt,
        userIds: trained.map(({ userId }) => userId),
        text,
        squadId,
        groupId: null,
      },
    },
  ]);
}

/** Removes a participant whose account was erased while the end of the squad was being recorded. */
async function forgetErased(
  journals: Journals,
  goneId: string,
  gymId: string,
  others: readonly string[],
): Promise<void> {
  await forgetInGym(journals, gymId, goneId);
  for (const otherId of others) await forgetInUser(journals, otherId, goneId);
}

/**
 * Ends a squad in which nothing has changed for 12 h, with the time of its last change as its end. If the end was not
 * copied to other journals because of a crash, copies it. Returns the squad after this.
 */
export async function settle(journals: Journals, squadId: string): Promise<SquadState | NoSquad> {
  let squad = await journals.of(squads).read(squadId);
  if (squad.status === 'NONE') return squad;
  if (hasLapsed(squad)) {
    squad = await journals
      .of(squads)
      .change(squadId, (current) =>
        current.status !== 'NONE' && hasLapsed(current)
          ? [{ type: 'status', status: 'ENDED', userId: current.hostId, at: lastChangeOf(current) }]
          : [],
      );
  }
  if (squad.status !== 'ENDED' || squad.isRecorded) return squad;
  await recordEnd(journals, squad);
  return journals.of(squads).read(squadId);
}
