/**
 * For a GraphQL type whose resolvers get objects of a TypeScript type of their own: that type, by the name of the GraphQL type.
 * `npm run generate` reads this file.
 */
export type { ExerciseShape as Exercise } from './exercises/exercises.shapes.ts';
export type { ProductShape as Product } from './products/products.shapes.ts';
export type { ListedTraining as Training, TrainingEntry, TrainingSet } from './trainings/trainings.shapes.ts';
export type {
  ExerciseRecordShape as ExerciseRecord,
  ExerciseRecordsShape as ExerciseRecords,
  LastSetsShape as LastSets,
  ProgressShape as ExerciseProgress,
  TrainingSums as TrainingSummary,
} from './trainings/progress.shapes.ts';
export type { TrainingImportShape as TrainingImport } from './trainings/imports.shapes.ts';
export type { WorkoutRoutineShape as WorkoutRoutine } from './workouts/workouts.shapes.ts';
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
/** A reference to a user, with the time zone of their profile if the gateway sends it. Each resolver checks the rights. */
export interface User {
  id: string;
  timezone?: string;
}
