import type { AccountPart, ErasureResult, RecordSource } from '#server/accounts/account-part.ts';
import { entityRecords } from '#server/accounts/entity-records.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Exercise } from '../exercises/exercise.entity.ts';
import { trainingKeyOf, trainingPage } from '../trainings/training-pages.ts';
import { WorkoutFavourite } from '../workouts/workout-favourite.entity.ts';
import { WorkoutRoutine } from '../workouts/workout-routine.entity.ts';

/** What the content service stores about a user. The export omits the figures of trainings, because they follow from the sets. */
export const contentAccountPart = (unit: UnitOfWork): AccountPart => ({
  records: {
    trainings: trainingsOf(unit),
    exercises: entityRecords(unit, Exercise, 'id', (ownerId) => ({ ownerId })),
    routines: entityRecords(unit, WorkoutRoutine, 'id', (ownerId) => ({ ownerId })),
    favourites: entityRecords(unit, WorkoutFavourite, 'routineId', (userId) => ({ userId })),
  },
  erase: (userId) => eraseOnce(unit, userId, () => erased(unit, userId)),
});

const trainingsOf =
  (unit: UnitOfWork): RecordSource =>
  async (userId, after, limit) => {
    const rows = await trainingPage(unit, userId, { after, limit });
    return rows.map((record) => ({ key: trainingKeyOf(record), record }));
  };

/**
 * Deletes what only the user has used. Routines that they have added for their gym stay without their owner. So do custom
 * exercises that these routines, or trainings of others, contain; they stay private, so that only their readers see them.
 */
async function erased({ em }: UnitOfWork, userId: string): Promise<ErasureResult> {
  await em.execute('delete from workout_favourite where user_id = ?', [userId]);
  await em.execute('delete from training where user_id = ?', [userId]);
  // The internal events that name the user. The outbox comes first, as in `eraseFromEvents`.
  for (const table of ['event_outbox', 'event'])
    await em.execute(`delete from ${table} where people @> array[?::uuid]`, [userId]);
  await em.execute('delete from workout_routine where owner_id = ? and is_private', [userId]);
  const exercises = await em.execute<unknown[]>(
    `with kept as (
       update exercise set owner_id = null, aliases = '[]', description = null, instructions = '[]', deleted_at = coalesce(deleted_at, now())
       where owner_id = ? and (${IN_TRAINING} or ${IN_ROUTINE}) returning 1
     ) select 1 from kept`,
    [userId],
  );
  await em.execute('delete from exercise where owner_id = ?', [userId]);
  // Earlier releases stored the owner in each version.
  await em.execute(
    `update workout_routine_version set content = content - 'ownerId'
     where content->>'ownerId' is not null and routine_id in (select id from workout_routine where owner_id = ?)`,
    [userId],
  );
  const routines = await em.execute<unknown[]>(
    'update workout_routine set owner_id = null where owner_id = ? returning 1',
    [userId],
  );
  return exercises.length + routines.length > 0
    ? {
        outcome: 'ANONYMISED',
        reason:
          'Routines that the user has added for their gym, and exercises that these routines or trainings of others contain, are kept without their owner.',
      }
    : { outcome: 'DELETED', reason: null };
}

const IN_TRAINING =
  'exists (select 1 from training_exercise where training_exercise.exercise_id = exercise.id)';
const IN_ROUTINE = `exists (select 1 from workout_routine where workout_routine.exercises @> jsonb_build_array(jsonb_build_object('entries', jsonb_build_array(jsonb_build_object('exerciseId', exercise.id::text)))))`;
