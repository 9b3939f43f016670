import { execFileSync } from 'node:child_process';

/**
 * The assignment of processors: the measured program has one of its own, the load generator and the subgraphs have the
 * others. On shared processors a latency would mostly be the time for which a program waits for the load generator, and
 * for a fast program even more, because it gets more load.
 */
interface Processors {
  /** The beginning of the command that starts a measured program; empty if the processors cannot be divided. */
  readonly forMeasured: readonly string[];
  readonly description: string;
}

/** Moves this process, and all processes that it starts, to the other processors. */
export function divideProcessors(): Processors {
  const [first, ...others] = allowedProcessors();
  if (first === undefined || others.length === 0)
    return {
      forMeasured: [],
      description: 'all programs share the processors, because there is only one, or taskset is missing',
    };
  execFileSync('taskset', ['-a', '-c', '-p', others.join(','), String(process.pid)]);
  return {
    forMeasured: ['taskset', '-c', String(first)],
    description: 'one processor for the measured program, the others for load and subgraphs',
  };
}

/** The output of taskset (util-linux), such as "0-3,6". */
function allowedProcessors(): number[] {
  let list: string;
  try {
    list = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  } catch {
    return [];
  }
  return (/: (.*)/.exec(list)?.[1] ?? '').split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
}
