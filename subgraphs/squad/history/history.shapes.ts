import { z } from 'zod';
import { uuid } from '#server/shapes.ts';

export const SquadWorkoutShape = z
  .object({
    squadId: uuid(),
    routineId: z.string().nullable(),
    routineVersion: z.int().nullable(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    minutes: z.int(),
    sets: z.int(),
    trainingId: uuid().nullable(),
    participantIds: z.array(z.string().nullable()).meta({
      description:
        'Everybody who had taken part by `endedAt`, the user included. An id is null if this person or the user has blocked the other.',
    }),
  })
  .meta({ id: 'SquadWorkout' });
export type SquadWorkoutShape = z.infer<typeof SquadWorkoutShape>;

/** A row as it is stored. A user's history has one row for each squad: that with the highest revision. */
export interface StoredWorkout extends SquadWorkoutShape {
  readonly participantIds: string[];
  /** The squad's revision when the row was made; absent in journals of the previous version. */
  readonly revision?: number;
}
