import { removeRows } from '#server/retention/retention.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Removes secrets of machine clients that a rotation has replaced and that expired before this time. */
export const removeEndedSecrets = (unit: UnitOfWork, before: Date): Promise<number> =>
  removeRows(unit, 'api_client_secret', 'valid_until < ?', [before]);
