import type { DatabaseDeclaration } from '#server/database/database.ts';
import { migrations } from './migrations/index.ts';
import { JournalHead, JournalRecord, JournalSnapshot } from './storage/journal.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_squad',
  entities: [JournalHead, JournalRecord, JournalSnapshot],
  migrations,
};
