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
  /** The sweep that is under way. */
  private sweeping: Promise<void> | undefined;
  private failed = false;

  constructor(unitOf: () => UnitOfWork, log: Logger, everyMillis: number) {
    this.unitOf = unitOf;
    this.log = log;
    this.timer = setInterval(() => void this.sweep(), everyMillis);
    this.timer.unref();
  }

  /** One at a time: while one is under way, it is the answer. Never rejects. */
  sweep(): Promise<void> {
    this.sweeping ??= this.endVisits().finally(() => {
      this.sweeping = undefined;
    });
    return this.sweeping;
  }

  private async endVisits(): Promise<void> {
    try {
      const unit = this.unitOf();
      // one statement: the end of the visits and the news of it are committed together
      const [{ ended } = { ended: 0 }] = await unit.em.execute<{ ended: number }[]>(
        // A row that is locked is being ended by somebody else, or waits for the next round: nobody waits for another here.
        `with due as (
           select id from check_in where checked_out_at is null and expires_at <= now() for no key update skip locked
         ), ended as (
           update check_in set checked_out_at = expires_at, check_out_kind = 'AUTOMATIC'
           from due where check_in.id = due.id returning location_id
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
