import type { RepeatedValues } from './repeated-values.ts';

/** The input and the findings of one result coercion (GraphQL specification, 6.4.3). */
export class ResultCoercion {
  /** A value was null or of another type although the schema does not allow that; null was propagated to its parent. */
  hasInvalidValue = false;
  /** A value whose coercion the shapes cannot decide, such as an object with an unknown type name. */
  needsFallback = false;
  readonly repeatedValues: RepeatedValues | undefined;
  /** Whether no string in the data contains a character that JSON escapes. */
  readonly hasNoEscapes: boolean;

  constructor({
    repeatedValues,
    hasNoEscapes,
  }: {
    repeatedValues: RepeatedValues | undefined;
    hasNoEscapes: boolean;
  }) {
    this.repeatedValues = repeatedValues;
    this.hasNoEscapes = hasNoEscapes;
  }
}

/** For `coerceToValue`: repeated values and escapes matter only if the result is JSON text. */
export const coercionToValue = (): ResultCoercion =>
  new ResultCoercion({ repeatedValues: undefined, hasNoEscapes: false });

/** Notes an invalid value, which becomes null. */
export function invalid(coercion: ResultCoercion): undefined {
  coercion.hasInvalidValue = true;
}

/** Notes a value that the shapes cannot decide. */
export function undecided(coercion: ResultCoercion): undefined {
  coercion.needsFallback = true;
}
