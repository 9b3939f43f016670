/** The TypeScript type of each GraphQL type's objects; `npm run generate` reads this file. */
export type { ExerciseShape as Exercise } from './exercises/exercises.shapes.ts';
export type { ProductShape as Product } from './products/products.shapes.ts';
export type { WorkoutRoutineShape as WorkoutRoutine } from './workouts/workouts.shapes.ts';
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
