/** A training as a range of times, in milliseconds since 1970, with its minutes. */
export type TimedTraining = readonly [startedAt: number, endedAt: number, minutes: number];

const MINUTE_MILLIS = 60_000;

/**
 * The minutes of trainings that overlap. The share of a training is its minutes divided by its length. Every moment counts
 * once: by the training with the highest share. So a training that was logged twice counts as one, and a pause in one of two
 * trainings is filled by the other.
 *
 * The trainings are applied in the order of their shares, the highest first, to the moments that are not yet counted. `next`
 * leads from each moment to the next one that is not counted, so the effort grows with n log n, although each of n trainings
 * may overlap all others.
 */
export function minutesOfOverlapping(trainings: readonly TimedTraining[]): number {
  const moments = [...new Set(trainings.flatMap(([startedAt, endedAt]) => [startedAt, endedAt]))].toSorted(
    (one, other) => one - other,
  );
  const indexOf = new Map(moments.map((moment, index) => [moment, index]));
  const next = moments.map((_moment, index) => index);
  const uncounted = (from: number): number => {
    let index = from;
    while (next[index] !== index) {
      next[index] = next[next[index] as number] as number; // within the array, because the last moment leads to itself
      index = next[index] as number;
    }
    return index;
  };
  const byShare = trainings
    .filter(([startedAt, endedAt]) => endedAt > startedAt)
    .map(([startedAt, endedAt, minutes]) => ({ startedAt, endedAt, share: minutes / (endedAt - startedAt) }))
    .toSorted((one, other) => other.share - one.share);
  let minutes = 0;
  for (const { startedAt, endedAt, share } of byShare) {
    const end = indexOf.get(endedAt) ?? 0;
    for (let index = uncounted(indexOf.get(startedAt) ?? 0); index < end; index = uncounted(index)) {
      minutes += ((moments[index + 1] ?? 0) - (moments[index] ?? 0)) * share;
      next[index] = index + 1;
    }
  }
  return minutes;
}

/** Adds a millisecond, because a sum of shares is not exact and may be a little less than a whole minute. */
export const wholeMinutesOf = (minutes: number): number => Math.floor(minutes + 1 / MINUTE_MILLIS);
