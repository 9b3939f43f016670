import { isDeepStrictEqual } from 'node:util';
import type { GraphQLFormattedError } from 'graphql';
import type { Response, Responses } from './both-executors.ts';

/**
 * Describes the first difference between the response of our executor and that of the Apollo executor; undefined if
 * there is none. Errors are compared as a set, because parallel fetches may fail in any order.
 *
 * Three differences are intended:
 * - If the Apollo executor throws an error, our response has at least one error.
 * - The Apollo executor reports invalid values only in `extensions`, if at all, and for some of them it drops all data.
 *   Ours has an error for each, at a null, and keeps the other data.
 * - The error of the n-th representation belongs to the entity that this representation was made from. The Apollo
 *   executor gives it the path of the n-th entity of the response, which is another entity if some were not fetched. Our
 *   path must then lead to a null, or to a whole entity.
 */
export function differenceOf({ apollo, json, result }: Responses): string | undefined {
  if (!isDeepStrictEqual(json, result)) return `as JSON ${shown(json)}\nas a result ${shown(result)}`;
  if (apollo?.data === undefined)
    return json.errors?.length ? undefined : `no error, although the Apollo executor threw one`;
  if (!isDeepStrictEqual(json.data, apollo.data))
    return `data ${shown(json.data)}\ninstead of ${shown(apollo.data)}`;
  if (!isDeepStrictEqual(json.extensions, apollo.extensions))
    return `extensions ${shown(json.extensions)}\ninstead of ${shown(apollo.extensions)}`;
  if (apollo.errors?.length) return differenceOfErrors(json, apollo);
  const { errors = [] } = json;
  if (errors.length === 0 && (apollo.extensions || json.data === null))
    return 'no error for an invalid value';
  return errors.every((error) => isForInvalidValue(error) && leadsToNoScalar(error, json.data))
    ? undefined
    : `errors ${shown(errors)}`;
}

const isForInvalidValue = ({ message }: GraphQLFormattedError): boolean =>
  message === 'A service returned a value here that its schema does not allow.';

function differenceOfErrors(ours: Response, apollo: Response): string | undefined {
  const [only, missing] = [without(ours.errors, apollo.errors), without(apollo.errors, ours.errors)];
  const moved =
    isDeepStrictEqual(only.map(withoutIndexes).toSorted(), missing.map(withoutIndexes).toSorted()) &&
    only.every((error) => leadsToNoScalar(error, ours.data));
  return moved ? undefined : `errors ${shown(only)}\ninstead of ${shown(missing)}`;
}

/** The errors that `others` lacks. An error that occurs several times is returned as often as it is missing there. */
function without(
  errors: readonly GraphQLFormattedError[] = [],
  others: readonly GraphQLFormattedError[] = [],
): GraphQLFormattedError[] {
  const unmatched = others.map(shown);
  return errors.filter((error) => {
    const at = unmatched.indexOf(shown(error));
    if (at !== -1) unmatched.splice(at, 1);
    return at === -1;
  });
}

const withoutIndexes = ({ path, ...error }: GraphQLFormattedError): string =>
  shown({ ...error, path: path?.map((step) => (typeof step === 'number' ? '@' : step)) });

function leadsToNoScalar({ path = [] }: GraphQLFormattedError, data: unknown): boolean {
  let value = data;
  for (const step of path) {
    if (value === null || value === undefined) return true;
    value = (value as Record<string | number, unknown>)[step];
  }
  return typeof value === 'object' || value === undefined;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
