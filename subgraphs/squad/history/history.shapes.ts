import { z } from 'zod';

export const SquadWorkoutShape = z
  .object({
    squadId: z.uuid(),
    routineId: z.string().nullable(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    minutes: z.int().meta({ description: 'Minutes of training, pauses left out.' }),
    sets: z.int().meta({ description: 'Sets that the user did.' }),
    participantIds: z.array(z.string()).meta({ description: 'Everybody who took part, the user included.' }),
  })
  .meta({ id: 'SquadWorkout' });
export type SquadWorkoutShape = z.infer<typeof SquadWorkoutShape>;
