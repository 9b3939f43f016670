import { PlatformError } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { requireTrainingOwner } from '../access.ts';
import type { HomeReads } from '../home-reads.ts';
import { ownedConditions } from '../listing.ts';
import { withPublicImage } from '../media/media.ts';
import { WORKOUT_COLUMNS } from './workouts.ts';
import type { WorkoutRoutineShape } from './workouts.shapes.ts';

/** The maximum number of a gym's routines, the newest ones, from which the next one is chosen. */
const MAX_OF_GYM = 100;

/** Which routine a user should train next. */
export class NextWorkouts {
  private readonly unit: UnitOfWork;
  private readonly homeReads: HomeReads;

  constructor(unit: UnitOfWork, homeReads: HomeReads) {
    this.unit = unit;
    this.homeReads = homeReads;
  }

  /**
   * Chooses among the user's own routines and their favourites the one that they have not trained for the longest time. Those
   * that they have never trained come first; of several, the first by title. If the user has none, a routine of their gym is
   * chosen in the same way; null if the gym has none either. @throws NOT_FOUND for another user
   */
  async find(userId: string): Promise<WorkoutRoutineShape | null> {
    const owner = requireTrainingOwner(this.unit.viewer, userId);
    const visible = ownedConditions(this.unit, {});
    const visibleSql = visible.sql.join(' and ');
    const gymId = this.unit.viewer.kind === 'user' ? this.unit.viewer.gymId : null;
    const longestAgo = (candidates: string): string =>
      `(select candidate.id from (${candidates}) as candidate
        order by (select max(started_at) from training where user_id = ? and routine_id = candidate.id) nulls first, lower(candidate.title), candidate.id limit 1)`;
    const own = `select id, title from workout_routine where ${visibleSql}
      and (owner_id = ? or id = any(array(select routine_id from workout_favourite where user_id = ?)))`;
    const ofGym = `select id, title from workout_routine where ${visibleSql} and gym_id = ?
      order by created_at desc limit ${MAX_OF_GYM}`;
    const found = await this.homeReads.read<WorkoutRoutineShape | null>({
      kind: 'next workout',
      sql: `(select to_json(found) from (
        select ${WORKOUT_COLUMNS} from workout_routine where id = coalesce(${longestAgo(own)}, ${longestAgo(ofGym)})
      ) as found)`,
      values: [...visible.params, owner, owner, owner, ...visible.params, gymId, owner],
    });
    return found && withPublicImage(this.unit, found);
  }

  /** The same as `find`, but an error instead of null. @throws NOT_FOUND */
  async get(): Promise<WorkoutRoutineShape> {
    const found = await this.find('me');
    if (!found)
      throw new PlatformError(
        'NOT_FOUND',
        'There is no next workout: add a routine of your own, or mark one as a favourite.',
      );
    return found;
  }
}
