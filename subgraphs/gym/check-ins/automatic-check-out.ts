import { recordEvents } from '#server/events/record-events.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { announceEndedChallenges } from '../challenges/ended-challenges.ts';
import { lockLocations } from '../locations/location-locks.ts';
import { levelEvents } from '../locations/occupancy-level.ts';
import { closedEvents, endVisits } from './visits.ts';

/** Locations with expired visits that one sweep handles. */
const MAX_LOCATIONS = 1_000;

/**
 * Ends visits that have lasted as long as their location allows, and announces challenges that have ended. What became due
 * while no service was running is done at the next start. With several replicas only one of them ends a visit, because the
 * update takes only rows that are still open.
 */
export class AutomaticCheckOut {
  private readonly unitOf: () => UnitOfWork;
  private readonly log: Logger;
  private readonly timer: NodeJS.Timeout;
  /** The running sweep. */
  private sweeping: Promise<void> | undefined;
  private failed = false;

  constructor(unitOf: () => UnitOfWork, log: Logger, everyMillis: number) {
    this.unitOf = unitOf;
    this.log = log;
    this.timer = setInterval(() => void this.sweep(), everyMillis);
    this.timer.unref();
  }

  /** Starts a sweep, or returns the running one. Never rejects. */
  sweep(): Promise<void> {
    this.sweeping ??= this.endVisits().finally(() => {
      this.sweeping = undefined;
    });
    return this.sweeping;
  }

  private async endVisits(): Promise<void> {
    try {
      const ended = await endExpiredVisits(this.unitOf);
      if (ended > 0) this.log.info({ ended }, 'expired visits ended');
      await announceEndedChallenges(this.unitOf());
      this.failed = false;
    } catch (error) {
      // The failure is logged once, not at every sweep while the database is unreachable.
      if (!this.failed)
        this.log.warn({ err: error }, 'expired visits could not be ended; every sweep tries again');
      this.failed = true;
    }
  }

  async dispose(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }
}

/** Ends the expired visits of all locations, each location in a transaction of its own; returns their number. */
async function endExpiredVisits(unitOf: () => UnitOfWork): Promise<number> {
  const due = await unitOf().em.execute<{ id: string }[]>(
    `select distinct location_id as id from check_in where checked_out_at is null and expires_at <= now() limit ${MAX_LOCATIONS}`,
  );
  let count = 0;
  for (const { id } of due) {
    const unit = unitOf();
    count += await unit.transaction(async () => {
      const locations = await lockLocations(unit, 'id = ?', [id]);
      const ended = await endVisits(unit, 'location_id = ? and expires_at <= now()', [id], 'AUTOMATIC');
      if (ended.length > 0)
        await recordEvents(unit, [...closedEvents(ended), ...(await levelEvents(unit, locations))]);
      return ended.length;
    });
  }
  return count;
}
