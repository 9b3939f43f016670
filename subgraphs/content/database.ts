import type { DatabaseDeclaration } from '#server/database/database.ts';
import { eventEntities } from '#server/events/event-tables.ts';
import { sagaEntities } from '#server/saga/saga-tables.ts';
import { Exercise } from './exercises/exercise.entity.ts';
import { migrations } from './migrations/index.ts';
import { Product } from './products/product.entity.ts';
import { Training, TrainingExercise } from './trainings/training.entity.ts';
import { WorkoutFavourite } from './workouts/workout-favourite.entity.ts';
import { WorkoutRoutine, WorkoutRoutineVersion } from './workouts/workout-routine.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_content',
  entities: [
    Exercise,
    WorkoutRoutine,
    WorkoutRoutineVersion,
    WorkoutFavourite,
    Product,
    Training,
    TrainingExercise,
    ...sagaEntities,
    ...eventEntities,
  ],
  migrations,
};
