import { requireUser } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { audit } from '../audit/audit.ts';
import type { BookingShape } from './bookings.shapes.ts';

/** Records that staff have changed the booking of somebody else, in the transaction of the change. */
export async function auditBooking(
  unit: UnitOfWork,
  { id, sessionId, userId }: Pick<BookingShape, 'id' | 'sessionId' | 'userId'>,
  gymId: string,
  action: string,
): Promise<void> {
  const { userId: actorId } = requireUser(unit.viewer);
  if (actorId === userId) return;
  await audit(unit, { gymId, actorId, action, details: { bookingId: id, sessionId, userId } });
}
