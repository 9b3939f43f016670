import { z } from 'zod';
import { columnsOf, presented } from '#server/database/columns.ts';
import type { EventType } from '#server/events/event-types.ts';
import type { NewEvent } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { notifyOccupancy } from '../locations/occupancy-events.ts';
import type { CheckIn, CheckOutKind } from './check-in.entity.ts';
import { CheckInShape } from './check-ins.shapes.ts';

/** The columns of a visit. */
export const VisitRow = CheckInShape.omit({ duplicate: true }).extend({ expiresAt: z.iso.datetime() });
export type VisitRow = z.infer<typeof VisitRow>;
export const VISIT = columnsOf(VisitRow);

export function presentVisit({ expiresAt, ...visit }: VisitRow): CheckInShape {
  // An expired visit has ended, even if the job has not written it yet.
  const hasExpired = Date.parse(expiresAt) <= Date.now();
  return { ...visit, checkedOutAt: visit.checkedOutAt ?? (hasExpired ? expiresAt : null), duplicate: false };
}

export const visitEvent = (type: EventType & `check_in.${string}`, visit: CheckInShape): NewEvent => ({
  type,
  gymId: visit.gymId,
  subject: `check-in/${visit.id}`,
  data: visit,
});

/**
 * Ends the visits that match `where` and are still open, notifies the subscriptions of their locations, and returns the
 * ended visits. The calling code has locked the locations. Rows are locked in the order of their ids, so that two of these
 * statements cannot deadlock.
 */
export async function endVisits(
  unit: UnitOfWork,
  where: string,
  values: readonly unknown[],
  kind: CheckOutKind,
): Promise<CheckInShape[]> {
  const ended = await unit.em.execute<VisitRow[]>(
    `with due as (
       select id as due_id from check_in where ${where} and checked_out_at is null order by id for no key update
     )
     update check_in set checked_out_at = ${kind === 'AUTOMATIC' ? 'expires_at' : 'least(?, expires_at)'}, check_out_kind = ?
     from due where check_in.id = due.due_id returning ${VISIT}`,
    [...values, ...(kind === 'AUTOMATIC' ? [] : [new Date()]), kind],
  );
  for (const locationId of new Set(ended.map((visit) => visit.locationId)))
    await notifyOccupancy(unit, locationId);
  return ended.map(presentVisit);
}

export const closedEvents = (visits: readonly CheckInShape[]): NewEvent[] =>
  visits.map((visit) => visitEvent('check_in.closed', visit));

export const presentEntity = (visit: CheckIn): CheckInShape => presentVisit(presented(VisitRow, visit));
