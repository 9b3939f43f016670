import { defineEntity, p } from '@mikro-orm/core';
import { WorkoutRoutine } from './workout-routine.entity.ts';

/** A routine that a user has marked for themselves. */
const WorkoutFavouriteSchema = defineEntity({
  name: 'WorkoutFavourite',
  tableName: 'workout_favourite',
  indexes: [{ properties: ['routineId'] }],
  properties: {
    userId: p.uuid().primary(),
    routineId: () =>
      p.manyToOne(WorkoutRoutine).mapToPk().primary().fieldName('routine_id').deleteRule('cascade'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

export class WorkoutFavourite extends WorkoutFavouriteSchema.class {}
WorkoutFavouriteSchema.setClass(WorkoutFavourite);
