import type { MigrationDeclaration } from '#server/database/database.ts';
import { eventMigrations } from '#server/events/event-tables.ts';
import { sagaMigrations } from '#server/saga/saga-tables.ts';
import { Content } from './20260105100000_content.ts';
import { RelationsAndIndexes } from './20261123050000_relations_and_indexes.ts';
import { Trainings } from './20261124180000_trainings.ts';
import { OwnContent } from './20261124190000_own_content.ts';
import { ExerciseLibrary } from './20261125100000_exercise_library.ts';
import { NextWorkout } from './20261127175438_next_workout.ts';
import { ChangeNotices } from './20261127180000_change_notices.ts';
import { ErasedOwners } from './20261128182500_erased_owners.ts';
import { PicturesWithoutRows } from './20261129073740_pictures_without_rows.ts';

/** In the order in which they run. The names must never change, because the database stores the names of those that have run. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105100000_content', class: Content },
  ...sagaMigrations,
  { name: '20261123050000_relations_and_indexes', class: RelationsAndIndexes },
  { name: '20261125100000_exercise_library', class: ExerciseLibrary },
  ...eventMigrations,
  { name: '20261124180000_trainings', class: Trainings },
  { name: '20261124190000_own_content', class: OwnContent },
  { name: '20261127175438_next_workout', class: NextWorkout },
  { name: '20261127180000_change_notices', class: ChangeNotices },
  { name: '20261128182500_erased_owners', class: ErasedOwners },
  { name: '20261129073740_pictures_without_rows', class: PicturesWithoutRows },
];
