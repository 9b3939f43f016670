import { requireUser } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ownedConditions } from '../listing.ts';
import type { Workouts } from './workouts.ts';
import type { WorkoutRoutineShape } from './workouts.shapes.ts';

const MAX_FAVOURITES = 1_000;

/** The routines that users have marked for themselves. */
export class WorkoutFavourites {
  private readonly unit: UnitOfWork;
  private readonly workouts: Workouts;
  private readonly byRoutine = loaderOf<{ id: string }>(
    (ids) =>
      this.unit.read(
        'select routine_id as id from workout_favourite where user_id = ? and routine_id = any(?::uuid[])',
        [requireUser(this.unit.viewer).userId, ids],
      ),
    ({ id }) => id,
  );

  constructor(unit: UnitOfWork, workouts: Workouts) {
    this.unit = unit;
    this.workouts = workouts;
  }

  /** Whether the routine is a favourite of the caller; batched. */
  async has(routineId: string): Promise<boolean> {
    return this.unit.viewer.kind === 'user' && (await this.byRoutine.load(routineId)) !== null;
  }

  /** Adds a routine to the caller's favourites, or removes it; see `add` and `remove`. */
  set(routineId: string, isFavourite: boolean): Promise<WorkoutRoutineShape | null> {
    return isFavourite ? this.add(routineId) : this.remove(routineId);
  }

  /**
   * Adds a routine that the caller may see to their favourites. Repeating it changes nothing. Favourites whose routine the caller
   * can no longer see do not count towards the maximum.
   * @throws NOT_FOUND; CONFLICT beyond 1,000
   */
  async add(routineId: string): Promise<WorkoutRoutineShape> {
    const { userId } = requireUser(this.unit.viewer);
    const visible = ownedConditions(this.unit, {});
    return this.unit.transaction(async () => {
      const routine = await this.workouts.get(routineId);
      const [{ count } = { count: 0 }] = await this.unit.read<{ count: number }>(
        `select count(*)::int as count from workout_favourite join workout_routine on workout_routine.id = routine_id
         where user_id = ? and routine_id <> ? and ${visible.sql.join(' and ')}`,
        [userId, routine.id, ...visible.params],
      );
      if (count >= MAX_FAVOURITES)
        throw conflict(`You have ${MAX_FAVOURITES} favourites, which is the maximum; remove one first.`);
      await this.unit.run(
        'insert into workout_favourite (user_id, routine_id, created_at) values (?, ?, now()) on conflict do nothing',
        [userId, routine.id],
      );
      this.byRoutine.clear(routine.id);
      return routine;
    });
  }

  /**
   * Removes a routine from the caller's favourites, also if it was deleted, or if the caller may no longer see it; then the result
   * is null. Repeating it changes nothing.
   * @throws NOT_FOUND if it is no favourite, and the caller may not see it
   */
  async remove(routineId: string): Promise<WorkoutRoutineShape | null> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const removed = isUuid(routineId)
        ? await this.unit.run<{ id: string }>(
            'delete from workout_favourite where user_id = ? and routine_id = ? returning routine_id as id',
            [userId, routineId],
          )
        : [];
      this.byRoutine.clear(routineId);
      return removed.length > 0 ? this.workouts.find(routineId) : this.workouts.get(routineId);
    });
  }
}
