import { z } from 'zod';
import type { References } from '#server/references/references.ts';
import { databaseTime, removedAmong } from '#server/references/removed-references.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields } from '#server/validate.ts';

const shape = z.object({ id: z.string(), gymId: z.string().nullable() });
// `gymId` is null for content of all gyms, but also for a private routine, which only its owner can see.
const routineShape = shape.extend({ visibility: z.string() });

/** The entities of the content service that a gym may list. */
export const PRODUCTS = {
  owner: 'content',
  typeName: 'Product',
  shape,
  field: 'productId',
  hiddenName: null,
} as const;
export const ROUTINES = {
  owner: 'content',
  typeName: 'WorkoutRoutine',
  shape: routineShape,
  field: 'routineId',
  /**
   * The type in the content service's report that a gym's routine has become private. Such a routine may be shown to the gym
   * again, unlike a removed one.
   */
  hiddenName: 'HiddenWorkoutRoutine',
} as const;

export interface ListedReferences {
  type: typeof PRODUCTS | typeof ROUTINES;
  /** The list's name in the input, for errors such as `products.3.productId`. */
  list: string;
  gymId: string;
  ids: readonly string[];
}

/**
 * Runs `write`, which stores references to products or routines of the content service, in a transaction.
 * @throws VALIDATION_FAILED, with an error for each reference to an entity that the caller may not see, that belongs to
 * another gym or is private, or that was removed or hidden
 */
export async function writeListed(
  unit: UnitOfWork,
  references: References,
  listed: ListedReferences,
  write: () => Promise<void>,
): Promise<void> {
  const { type, gymId, ids } = listed;
  const askedAt = type.hiddenName && (await databaseTime(unit));
  const found: ReadonlyMap<string, { gymId: string | null; visibility?: string }> = await references.find(
    type,
    ids,
    { as: 'caller', origin: unit.origin },
  );
  const isOffered = (id: string): boolean => {
    const entity = found.get(id);
    return entity !== undefined && [null, gymId].includes(entity.gymId) && entity.visibility !== 'PRIVATE';
  };
  refuse(listed, new Set(ids.filter((id) => !isOffered(id))));
  await unit.transaction(async () => {
    refuse(listed, await removedAmong(unit, type.typeName, ids));
    // An earlier report that a routine was hidden is older than the content service's answer.
    if (askedAt) refuse(listed, await removedAmong(unit, type.hiddenName, ids, askedAt));
    await write();
  });
}

function refuse({ type, list, ids }: ListedReferences, refused: ReadonlySet<string>): void {
  const errors = ids.flatMap((id, index) =>
    refused.has(id)
      ? [
          {
            path: `${list}.${index}.${type.field}`,
            message: `expected the id of a ${type.typeName} that belongs to this gym or to all gyms`,
          },
        ]
      : [],
  );
  if (errors.length > 0) throw invalidFields(errors);
}
