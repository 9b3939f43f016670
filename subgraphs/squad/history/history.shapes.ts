import { z } from 'zod';

export const SquadWorkoutShape = z
  .object({
    squadId: z.uuid(),
    routineId: z.string().nullable(),
    routineVersion: z.int().nullable().meta({ description: 'The version of the routine that was trained.' }),
    startedAt: z.iso.datetime().meta({
      description: 'When the user began: the start of the squad, or their entering if it was later.',
    }),
    endedAt: z.iso.datetime().meta({ description: 'When the user left, or the squad ended.' }),
    minutes: z.int().meta({
      description: 'Minutes that the user trained, over all of their stays; without LOBBY and pauses.',
    }),
    sets: z.int().meta({ description: 'How many sets the user did.' }),
    trainingId: z.uuid().nullable().meta({ description: 'The training that was made of the sets.' }),
    participantIds: z.array(z.string().nullable()).meta({
      description:
        'Everybody who had taken part by then, the user included; null in the place of a person if one of the two has blocked the other.',
    }),
  })
  .meta({ id: 'SquadWorkout' });
export type SquadWorkoutShape = z.infer<typeof SquadWorkoutShape>;

/** As it is stored. Of several rows about one squad the one of the highest revision counts. */
export interface StoredWorkout extends SquadWorkoutShape {
  readonly participantIds: string[];
  /** Of the squad, when the row was made; absent in journals of the previous version. */
  readonly revision?: number;
}
