import { readFile } from 'node:fs/promises';
import { startProcess } from '../../tests/support/process.ts';

/** What a command has used, without the processes that it has started. */
export interface Cost {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly peakBytes: number;
}

const EVERY_MILLIS = 50;
const TICKS_PER_SECOND = 100; // USER_HZ of Linux

/** Runs a command of the platform and reads what it uses from /proc until it ends. */
export function cost(args: readonly string[], env: Record<string, string>): { ended: Promise<Cost> } {
  const startedAt = performance.now();
  const { child, ended, output } = startProcess(args, env);
  let used = { processorSeconds: 0, peakBytes: 0 };
  const timer = setInterval(() => {
    void usageOf(child.pid ?? 0).then(
      ({ processorSeconds, peakBytes }) =>
        (used = { processorSeconds, peakBytes: Math.max(used.peakBytes, peakBytes) }),
      () => undefined, // the command has ended
    );
  }, EVERY_MILLIS);
  return {
    ended: ended.then((exitCode) => {
      clearInterval(timer);
      if (exitCode !== 0) console.error(output());
      return { exitCode, seconds: (performance.now() - startedAt) / 1_000, ...used };
    }),
  };
}

async function usageOf(pid: number): Promise<Pick<Cost, 'processorSeconds' | 'peakBytes'>> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const kilobytes = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0); // absent once the command has ended
  return {
    processorSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    peakBytes: kilobytes * 1_024,
  };
}
