import type { Logger } from '#server/observability/logger.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { OCCUPANCY_CHANNEL } from '../locations/occupancy-events.ts';

/**
 * Ends visits that have lasted as long as their location allows, without anyone asking. What ran out while no
 * service was up ends at the next start. With several replicas each visit is ended by one of them: the update takes
 * only rows that are still open.
 */
export class AutomaticCheckOut {
  private readonly unitOf: () => UnitOfWork;
  private readonly log: Logger;
  private readonly timer: NodeJS.Timeout;
  private sweeping: Promise<void> = Promise.resolve();
  private failed = false;

  constructor(unitOf: () => UnitOfWork, log: Logger, everyMillis: number) {
    this.unitOf = unitOf;
    this.log = log;
    this.timer = setInterval(() => {
      this.sweeping = this.sweep();
    }, everyMillis);
    this.timer.unref();
  }

  async sweep(): Promise<void> {
    try {
      const unit = this.unitOf();
      // one statement: the end of the visits and the news of it are committed together
      const [{ ended } = { ended: 0 }] = await unit.em.execute<{ ended: number }[]>(
        `with ended as (
           update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
           where checked_out_at is null and expires_at <= now() returning location_id
         ), told as (
           select pg_notify(?, location_id::text) from (select distinct location_id from ended) as changed
         )
         select (select count(*)::int from ended) as ended, (select count(*) from told) as told`,
        [OCCUPANCY_CHANNEL],
      );
      if (ended > 0) this.log.info({ ended }, 'visits ended by themselves');
      this.failed = false;
    } catch (error) {
      // Once, and not at every round for as long as the database is away.
      if (!this.failed)
        this.log.warn({ err: error }, 'visits that ran out could not be ended now; every round tries again');
      this.failed = true;
    }
  }

  async dispose(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }
}
