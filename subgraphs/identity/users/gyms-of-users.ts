import { GYM_TYPE, requireGymExists } from '#server/references/gym-reference.ts';
import type { References } from '#server/references/references.ts';
import { removedAmong } from '#server/references/removed-references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields } from '#server/validate.ts';

/** Checks for writes that make a user a member of a gym. */
export class GymsOfUsers {
  private readonly unit: UnitOfWork;
  private readonly references: References;

  constructor(unit: UnitOfWork, references: References) {
    this.unit = unit;
    this.references = references;
  }

  /**
   * Call it before the transaction of the write, because it calls another service.
   * @throws VALIDATION_FAILED at `gymId` for a gym that does not exist; UPSTREAM_UNAVAILABLE if gym does not answer
   */
  async requireExists(gymId: string | null): Promise<void> {
    if (gymId !== null) await requireGymExists(this.references, this.unit, gymId);
  }

  /** Call it in the transaction of the write. @throws VALIDATION_FAILED at `gymId` for a gym that was removed in the meantime */
  async requireNotRemoved(gymId: string | null): Promise<void> {
    if (gymId === null || (await removedAmong(this.unit, GYM_TYPE, [gymId])).size === 0) return;
    throw invalidFields([{ path: 'gymId', message: 'expected the id of a gym; this gym was removed' }]);
  }
}
