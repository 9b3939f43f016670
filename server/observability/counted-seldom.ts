import type { Logger } from './logger.ts';

const COUNT_EVERY_MILLIS = 10_000; // 10 s
/** A scraper does not wait longer for a database that hangs; it gets the previous figures. */
const WAIT_MILLIS = 1_000; // 1 s

interface CountedSeldom<Figures> {
  (): Promise<Figures>;
  /** Makes the next call count again, even if the last count was less than 10 s ago. */
  invalidate(): void;
}

/**
 * A function that returns figures of a database for the metrics, counted at most every 10 s however often they are read. If
 * the database does not answer, it returns the previous figures.
 * @param first the figures before the first count
 */
export function countedSeldom<Figures>(
  log: Logger,
  count: () => Promise<Figures>,
  first: Figures,
): CountedSeldom<Figures> {
  let known = first;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  const recount = async (): Promise<void> => {
    countedAt = performance.now();
    try {
      known = await count();
    } catch (error) {
      log.debug({ err: error }, 'figures for the metrics could not be counted');
    }
  };
  const figures = async (): Promise<Figures> => {
    if (!counting && performance.now() - countedAt > COUNT_EVERY_MILLIS)
      counting = recount().finally(() => (counting = undefined));
    if (counting) await withinMillis(counting, WAIT_MILLIS);
    return known;
  };
  const invalidate = () => void (countedAt = Number.NEGATIVE_INFINITY);
  return Object.assign(figures, { invalidate });
}

async function withinMillis(work: Promise<void>, millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, millis)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
