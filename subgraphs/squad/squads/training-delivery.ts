import { z } from 'zod';
import { JobRefused } from '#server/jobs/job-refused.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { References } from '#server/references/references.ts';
import { isRefusal } from '#server/saga/retry.ts';
import type { CallsToServices } from '#server/service-calls.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';
import type { Journals } from '../storage/journal.ts';
import { copyRow } from './finish.ts';
import { participantOf } from './squad-rights.ts';
import { squads } from './squad.journal.ts';
import { trainingToWrite } from './training-to-write.ts';

interface DeliveryOptions {
  journals: Journals;
  calls: CallsToServices;
  references: References;
  log: Logger;
}

const USER = { owner: 'identity', typeName: 'User', shape: z.object({ timezone: z.string() }) } as const;
const Written = z.object({ trainingId: z.string().nullable(), ignoredSets: z.int() });

/**
 * Writes what participants have done in squads as trainings, at the content service. The squad's journal says which trainings
 * are due, and which were written. After a crash between the call and its record in the journal, the call is repeated. The
 * repetition changes nothing at the content service, which has one training for each participant of a squad, and an id for
 * each set.
 */
export class TrainingDelivery {
  private readonly options: DeliveryOptions;

  constructor(options: DeliveryOptions) {
    this.options = options;
  }

  /**
   * Writes the training if it is due, and its id into the user's history. For an account that was deleted, nothing is due.
   * @throws JobRefused if the content service refuses the training; UPSTREAM_UNAVAILABLE
   */
  async deliver(squadId: string, userId: string, signal: AbortSignal): Promise<void> {
    const { journals, log } = this.options;
    const squad = await journals.of(squads).read(squadId);
    if (squad.status === 'NONE') return;
    const due = trainingToWrite(squad, userId);
    if (!due) return;
    const timezone = await this.timezoneOf(userId);
    if (timezone === undefined) return;
    const { trainingId, ignoredSets } = await this.write(squadId, userId, { ...due.body, timezone }, signal);
    if (ignoredSets > 0)
      log.warn({ squadId, trainingId, ignoredSets }, 'the content service has ignored sets of a squad');
    const { revision } = due.row;
    // The history comes first. Once the squad's journal has the record, the training is no longer due, so that after a crash
    // nothing would repeat the copy.
    await copyRow(journals, userId, { ...due.row, trainingId });
    await journals.of(squads).change(squadId, (current) =>
      // After an erasure of the account, the journal must not name the user again.
      current.status === 'NONE' || !participantOf(current, userId)
        ? []
        : [{ type: 'trainingWritten', userId, revision, trainingId }],
    );
  }

  /** The user's time zone, on which the day of a training depends. Undefined if the account was deleted. */
  private async timezoneOf(userId: string): Promise<string | undefined> {
    const found = await this.options.references.find(USER, [userId], { as: 'service', origin: NO_ORIGIN });
    return found.get(userId)?.timezone;
  }

  private async write(
    squadId: string,
    userId: string,
    body: object,
    signal: AbortSignal,
  ): Promise<z.infer<typeof Written>> {
    try {
      const answer = await this.options.calls.to('content').call({
        method: 'PUT',
        path: `/squads/${squadId}/trainings/${userId}`,
        body,
        as: 'service',
        origin: NO_ORIGIN,
        signal,
      });
      return Written.parse(answer);
    } catch (error) {
      // A conflict is tried again: the account may be about to be deleted, and then the next attempt finds no account.
      if (isRefusal(error) && error.code !== 'CONFLICT')
        throw new JobRefused(
          `The content service refused the training of a squad: ${error.code}, ${error.message}`,
          { cause: error },
        );
      throw error;
    }
  }
}
