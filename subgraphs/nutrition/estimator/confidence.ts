import type { Source } from './weights.ts';

/**
 * The confidence of a number: the true value is expected within `number * (1 ± (1 - confidence))`, so 0.9 means within 10
 * percent. The figures are fitted to the calibration set, so that at least four of five meals are in their range;
 * `docs/nutrition.md` says how.
 */
export const CONFIDENCE: Readonly<Record<Source | 'unknown', number>> = {
  /** The text says a weight or volume. */
  weight: 0.88,
  /** The text says an energy, from which the weight follows. */
  energy: 0.92,
  /** A measure for which the table has a weight, or a piece with its size. */
  measure: 0.85,
  /** A count of pieces. */
  pieces: 0.81,
  /** A bowl or a handful; or a size of a food for which the table has only one. */
  vessel: 0.62,
  /** A food in or on another one. */
  filling: 0.45,
  /** The text says no amount, so that the usual portion is assumed. */
  portion: 0.5,
  unknown: 0,
};

/** Factors for circumstances that make a number less certain. */
export const CERTAINTY_FACTORS = {
  /** A typing error was corrected. */
  corrected: 0.93,
  /** A word beside the name was not understood. */
  leftOut: 0.7,
  /** "2 or 3", "a few". */
  vague: 0.9,
  /** A dish, for which recipes differ. */
  dish: 0.75,
  /** A kind of food that differs much between makers or cuts. */
  variable: 0.9,
  /** A flavour, which the estimate ignores. */
  flavoured: 0.85,
  /** A part of a dish was subtracted. */
  excluded: 0.85,
} as const;

/** The upper bound of a confidence if the weight is more than a person eats at a meal. */
export const IMPLAUSIBLE = 0.5;
/** The upper bound of a confidence if the number of the amount is ambiguous. */
export const DOUBTFUL = 0.3;

/** The share of the errors of a meal's parts that is common to them, as for a person whose portions are all large. */
const COMMON_ERROR = 0.3;

/** The confidence of a sum. The independent errors of its parts partly cancel each other out; their common errors do not. */
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
