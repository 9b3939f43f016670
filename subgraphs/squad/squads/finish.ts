import { forgetInGym, forgetInUser } from '../accounts/forgotten.ts';
import { gyms } from '../gyms/gym.journal.ts';
import type { Journals } from '../storage/journal.ts';
import { users } from '../users/user.journal.ts';
import { isPresent, squads, trainedMinutes, type SquadState } from './squad.journal.ts';

/** A squad that nobody has touched for so long has ended by itself. */
const LAPSES_AFTER_MILLIS = 12 * 60 * 60 * 1000; // 12 h

/**
 * Writes the end of a squad into the history of everybody who took part, and into the gym's feed. What is written is
 * known by the squad's id, so a repetition after a crash in between changes nothing.
 */
export async function recordEnd(journals: Journals, squad: SquadState): Promise<void> {
  if (squad.status !== 'ENDED' || squad.isRecorded) return;
  const { id: squadId, routineId, startedAt, endedAt, participants, gymId } = squad;
  const participantIds = participants.map(({ userId }) => userId);
  for (const { userId, setsDone } of participants) {
    await journals.of(users).change(userId, () =>
      startedAt && endedAt
        ? [
            {
              type: 'trained',
              workout: {
                squadId,
                routineId,
                startedAt,
                endedAt,
                minutes: trainedMinutes(squad),
                sets: setsDone,
                participantIds,
              },
            },
          ]
        : [{ type: 'forgotten', squadId }],
    );
  }
  if (startedAt && endedAt) {
    const people = participants.length === 1 ? 'Trained alone' : `${participants.length} trained together`;
    const text = `${people} for ${trainedMinutes(squad)} min, ${participants.reduce((sum, { setsDone }) => sum + setsDone, 0)} sets.`;
    await journals.of(gyms).change(gymId, () => [
      {
        type: 'activity',
        activity: {
          id: squadId,
          kind: 'SQUAD_FINISHED',
          at: endedAt,
          userIds: participantIds,
          text,
          squadId,
          groupId: null,
        },
      },
    ]);
  }
  const recorded = await journals
    .of(squads)
    .change(squadId, (now) => (now.status === 'NONE' || now.isRecorded ? [] : [{ type: 'recorded' }]));
  const remaining = recorded.status === 'NONE' ? [] : recorded.participants.map(({ userId }) => userId);
  for (const goneId of participantIds)
    if (!remaining.includes(goneId)) await forget(journals, goneId, gymId, remaining);
}

/** Somebody's account was erased while she was being written down. */
async function forget(
  journals: Journals,
  goneId: string,
  gymId: string,
  others: readonly string[],
): Promise<void> {
  await forgetInGym(journals, gymId, goneId);
  for (const otherId of others) await forgetInUser(journals, otherId, goneId);
}

/** Ends a squad that was left alone, at the moment of its last change; and writes an end that was not written yet. */
export async function settle(journals: Journals, squadId: string): Promise<void> {
  let squad = await journals.of(squads).read(squadId);
  if (squad.status === 'NONE') return;
  if (hasLapsed(squad)) {
    squad = await journals
      .of(squads)
      .change(squadId, (now) =>
        now.status !== 'NONE' && hasLapsed(now)
          ? [{ type: 'status', status: 'ENDED', userId: now.hostId, at: lastChangeOf(now) }]
          : [],
      );
  }
  if (squad.status !== 'NONE') await recordEnd(journals, squad);
}

export const hasLapsed = (squad: SquadState, now = Date.now()): boolean =>
  squad.status !== 'ENDED' &&
  squad.participants.some(isPresent) &&
  Date.parse(lastChangeOf(squad)) < now - LAPSES_AFTER_MILLIS;

const lastChangeOf = (squad: SquadState): string => squad.events.at(-1)?.at ?? squad.createdAt;
