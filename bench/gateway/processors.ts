import { execFileSync } from 'node:child_process';

/**
 * Which processor is whose: the contender that is measured has one to itself, the load and the subgraphs have the
 * others. On processors that they share, each contender's latencies would tell mostly of how long it waited for the
 * load that is put on it, and a fast one's more than a slow one's, as more is put on it.
 */
export interface Processors {
  /** Goes before a contender's command. */
  readonly forContender: readonly string[];
  readonly description: string;
}

/** Moves this process, and with it all that it starts, off the contenders' processor. */
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

/** By taskset of util-linux, as "0-3,6". */
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
