import { z } from 'zod';
import { instant, MAX_INTEGER, timezone, uuid } from '#server/shapes.ts';
import { MAX_SETS, SetInputShape, setId } from './trainings.shapes.ts';

const SquadSetShape = SetInputShape.extend({
  id: setId.meta({ description: 'Unique in the squad; a repeated set with the same id is not added again.' }),
  exerciseId: uuid().meta({ description: "The exercise's id." }),
}).meta({ graphType: 'TrainingSetInput' });
export type SquadSet = z.infer<typeof SquadSetShape>;

export const SquadTrainingShape = z
  .object({
    title: z
      .string()
      .trim()
      .min(1)
      .max(120)
      .nullish()
      .meta({ description: 'Default: the title of the routine in the version that was trained.' }),
    routineId: uuid().nullish(),
    routineVersion: z.int().min(1).max(MAX_INTEGER).nullish(),
    startedAt: instant.meta({ description: 'When the participant joined.' }),
    endedAt: instant.meta({ description: 'When they left, or the squad ended.' }),
    minutes: z
      .int()
      .min(0)
      .max(1_440)
      .nullish()
      .meta({ description: 'How long they trained, over all of their stays. Default: the whole time.' }),
    timezone: timezone.nullish(),
    sets: z
      .array(SquadSetShape)
      .max(MAX_SETS)
      .meta({ description: 'The sets that they have done, in their order.' }),
  })
  .meta({ graphType: 'LogTrainingInput' });
export type SquadTrainingShape = z.infer<typeof SquadTrainingShape>;

export const WrittenSquadTrainingShape = z
  .object({
    trainingId: uuid()
      .nullable()
      .meta({ description: 'Null: there are no usable sets, so there is no training.' }),
    ignoredSets: z.int().meta({
      description:
        'Sets that the training cannot have, e.g. of an exercise that was removed with the account of its owner.',
    }),
  })
  .meta({ id: 'WrittenSquadTraining' });
export type WrittenSquadTrainingShape = z.infer<typeof WrittenSquadTrainingShape>;

export const squadTrainingParams = z.object({
  squadId: uuid().meta({ description: 'The id of the squad.' }),
  userId: uuid().meta({ description: 'The id of the participant.' }),
});
