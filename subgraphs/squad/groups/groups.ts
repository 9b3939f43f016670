import { requireGym } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { GroupShape } from './groups.shapes.ts';

/** The clubs of a gym. Its people see, found and join them. */
export class Groups {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Of the viewer's gym, or of any for a SUPER_ADMIN; by name. */
  async list(gymId?: string | null): Promise<GroupShape[]> {
    requireGym(this.unit.viewer, gymId);
    return [];
  }
}
