import { z } from 'zod';

export const SquadWorkoutShape = z
  .object({
    squadId: z.uuid(),
    routineId: z.string().nullable(),
    routineVersion: z.int().nullable().meta({ description: 'The version of the routine that was trained.' }),
    startedAt: z.iso.datetime().meta({
      description: 'When the user began: at the start of the squad, or when they entered if that was later.',
    }),
    endedAt: z.iso.datetime().meta({ description: 'When the user left, or the squad ended.' }),
    minutes: z.int().meta({
      description: 'Minutes that the user trained, over all of their stays; without LOBBY and pauses.',
    }),
    sets: z.int().meta({ description: 'The number of sets that the user did.' }),
    trainingId: z.uuid().nullable().meta({
      description: 'The id of the training that was stored with these sets; null if there is none.',
    }),
    participantIds: z.array(z.string().nullable()).meta({
      description:
        'Everybody who had taken part by then, the user included. An id is null if this person or the user has blocked the other.',
    }),
  })
  .meta({ id: 'SquadWorkout' });
export type SquadWorkoutShape = z.infer<typeof SquadWorkoutShape>;

/** A row as it is stored. If a squad has several rows, the one with the highest revision counts. */
export interface StoredWorkout extends SquadWorkoutShape {
  readonly participantIds: string[];
  /** The squad's revision when the row was made; absent in journals of the previous version. */
  readonly revision?: number;
}
