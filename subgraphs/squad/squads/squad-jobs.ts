import { z } from 'zod';
import type { JournalJob } from '../storage/journal.ts';
import { isPresent } from './squad-rights.ts';
import { lastChangeOf } from './squad-changes.ts';
import type { NoSquad, SquadState } from './squad.journal.ts';
import { trainingToWrite } from './training-to-write.ts';

/** A squad ends if nothing has changed in it for this time. */
const LAPSES_AFTER_MILLIS = 12 * 60 * 60 * 1000; // 12 h

/** The names, payloads and attempts of the jobs of squads; `jobs.ts` does their work. */
export const WRITE_TRAINING = {
  name: 'write_squad_training',
  payload: z.object({ squadId: z.string(), userId: z.string() }),
  // The first ten pauses between attempts are 10 h together, each later one is 6 h: a week in all.
  maxAttempts: 36,
};
export const END_LAPSED = {
  name: 'end_lapsed_squad',
  payload: z.object({ squadId: z.string() }),
  maxAttempts: 36,
};

/** Whether the squad is open, and nothing has changed in it for 12 h. */
export const hasLapsed = (squad: SquadState, now = Date.now()): boolean =>
  squad.status !== 'ENDED' && squad.participants.some(isPresent) && lapsesAt(squad).getTime() < now;

export const lapsesAt = (squad: SquadState): Date =>
  new Date(Date.parse(lastChangeOf(squad)) + LAPSES_AFTER_MILLIS);

/**
 * The jobs of a change: the trainings of users whose history row it has made, and for a new squad the end after 12 h
 * without a change, so that also the sets of a squad that nobody leaves become trainings.
 */
export function jobsOfSquad(before: SquadState | NoSquad, after: SquadState | NoSquad): JournalJob[] {
  if (after.status === 'NONE') return [];
  const squadId = after.id;
  const rowsBefore = before.status === 'NONE' ? {} : before.rows;
  const trainings = Object.keys(after.rows)
    .filter((userId) => rowsBefore[userId]?.revision !== after.rows[userId]?.revision)
    .filter((userId) => trainingToWrite(after, userId))
    .map((userId) => ({ ...added(WRITE_TRAINING), payload: { squadId, userId } }));
  if (before.status !== 'NONE' || after.status === 'ENDED') return trainings;
  return [...trainings, { ...added(END_LAPSED), payload: { squadId }, runAt: lapsesAt(after) }];
}

const added = ({ name, maxAttempts }: { name: string; maxAttempts: number }) => ({ name, maxAttempts });
