import { invalid, PlatformError } from '#server/errors.ts';
import { HelperEnded, WorkerPool } from '#server/workers/worker-pool.ts';
import type { Activity } from './activity-lines.ts';
import type { FitJob, FitResult } from './fit-worker.ts';

/**
 * Processes that read FIT files, with limited memory: a file of 10 MiB takes about a second of a processor, and a small file
 * can contain millions of messages.
 */
const readers = new WorkerPool<FitJob, FitResult>(new URL('fit-worker.ts', import.meta.url), {
  name: 'fit',
  kind: 'process',
  mostHelpers: 2,
  waitingForEach: 25,
  maxHeapMib: 192,
  maxJobSeconds: 30,
});

/**
 * Reads the laps, or the sets with repetitions, of a FIT file.
 * @throws VALIDATION_FAILED for a damaged file or one without an activity; SERVER_BUSY if too many wait
 */
export async function readFit(bytes: Buffer, maxParts: number): Promise<Activity[]> {
  const result = await readers.run({ bytes, maxParts }).catch((error: unknown) => {
    if (!(error instanceof HelperEnded && (error.isOutOfMemory || error.isTooSlow))) throw error;
    throw tooLong();
  });
  if (result.is === 'too long') throw tooLong();
  if (result.is === 'refused') throw invalid('', `expected a FIT file, but ${result.problem}`);
  if (result.activities.every(({ parts }) => parts.length === 0))
    throw invalid('', 'expected a FIT file of an activity, but it has no sessions, laps or sets');
  return result.activities;
}

const tooLong = () =>
  new PlatformError('PAYLOAD_TOO_LARGE', 'The FIT file has too many sessions, laps, sets or other messages.');
