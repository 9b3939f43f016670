import { Migration } from '@mikro-orm/migrations';
import {
  changeFunctions,
  dropChangeFunctions,
  ignoreChanges,
  noteChanges,
} from '#server/changes/change-triggers.ts';

const NOTED = [
  { table: 'gym', kind: 'Gym' },
  { table: 'gym', kind: 'Features', columns: ['features'] },
  { table: 'location', kind: 'Location' },
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
