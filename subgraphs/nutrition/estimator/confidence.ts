import type { Source } from './weights.ts';

/**
 * How sure a number is. A confidence of 0.9 says: the truth is expected within 10 percent of the number; 0.5: within
 * half of it. So the promised range is always `number * (1 ± (1 - confidence))`. The figures are fitted to the
 * calibration set so that at least four of five meals lie in their range; `docs/nutrition.md` says how.
 */
export const CONFIDENCE: Readonly<Record<Source | 'unknown', number>> = {
  /** A weight or volume was written. */
  weight: 0.88,
  /** An energy was written; the weight is derived from it. */
  energy: 0.92,
  /** A measure that the table weighs, or a piece with its size. */
  measure: 0.85,
  /** A count of pieces. */
  pieces: 0.81,
  /** A bowl, a handful, a small one of what the table knows only one size of. */
  vessel: 0.62,
  /** What goes in or on another food. */
  filling: 0.45,
  /** Nothing was said: the usual portion. */
  portion: 0.5,
  unknown: 0,
};

/** Factors for what makes a number less sure. */
export const LESS_SURE = {
  /** A slip of the keyboard was forgiven. */
  corrected: 0.93,
  /** A word beside the name was not understood. */
  leftOut: 0.7,
  /** "2 or 3", "a few". */
  vague: 0.9,
  /** A dish, whose recipe differs from kitchen to kitchen. */
  dish: 0.75,
  /** A kind of food that differs much from maker to maker or cut to cut. */
  variable: 0.9,
  /** What it is flavoured with was not looked up. */
  flavoured: 0.85,
  /** Something was left out of a dish. */
  minus: 0.85,
} as const;

/** At most this if the weight is more than a person eats at a meal. */
export const IMPLAUSIBLE = 0.5;
/** If a number can be read in two ways. */
export const DOUBTFUL = 0.3;

/** How much of the errors of a meal's parts is common to them, as of a person whose portions are all large. */
const COMMON_ERROR = 0.3;

/** The confidence of a sum: the errors of its parts cancel as far as they are independent. */
export function ofSum(parts: readonly { calories: number; confidence: number }[]): number {
  const total = parts.reduce((sum, { calories }) => sum + calories, 0);
  if (total === 0) return parts.length === 0 ? 0 : Math.min(...parts.map(({ confidence }) => confidence));
  const squares = parts.reduce(
    (sum, { calories, confidence }) => sum + (calories * (1 - confidence)) ** 2,
    0,
  );
  const linear = parts.reduce((sum, { calories, confidence }) => sum + calories * (1 - confidence), 0);
  const error = COMMON_ERROR * linear + (1 - COMMON_ERROR) * Math.sqrt(squares);
  return 1 - Math.min(1, error / total);
}
