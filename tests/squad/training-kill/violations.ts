import type { Untyped } from '../../support/platform.ts';
import type { Deeds, Played } from './round.ts';

/** The trainings and the history rows of one user, as the services show them. */
export interface Stored {
  trainings: readonly Untyped[];
  rows: readonly Untyped[];
}

/**
 * What is wrong with the trainings of the users, by the test's own count: every acknowledged set is in exactly one
 * training, with the last acknowledged value or one that was sent later; no training has a set that nobody tried to
 * do; and everybody has a history row, which names the training and has as many sets. A row may be missing only while
 * the end of the squad is not acknowledged, and every round repeats the request until it is.
 */
export function violations(rounds: readonly Played[], stored: ReadonlyMap<string, Stored>): string[] {
  const found: string[] = [];
  for (const { seed, squadId, deeds, isEndAcknowledged } of rounds) {
    if (!isEndAcknowledged) found.push(`seed ${seed}, squad ${squadId}: the end was not acknowledged`);
    for (const [userId, done] of deeds) {
      const { trainings, rows } = stored.get(userId) ?? { trainings: [], rows: [] };
      const say = (text: string) => found.push(`seed ${seed}, squad ${squadId}, user ${userId}: ${text}`);
      const written = trainings.filter((training) => training.squadId === squadId);
      const rowsOfSquad = rows.filter((one) => one.squadId === squadId);
      const [row] = rowsOfSquad;
      if (rowsOfSquad.length !== 1 && isEndAcknowledged) say(`${rowsOfSquad.length} history rows`);
      if (written.length > 1) say(`${written.length} trainings`);
      const sets = written.flatMap((training) =>
        training.entries.flatMap((entry: Untyped) => entry.sets),
      ) as { id: string; reps: number }[];
      for (const problem of setProblems(done, sets)) say(problem);
      if (row && row.trainingId !== (written[0]?.id ?? null))
        say(`the history has the training ${row.trainingId}, the log ${written[0]?.id}`);
      if (row && row.sets !== sets.length) say(`the history has ${row.sets} sets, the log ${sets.length}`);
    }
  }
  const known = new Set(rounds.map(({ squadId }) => squadId));
  for (const { trainings } of stored.values())
    for (const { squadId } of trainings)
      if (!known.has(squadId)) found.push(`a training of the unknown squad ${squadId}`);
  return found;
}

function setProblems(done: Deeds, sets: readonly { id: string; reps: number }[]): string[] {
  const problems: string[] = [];
  for (const [setIndex, tries] of done) {
    const lastAcknowledged = tries.findLastIndex(({ isAcknowledged }) => isAcknowledged);
    // Later tries may have been stored, too, although they were not acknowledged.
    const possible = tries.slice(Math.max(0, lastAcknowledged)).map(({ reps }) => reps);
    const present = sets.filter(({ id }) => id.startsWith(`0-${setIndex}-`));
    if (lastAcknowledged >= 0 && present.length !== 1)
      problems.push(`set ${setIndex} was acknowledged, and is there ${present.length} times`);
    if (present.length > 1) problems.push(`set ${setIndex} is there ${present.length} times`);
    for (const { reps } of present)
      if (!possible.includes(reps))
        problems.push(`set ${setIndex} has ${reps} repetitions, expected one of ${possible.join(', ')}`);
  }
  for (const { id } of sets)
    if (!done.has(Number(id.split('-')[1]))) problems.push(`nobody did the set ${id}`);
  return problems;
}

/** The number of sets that were acknowledged. */
export const acknowledgedSets = (rounds: readonly Played[]): number =>
  rounds.reduce(
    (sum, { deeds }) =>
      sum +
      [...deeds.values()].reduce(
        (some, done) =>
          some + [...done.values()].filter((tries) => tries.some((one) => one.isAcknowledged)).length,
        0,
      ),
    0,
  );
