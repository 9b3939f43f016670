import { PlatformError } from '../errors.ts';
import { isTooDeep, tooDeep } from '../http/json-body.ts';

/** How many values all variables of an operation may contain; each item of a list and each field of an object counts. */
const MAX_VARIABLE_VALUES = 10_000;

/**
 * The error for variables with too many values or too many nested levels; undefined if they are allowed. Call this function
 * before the variables are coerced.
 */
export function refusalOfVariables(variables: Readonly<Record<string, unknown>>): PlatformError | undefined {
  if (isTooDeep(variables)) return tooDeep();
  return hasTooManyValues(variables)
    ? new PlatformError(
        'OPERATION_LIMIT_EXCEEDED',
        `The variables contain more than ${MAX_VARIABLE_VALUES} values; split the operation into several.`,
      )
    : undefined;
}

function hasTooManyValues(variables: object): boolean {
  const open: object[] = [variables];
  let count = 0;
  for (let next = open.pop(); next; next = open.pop())
    for (const value of Object.values(next) as unknown[]) {
      count += 1;
      if (count > MAX_VARIABLE_VALUES) return true;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  return false;
}
