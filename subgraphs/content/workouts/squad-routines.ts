import { z } from 'zod';
import type { CallsToServices } from '#server/service-calls.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** Reading a routine waits for squad so long at most. */
const TIMEOUT_MILLIS = 1_000; // 1 s

const Trained = z.array(z.object({ routineId: z.string(), version: z.int() }));
type Trained = z.infer<typeof Trained>;

/**
 * The versions of routines that the viewer may read because they take part in an open squad that trains the version, or are
 * invited to it. The squad service decides this; it is asked once in a unit of work, and only about private routines and
 * exercises of other users.
 */
export class SquadRoutines {
  private readonly unit: UnitOfWork;
  private readonly calls: CallsToServices;
  private known: Promise<Trained> | undefined;

  constructor(unit: UnitOfWork, calls: CallsToServices) {
    this.unit = unit;
    this.calls = calls;
  }

  /** While squad does not answer, the list is empty: a private routine then does not exist for others than its owner. */
  trained(): Promise<Trained> {
    return (this.known ??= this.ask());
  }

  async trains(routineId: string, version: number): Promise<boolean> {
    const trained = await this.trained();
    return trained.some((one) => one.routineId === routineId && one.version === version);
  }

  private async ask(): Promise<Trained> {
    const { viewer, origin, log } = this.unit;
    if (viewer.kind !== 'user') return [];
    try {
      const answer = await this.calls.to('squad').call({
        method: 'GET',
        path: `/trained-routines/${viewer.userId}`,
        as: 'service',
        origin,
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      return Trained.parse(answer);
    } catch (error) {
      log.warn({ err: error }, 'the routines that the squads of a user train cannot be read');
      return [];
    }
  }
}
