import type { z } from 'zod';
import { requireService } from '#server/auth/viewer.ts';
import { columnsOf } from '#server/database/columns.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { PeopleInput, PersonShape } from './people.shapes.ts';

const PEOPLE = `select ${columnsOf(PersonShape)} from user_account where id = any(?::uuid[])`;

/** The names and pictures of people by their ids, for services that show lists of people. */
export class People {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** The people with these ids, in any order; ids without an account are left out. For services. */
  async find(input: unknown): Promise<z.infer<typeof PersonShape>[]> {
    requireService(this.unit.viewer);
    const { ids } = validated(PeopleInput, input);
    return this.unit.read<z.infer<typeof PersonShape>>(PEOPLE, [ids]);
  }
}
