import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { OCCUPANCY_CHANNEL } from '../locations/occupancy-events.ts';

/**
 * Ends visits that have lasted as long as their location allows. Visits that expired while no service was running end at the
 * next start. With several replicas only one of them ends a visit, because the update takes only rows that are still open.
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
      const unit = this.unitOf();
      // With one statement, the end of the visits and its notification are committed together.
      const [{ ended } = { ended: 0 }] = await unit.em.execute<{ ended: number }[]>(
        // The statement skips locked rows: another replica is ending them, or the next sweep will. So no sweep waits for a lock.
        `with due as (
           select id from check_in where checked_out_at is null and expires_at <= now() for no key update skip locked
         ), ended as (
           update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
           from due where check_in.id = due.id returning location_id
         ), notified as (
           select pg_notify(?, location_id::text) from (select distinct location_id from ended) as changed
         )
         select (select count(*)::int from ended) as ended, (select count(*) from notified) as notified`,
        [OCCUPANCY_CHANNEL],
      );
      if (ended > 0) this.log.info({ ended }, 'expired visits ended');
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
