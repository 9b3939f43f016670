import { GYM_TYPE, requireGymExists } from '#server/references/gym-reference.ts';
import { invalidReferences, type References } from '#server/references/references.ts';
import { removedAmong } from '#server/references/removed-references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ownerOfNew } from './access.ts';

/** The gyms to which routines, exercises and products belong. */
export class Owners {
  private readonly unit: UnitOfWork;
  private readonly references: References;

  constructor(unit: UnitOfWork, references: References) {
    this.unit = unit;
    this.references = references;
  }

  /**
   * Runs `create` with the gym that a new routine, exercise or product belongs to, in one transaction.
   * @param gymId what the input names; see `ownerOfNew`
   * @throws as `ownerOfNew`; VALIDATION_FAILED at `gymId` for a gym that does not exist
   */
  async withOwner<Result>(
    gymId: string | null | undefined,
    create: (owner: string | null) => Promise<Result>,
  ): Promise<Result> {
    const owner = ownerOfNew(this.unit.viewer, gymId);
    // A gym that the caller has not named is the one of their token.
    if (owner !== null && gymId) await requireGymExists(this.references, this.unit, owner);
    return this.unit.transaction(async () => {
      if (owner !== null && (await removedAmong(this.unit, GYM_TYPE, [owner])).size > 0)
        throw invalidReferences([{ path: 'gymId', message: 'expected a gym; this one was removed' }]);
      return create(owner);
    });
  }

  /** What a gym made goes with it. */
  async forget(gymId: string): Promise<void> {
    for (const table of ['exercise', 'workout_routine', 'product'])
      await this.unit.em.execute(
        `update ${table} set deleted_at = now() where gym_id = ? and deleted_at is null`,
        [gymId],
      );
  }
}
