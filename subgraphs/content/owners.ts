import { GYM_TYPE, requireGymExists } from '#server/references/gym-reference.ts';
import type { References } from '#server/references/references.ts';
import { removedAmong } from '#server/references/removed-references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields } from '#server/validate.ts';
import { ownerOfNew } from './access.ts';

/** The gyms that exercises, routines and products belong to. */
export class Owners {
  private readonly unit: UnitOfWork;
  private readonly references: References;

  constructor(unit: UnitOfWork, references: References) {
    this.unit = unit;
    this.references = references;
  }

  /**
   * Runs `create` with the gym that new content belongs to, in one transaction.
   * @param gymId the gym that the input names; see `ownerOfNew`
   * @throws the errors of `ownerOfNew`; VALIDATION_FAILED at `gymId` for a gym that does not exist
   */
  async withOwner<Result>(
    gymId: string | null | undefined,
    create: (owner: string | null) => Promise<Result>,
  ): Promise<Result> {
    const owner = ownerOfNew(this.unit.viewer, gymId);
    // If the caller has not named a gym, the owner is the gym of their token, which exists.
    if (owner !== null && gymId) await requireGymExists(this.references, this.unit, owner);
    return this.unit.transaction(async () => {
      if (owner !== null && (await removedAmong(this.unit, GYM_TYPE, [owner])).size > 0)
        throw invalidFields([{ path: 'gymId', message: 'expected a gym; this one was removed' }]);
      return create(owner);
    });
  }

  /** Deletes the content of a gym that was removed. */
  async forget(gymId: string): Promise<void> {
    for (const table of ['exercise', 'workout_routine', 'product'])
      await this.unit.em.execute(
        `update ${table} set deleted_at = now() where gym_id = ? and deleted_at is null`,
        [gymId],
      );
  }
}
