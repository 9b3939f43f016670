import { GraphQLError } from 'graphql';
import type { SubgraphError } from '../subgraphs/subgraph.ts';
import { isValues } from './merge.ts';
import type { ResponsePath } from './response-path.ts';

/** Where in the client's response a subgraph's error belongs; several places where one answer served several. */
export type PlacesOf = (path: readonly (string | number)[]) => readonly ResponsePath[];

/** A subgraph's errors as the response's: at their places in it, with the name of the service for the log. */
export function errorsOf(
  errors: readonly SubgraphError[],
  serviceName: string,
  placesOf: PlacesOf,
): GraphQLError[] {
  return errors.flatMap((told) => {
    const error = isValues(told) ? told : {};
    const extensions = isValues(error['extensions']) ? error['extensions'] : {};
    const message = error['message'];
    const options = {
      extensions: {
        ...extensions,
        serviceName,
        code: extensions['code'] || 'DOWNSTREAM_SERVICE_ERROR',
      },
    };
    const text =
      typeof message === 'string' && message !== ''
        ? message
        : `Error while fetching subquery from service "${serviceName}"`;
    const path = pathOf(error['path']);
    if (!path) return [new GraphQLError(text, options)];
    return placesOf(path).map((place) => new GraphQLError(text, { ...options, path: place }));
  });
}

/** Undefined where it is no path: a subgraph's answer is not to be trusted in its shape. */
function pathOf(path: unknown): readonly (string | number)[] | undefined {
  if (!Array.isArray(path)) return undefined;
  return path.every((step) => typeof step === 'string' || typeof step === 'number') ? path : undefined;
}
