import { requireUser } from '#server/auth/viewer.ts';
import { conflict } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
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

  /**
   * Adds a routine that the caller may see to their favourites, or removes it. Repeating it changes nothing.
   * @throws NOT_FOUND; CONFLICT beyond 1,000
   */
  async set(routineId: string, isFavourite: boolean): Promise<WorkoutRoutineShape> {
    const { userId } = requireUser(this.unit.viewer);
    return this.unit.transaction(async () => {
      const routine = await this.workouts.get(routineId);
      if (isFavourite) await this.add(userId, routine.id);
      else
        await this.unit.run('delete from workout_favourite where user_id = ? and routine_id = ?', [
          userId,
          routine.id,
        ]);
      this.byRoutine.clear(routine.id);
      return routine;
    });
  }

  private async add(userId: string, routineId: string): Promise<void> {
    const [{ count } = { count: 0 }] = await this.unit.read<{ count: number }>(
      'select count(*)::int as count from workout_favourite where user_id = ? and routine_id <> ?',
      [userId, routineId],
    );
    if (count >= MAX_FAVOURITES)
      throw conflict(`You have ${MAX_FAVOURITES} favourites, which is the maximum; remove one first.`);
    await this.unit.run(
      'insert into workout_favourite (user_id, routine_id, created_at) values (?, ?, now()) on conflict do nothing',
      [userId, routineId],
    );
  }
}
