import type { DatabaseDeclaration } from '#server/database/database.ts';
import { migrations } from './migrations/index.ts';
import { WizardSession } from './sessions/session.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_wizard',
  entities: [WizardSession],
  migrations,
};
