import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './observability/logger.ts';
import { StartError } from './start-error.ts';

/** Prints one step of a start for the person who waits. */
export type Progress = (line: string) => void;

/** The result of a start. */
export interface Running {
  /** Called first on a signal; everything is still accepted for `drainDelayMillis`. Default: nothing happens. */
  drain?(): void;
  stop(): Promise<void>;
  /** The names of the parts whose stop has begun and not ended. Default: none are known. */
  unfinished?(): string[];
  /** The time from `drain` to `stop`. Default 0: `stop` alone is called. */
  readonly drainDelayMillis?: number;
  /** How long the stop waits for running requests; see STOP_MARGIN_MILLIS. */
  readonly stopGracePeriodMillis: number;
}

/**
 * If a stop takes longer than its delay, its grace period and this time together, the process ends before the stop is done,
 * with a message that names the parts that hang. Otherwise a supervisor would soon kill it without one.
 */
const STOP_MARGIN_MILLIS = 5_000; // 5 s
/** The grace period of a stop that is requested before the start has finished. */
const DEFAULT_GRACE_PERIOD_MILLIS = 10_000; // 10 s

/**
 * Calls `start`, and waits for SIGINT or SIGTERM. Then it drains and stops what was started, and ends the process with 0, or
 * with 1 if the stop takes too long.
 *
 * - A second signal ends the process at once.
 * - An unhandled error is logged and begins the stop, too, without a delay, because the state of the process is unknown.
 *   The process then ends with 1. During the start an unhandled error ends the process at once.
 * - If the start fails, a message says what to do, and the process ends with 1.
 */
export async function runUntilSignal(start: (progress: Progress) => Promise<Running>): Promise<void> {
  const progress: Progress = (line) => void process.stdout.write(`${line}\n`);
  let running: Running | undefined;
  let exitCode: number | undefined;

  const end = async (code: number, drainDelayMillis = 0) => {
    if (drainDelayMillis > 0) {
      progress(`Stopping in ${drainDelayMillis / 1_000} s; repeat the signal to end at once ...`);
      running?.drain?.();
      await sleep(drainDelayMillis);
    }
    progress('Stopping ...');
    await running?.stop();
    progress('Stopped.');
    process.exit(code);
  };
  const beginEnd = (code: number, drainDelayMillis = 0) => {
    exitCode = code;
    const graceMillis = running?.stopGracePeriodMillis ?? DEFAULT_GRACE_PERIOD_MILLIS;
    const limitMillis = drainDelayMillis + graceMillis + STOP_MARGIN_MILLIS;
    setTimeout(() => abortStop(limitMillis, running?.unfinished?.() ?? []), limitMillis);
    if (running) void end(code, drainDelayMillis).catch(fail);
  };
  const onSignal = () => {
    if (exitCode !== undefined) process.exit(130);
    if (!running)
      progress('Stopping as soon as the start has finished; repeat the signal to end at once ...');
    beginEnd(0, running?.drainDelayMillis);
  };
  const onUnhandled = (error: unknown) => {
    if (exitCode !== undefined) return;
    if (!running) fail(error);
    createLogger('process', 'fatal').fatal({ err: error }, 'unhandled error; the process stops');
    beginEnd(1);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled);
  try {
    running = await start(progress);
  } catch (error) {
    fail(error);
  }
  if (exitCode !== undefined) await end(exitCode);
}

function abortStop(afterMillis: number, unfinished: readonly string[]): never {
  const names = unfinished.length > 0 ? ` (${unfinished.join(', ')})` : '';
  process.stderr.write(
    `Not everything could be stopped within ${afterMillis / 1_000} s${names}; the process ends anyway. ` +
      'Usually a database or Redis does not answer; nothing acknowledged is lost.\n',
  );
  process.exit(1);
}

function fail(error: unknown): never {
  process.stderr.write(`\n${explanationOf(error)}\n`);
  process.exit(1);
}

const explanationOf = (error: unknown): string => {
  if (error instanceof StartError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError')
    return (
      'A server that this start needs did not answer in time. Check that the database, Redis and the other services ' +
      `(IDENTITY_URL and so on) can be reached from here, and start again.\n${error.stack ?? error.message}`
    );
  return error.stack ?? error.message;
};
