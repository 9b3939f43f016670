import { z } from 'zod';

export const TrainedRoutineShape = z
  .object({
    routineId: z.string().meta({ description: 'The id of the routine.' }),
    version: z.int().meta({ description: 'The version that the squad trains.' }),
  })
  .meta({ id: 'TrainedRoutine' });
export type TrainedRoutineShape = z.infer<typeof TrainedRoutineShape>;
