import { z } from 'zod';
import { columnsOf, presented } from '#server/database/columns.ts';
import type { CheckIn } from './check-in.entity.ts';
import { CheckInShape } from './check-ins.shapes.ts';

const VisitRow = CheckInShape.omit({ duplicate: true }).extend({ expiresAt: z.iso.datetime() });
export type VisitRow = z.infer<typeof VisitRow>;
/** The columns of a visit. */
export const VISIT = columnsOf(VisitRow);

export function presentRow({ expiresAt, ...visit }: VisitRow): CheckInShape {
  // An expired visit has ended, even if the job has not written it yet.
  const hasExpired = Date.parse(expiresAt) <= Date.now();
  return { ...visit, checkedOutAt: visit.checkedOutAt ?? (hasExpired ? expiresAt : null), duplicate: false };
}

export const presentEntity = (visit: CheckIn): CheckInShape => presentRow(presented(VisitRow, visit));
