import { GraphQLError } from 'graphql';
import type { SubgraphError } from '../subgraphs/subgraph.ts';
import { isJsonObject } from '#server/json-object.ts';
import type { ResponsePath } from '../response/response-path.ts';

/** The response paths of a subgraph's error: several if equal entities shared one representation. */
type PathsOf = (path: readonly (string | number)[]) => readonly ResponsePath[];

/** A subgraph's errors as errors of the response: with paths in the response, and the name of the service for the log. */
export function errorsOf(
  errors: readonly SubgraphError[],
  serviceName: string,
  pathsOf: PathsOf,
): GraphQLError[] {
  return errors.flatMap((given) => {
    const error = isJsonObject(given) ? given : {};
    const extensions = isJsonObject(error['extensions']) ? error['extensions'] : {};
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
    return pathsOf(path).map((inResponse) => new GraphQLError(text, { ...options, path: inResponse }));
  });
}

/** Undefined if it is not a path, because a subgraph's errors may have any shape. */
function pathOf(path: unknown): readonly (string | number)[] | undefined {
  if (!Array.isArray(path)) return undefined;
  return path.every((step) => typeof step === 'string' || typeof step === 'number') ? path : undefined;
}
