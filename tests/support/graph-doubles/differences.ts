import { isDeepStrictEqual } from 'node:util';
import type { GraphQLFormattedError } from 'graphql';
import type { Response, Responses } from './both-executors.ts';

/**
 * In what the compiled executor differs from the stock one; undefined where it does not. Errors are compared as a set,
 * since fetches that run side by side may fail in any order.
 *
 * Three differences are meant.
 *
 * The stock executor tells of a value that the schema does not allow in the extensions at most, and drops all data for
 * some of them; ours has an error for each, at a null, and keeps the other data.
 *
 * An error of the n-th representation belongs to the entity that this was made of. The stock
 * executor places it at the n-th entity there is, which is another one where some were not asked about; ours must then
 * stand at a null of the response, or at the entity as a whole.
 */
export function differenceOf({ stock, json, result }: Responses): string | undefined {
  if (!isDeepStrictEqual(json, result)) return `as JSON ${shown(json)}\nas a result ${shown(result)}`;
  if (stock?.data === undefined)
    return json.errors?.length ? undefined : `no error, but the stock executor threw`;
  if (!isDeepStrictEqual(json.data, stock.data))
    return `data ${shown(json.data)}\ninstead of ${shown(stock.data)}`;
  if (!isDeepStrictEqual(json.extensions, stock.extensions))
    return `extensions ${shown(json.extensions)}\ninstead of ${shown(stock.extensions)}`;
  if (stock.errors?.length) return differenceOfErrors(json, stock);
  const { errors = [] } = json;
  if (errors.length === 0 && (stock.extensions || json.data === null)) return 'no error for what was lost';
  return errors.every((error) => isOfLostValue(error) && standsAtNoValue(error, json.data))
    ? undefined
    : `errors ${shown(errors)}`;
}

const isOfLostValue = ({ message }: GraphQLFormattedError): boolean =>
  message === 'A service gave a value here that its schema does not allow.';

function differenceOfErrors(ours: Response, stock: Response): string | undefined {
  const [only, missing] = [without(ours.errors, stock.errors), without(stock.errors, ours.errors)];
  const moved =
    isDeepStrictEqual(only.map(placeless).toSorted(), missing.map(placeless).toSorted()) &&
    only.every((error) => standsAtNoValue(error, ours.data));
  return moved ? undefined : `errors ${shown(only)}\ninstead of ${shown(missing)}`;
}

/** Those of the errors that are not among the others, each as often as it is missing there. */
function without(
  errors: readonly GraphQLFormattedError[] = [],
  others: readonly GraphQLFormattedError[] = [],
): GraphQLFormattedError[] {
  const left = others.map(shown);
  return errors.filter((error) => {
    const at = left.indexOf(shown(error));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const placeless = ({ path, ...error }: GraphQLFormattedError): string =>
  shown({ ...error, path: path?.map((step) => (typeof step === 'number' ? '@' : step)) });

function standsAtNoValue({ path = [] }: GraphQLFormattedError, data: unknown): boolean {
  let value = data;
  for (const step of path) {
    if (value === null || value === undefined) return true;
    value = (value as Record<string | number, unknown>)[step];
  }
  return typeof value === 'object' || value === undefined;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
