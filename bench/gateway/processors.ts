import { execFileSync } from 'node:child_process';

/**
 * The assignment of processors: the measured contender has one of its own, the load generator and the subgraphs have the
 * others. On shared processors a latency would mostly be the time that a contender waits for the load generator, and more
 * so for a fast contender, because it gets more load.
 */
interface Processors {
  /** The prefix of a contender's command. */
  readonly forContender: readonly string[];
  readonly description: string;
}

/** Moves this process, and all processes that it starts, to the other processors. */
export function divideProcessors(): Processors {
  const [first, ...others] = allowedProcessors();
  if (first === undefined || others.length === 0)
    return { forContender: [], description: 'processors shared by all, as there is one only, or no taskset' };
  execFileSync('taskset', ['-a', '-c', '-p', others.join(','), String(process.pid)]);
  return {
    forContender: ['taskset', '-c', String(first)],
    description: 'one processor for the contender, the others for load and subgraphs',
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
