import { z } from 'zod';
import { conflict } from '#server/errors.ts';
import { joinPolicy, type JoinPolicy } from '#server/gym-shapes.ts';
import { GYM_TYPE } from '#server/references/gym-reference.ts';
import type { References } from '#server/references/references.ts';
import { removedAmong } from '#server/references/removed-references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields } from '#server/validate.ts';

const GYM = {
  owner: 'gym',
  typeName: GYM_TYPE,
  shape: z.object({ id: z.string(), joinPolicy, active: z.boolean() }),
} as const;

/** Checks for writes that make a user a member of a gym. */
export class GymsOfUsers {
  private readonly unit: UnitOfWork;
  private readonly references: References;

  constructor(unit: UnitOfWork, references: References) {
    this.unit = unit;
    this.references = references;
  }

  /**
   * The join policy of a gym at this moment; null if the gym does not exist. Call it before the transaction of the write,
   * because it calls the gym service.
   * @throws CONFLICT for a gym that is not active; UPSTREAM_UNAVAILABLE or UPSTREAM_TIMEOUT if the gym service does not answer
   */
  async policyOf(gymId: string): Promise<JoinPolicy | null> {
    const gym = await this.find(gymId);
    if (gym && !gym.active)
      throw conflict('This gym is not active; nobody can join it.', {
        errors: [{ path: 'gymId', message: 'is not active' }],
      });
    return gym?.joinPolicy ?? null;
  }

  /**
   * The join policy of a gym that exists and is active; null if `gymId` is null. Call it before the transaction of the write,
   * because it calls the gym service.
   * @throws VALIDATION_FAILED at `gymId` for a gym that does not exist; the errors of `policyOf`
   */
  async requireJoinable(gymId: string | null): Promise<JoinPolicy | null> {
    if (gymId === null) return null;
    const policy = await this.policyOf(gymId);
    if (policy === null) throw noSuchGym('expected the id of a gym; there is no gym with this id');
    return policy;
  }

  /** As `requireJoinable`, but it also accepts a gym that is not active: for writes that make nobody a member. */
  async requireExists(gymId: string | null): Promise<void> {
    if (gymId !== null && !(await this.find(gymId)))
      throw noSuchGym('expected the id of a gym; there is no gym with this id');
  }

  /**
   * Call it in the transaction of the write, before that transaction locks anything else.
   * @throws VALIDATION_FAILED at `gymId` for a gym that was removed in the meantime
   */
  async requireNotRemoved(gymId: string | null): Promise<void> {
    if (gymId !== null && (await this.isRemoved(gymId)))
      throw noSuchGym('expected the id of a gym; this gym was removed');
  }

  /** Whether a gym was removed. Call it as `requireNotRemoved`. */
  async isRemoved(gymId: string): Promise<boolean> {
    return (await removedAmong(this.unit, GYM_TYPE, [gymId])).size > 0;
  }

  /** Gyms are public, and a user who registers has no token, so this service asks with its own. */
  private async find(gymId: string) {
    const found = await this.references.find(GYM, [gymId], { as: 'service', origin: this.unit.origin });
    return found.get(gymId);
  }
}

const noSuchGym = (message: string) => invalidFields([{ path: 'gymId', message }]);
