import { Migration } from '@mikro-orm/migrations';
import {
  changeFunctions,
  dropChangeFunctions,
  ignoreChanges,
  noteChanges,
} from '#server/changes/change-triggers.ts';

const OWN = { column: 'owner_id', condition: 'is_private' };
const NOTED = [
  { table: 'exercise', kind: 'Exercise', own: OWN },
  { table: 'workout_routine', kind: 'WorkoutRoutine', own: OWN },
  { table: 'workout_favourite', kind: 'WorkoutRoutine', own: { column: 'user_id', condition: 'true' } },
  { table: 'product', kind: 'Product' },
];

export class ChangeNotices extends Migration {
  override up(): void {
    for (const statement of [...changeFunctions(), ...NOTED.flatMap(noteChanges)]) this.addSql(statement);
  }

  override down(): void {
    for (const statement of [...NOTED.flatMap(ignoreChanges), ...dropChangeFunctions()])
      this.addSql(statement);
  }
}
