import type { DatabaseDeclaration } from '#server/database/database.ts';
import { sagaEntities } from '#server/saga/saga-tables.ts';
import { Reservation } from './availability/reservation.entity.ts';
import { migrations } from './migrations/index.ts';
import { WizardSession } from './sessions/session.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_wizard',
  entities: [WizardSession, Reservation, ...sagaEntities],
  migrations,
};
