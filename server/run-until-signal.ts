import { StartError } from './start-error.ts';

/** Says one step of a start to the person who waits. */
export type Progress = (line: string) => void;

/**
 * Runs what `start` starts until SIGINT or SIGTERM, then stops it; a second signal ends at once.
 * A start that fails says in one paragraph what to do, and the process ends with 1.
 */
export async function runUntilSignal(
  start: (progress: Progress) => Promise<() => Promise<void>>,
): Promise<void> {
  const progress: Progress = (line) => void process.stdout.write(`${line}\n`);
  let stop: (() => Promise<void>) | undefined;
  let signalled = false;
  const end = async () => {
    progress('Stopping ...');
    await stop?.();
    progress('Stopped.');
    process.exit(0);
  };
  const onSignal = () => {
    if (signalled) process.exit(130);
    signalled = true;
    if (stop) void end().catch(fail);
    else progress('Stopping as soon as the start is through; once more to end at once ...');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    stop = await start(progress);
  } catch (error) {
    fail(error);
  }
  if (signalled) await end();
}

function fail(error: unknown): never {
  process.stderr.write(`\n${explanationOf(error)}\n`);
  process.exit(1);
}

const explanationOf = (error: unknown): string => {
  if (error instanceof StartError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};
