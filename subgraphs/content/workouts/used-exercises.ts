import type { ExerciseShape } from '../exercises/exercises.shapes.ts';
import type { Block } from './workouts.shapes.ts';

export const exerciseIdsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => block.entries.map((entry) => entry.exerciseId));
export const musclesOf = (exercises: readonly ExerciseShape[]): string[] =>
  [...new Set(exercises.flatMap((exercise) => exercise.primaryMuscles))].slice(0, 20);
export const equipmentOf = (exercises: readonly ExerciseShape[]): string[] =>
  [...new Set(exercises.map((exercise) => exercise.equipment))].filter((name) => name !== 'none').toSorted();
