import { requireGymAdmin } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { listLoaderOf } from '#server/loaders.ts';
import type { References } from '#server/references/references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Gyms } from '../gyms/gyms.ts';
import { ROUTINES, writeListed } from './content-references.ts';
import { replaceList } from './replace-list.ts';
import { GymProgram } from './shop.entity.ts';
import { GymProgramShape, ProgramsInput } from './shop.shapes.ts';

/** The routines of the content service in a gym's programme, in the gym's order. Everybody may read them. */
export class Programs {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;
  private readonly references: References;
  private readonly byGym = listLoaderOf(
    (gymIds) =>
      this.unit.em.find(GymProgram, { gymId: { $in: [...gymIds] } }, { orderBy: { position: 'asc' } }),
    (program) => program.gymId,
  );

  constructor(unit: UnitOfWork, gyms: Gyms, references: References) {
    this.unit = unit;
    this.gyms = gyms;
    this.references = references;
  }

  async list(gymId: string): Promise<GymProgramShape[]> {
    const { id } = await this.gyms.get(gymId);
    return (await this.byGym.load(id)).map((program) => presented(GymProgramShape, program));
  }

  /**
   * Replaces the whole list.
   * @throws VALIDATION_FAILED, with an error for each routine that belongs neither to the gym nor to all gyms
   */
  async replace(gymId: string, input: unknown): Promise<GymProgramShape[]> {
    const { id } = await this.gyms.get(gymId);
    requireGymAdmin(this.unit.viewer, id);
    const { programs } = validated(ProgramsInput, input);
    const rows = programs.map(({ routineId, note }, position) => ({
      gymId: id,
      routineId,
      position,
      note: note ?? null,
    }));
    const listed = {
      type: ROUTINES,
      list: 'programs',
      gymId: id,
      ids: rows.map(({ routineId }) => routineId),
    };
    await writeListed(this.unit, this.references, listed, () => replaceList(this.unit, GymProgram, id, rows));
    this.byGym.clear(id);
    return this.list(id);
  }

  /** Removes the routine from the list of every gym. */
  async forget(routineId: string): Promise<void> {
    await this.unit.em.nativeDelete(GymProgram, { routineId });
  }
}
