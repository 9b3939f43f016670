import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { requireScope, requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { recordEvents } from '#server/events/record-events.ts';
import { forbidden, notFound, type ErrorCode } from '#server/errors.ts';
import { firstIdOf, isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { HOUR_MILLIS } from '#server/durations.ts';
import { maySeeVisitsAt } from '../access.ts';
import { Location } from '../locations/location.entity.ts';
import { DenialShape } from './check-ins.shapes.ts';
import { Denial } from './denial.entity.ts';

const cursors = cursorsOf('checkInDenials', z.tuple([uuid()]));

/** The most rows that one caller can cause in an hour, so that a scanner that is always refused does not fill the table. */
const MAX_DENIALS_PER_HOUR = 60;

/** Denials: refused check-ins with their reason, for those who manage the gym, and for its machine clients with `visits:read`. */
export class Denials {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /**
   * Stores a denial. The first 60 of one caller in an hour have one row each; the last of these rows also counts the following ones.
   * @param denial `userId`: the owner of the code, null if it has none; `presentedBy`: the caller; `reason`: the error code
   */
  async keep(denial: {
    reason: ErrorCode;
    location: { id: string; gymId: string };
    userId: string | null;
    presentedBy: string;
  }): Promise<void> {
    const { reason, location, userId, presentedBy } = denial;
    await this.unit.transaction(async () => {
      const { em } = this.unit;
      // Without the lock, simultaneous scans could all find 59 rows.
      await em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`denials:${presentedBy}`]);
      const recent = await em.execute<{ id: string }[]>(
        `select id from check_in_denial where presented_by = ? and id >= ? order by id desc limit ${MAX_DENIALS_PER_HOUR}`,
        [presentedBy, firstIdOf(new Date(Date.now() - HOUR_MILLIS))],
      );
      if (recent.length >= MAX_DENIALS_PER_HOUR)
        await em.execute('update check_in_denial set count = count + 1 where id = ?', [recent[0]?.id]);
      else {
        const { gymId, id: locationId } = location;
        const deniedAt = new Date();
        const stored = { id: uuidv7(), deniedAt, locationId, userId, reason, presentedBy, count: 1 };
        await em.insert(Denial, { ...stored, gymId });
        const data = presented(DenialShape, stored);
        await recordEvents(this.unit, [
          { type: 'check_in.denied', gymId, subject: `denial/${stored.id}`, data, occurredAt: deniedAt },
        ]);
      }
    });
  }

  /** The denials at a location, newest first. @throws NOT_FOUND, FORBIDDEN */
  async list(locationId: string, request: PageRequest): Promise<Page<DenialShape>> {
    const { viewer } = this.unit;
    if (viewer.kind === 'client') requireScope(viewer, 'visits:read');
    else requireUser(viewer);
    const location = isUuid(locationId) ? await this.unit.em.findOne(Location, { id: locationId }) : null;
    if (!location || !maySeeVisitsAt(viewer, location)) {
      if (location && viewer.kind === 'user' && viewer.gymId === location.gymId)
        throw forbidden("Only the gym's staff may see the denials at a location.");
      throw notFound('location', locationId);
    }
    const [before] = cursors.read(request.cursor) ?? [];
    const where = { locationId, ...(before && { id: { $lt: before } }) };
    const denials = await this.unit.em.find(Denial, where, {
      orderBy: { id: 'desc' },
      limit: pageSize(request) + 1,
    });
    return mapPage(
      cursors.page(denials, request, (denial) => [denial.id]),
      (denial) => presented(DenialShape, denial),
    );
  }
}
