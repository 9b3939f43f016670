import type { MigrationDeclaration } from '#server/database/database.ts';
import { GymsAndLocations } from './20260105100000_gyms_and_locations.ts';

/** Oldest first; the names stay for ever. */
export const migrations: MigrationDeclaration[] = [
  { name: '20260105100000_gyms_and_locations', class: GymsAndLocations },
];
