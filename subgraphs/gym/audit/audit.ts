import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { AuditEvent } from './audit-event.entity.ts';

interface AuditedAction {
  gymId: string;
  actorId: string;
  /** Upper case, e.g. `CHECK_IN_OVERRIDE`. */
  action: string;
  details: Record<string, unknown>;
}

/** Records an action of staff or of a service in the audit trail, in the transaction of the action. */
export async function audit(unit: UnitOfWork, action: AuditedAction): Promise<void> {
  await unit.em.insert(AuditEvent, { id: uuidv7(), at: new Date(), ...action });
}
