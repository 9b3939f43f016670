import { GraphQLError } from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { extensionsOf } from '#server/graphql/errors.ts';
import type { ExecutionContext } from '../execution/execution-context.ts';
import { coercionErrors, invalidValue } from '../response/coercion-errors.ts';
import type { ResponsePath } from '../response/response-path.ts';
import type { ResultCoercion } from '../response/result-coercion.ts';

/** The outcome of a part's result coercion. */
interface Coerced {
  readonly data: unknown;
  readonly fetched: unknown;
  readonly coercion: ResultCoercion;
}

/** The errors of the primary part: those from before the execution, of its fetches, or of its invalid values. */
export function errorsOfPrimary(context: ExecutionContext, coerced: Coerced): readonly GraphQLError[] {
  const known = [...(context.request.errors ?? []), ...context.errors];
  return known.length > 0 ? known : errorsOfInvalidValues(coerced, [], context);
}

/**
 * The errors of a deferred part whose fetches had none at this place. If null was propagated to the whole part, there is at
 * least one, because a client cannot distinguish such a part from one that has not arrived.
 */
export function errorsOfNull(
  coerced: Coerced,
  path: ResponsePath,
  context: ExecutionContext,
): readonly GraphQLError[] {
  const errors = errorsOfInvalidValues(coerced, path, context);
  if (coerced.data !== null || errors.length > 0) return errors;
  return [new GraphQLError(MISSING.message, { path, extensions: extensionsOf(MISSING) })];
}

const MISSING = new PlatformError(
  'NOT_FOUND',
  'A service has not found this object, or you may not see it; the deferred fields of it are missing.',
);

function errorsOfInvalidValues(
  { data, fetched, coercion }: Coerced,
  path: ResponsePath,
  { missingEntities }: ExecutionContext,
): GraphQLError[] {
  if (!coercion.hasInvalidValue && !coercion.needsFallback) return [];
  const errors = coercionErrors(fetched, data, missingEntities);
  if (errors.length === 0 && coercion.needsFallback) return [invalidValue(path)];
  return errors.map((error) => invalidValue([...path, ...(error.path ?? [])]));
}

/** The errors of a part's fetches, each at the first place to which it belongs. */
export class ErrorsByPlace {
  private readonly byPlace: readonly GraphQLError[][];

  constructor(errors: readonly GraphQLError[], places: readonly ResponsePath[]) {
    this.byPlace = places.map(() => []);
    for (const error of errors) {
      const place = places.findIndex((path) => path.every((key, index) => error.path?.[index] === key));
      // An error without a path, or of an object that the client does not get, stands at the first place.
      this.byPlace[Math.max(place, 0)]?.push(error);
    }
  }

  at(place: number): readonly GraphQLError[] {
    return this.byPlace[place] ?? [];
  }
}
