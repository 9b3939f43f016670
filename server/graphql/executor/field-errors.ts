import { locatedError, type GraphQLError } from 'graphql';
import { pathToArray, type Path } from 'graphql/jsutils/Path.js';
import type { Location } from './pending-text.ts';

/** The errors of one execution, by the rules of graphql-js. */
export class FieldErrors {
  readonly reported: GraphQLError[] = [];
  /** The paths at which an error has made the value null; undefined is the path of the whole data. */
  private readonly nulled = new Set<Path | undefined>();

  /**
   * Reports the error, and returns `null` as the value's text.
   * @throws GraphQLError if the value may not be null, so that its parent becomes null instead
   */
  readonly handle = (thrown: unknown, { nodes, path, isNonNull }: Location): string => {
    const error = locatedError(thrown, nodes, pathToArray(path));
    if (isNonNull) throw error;
    this.report(error, path);
    return 'null';
  };

  /** @param path of the value that becomes null; undefined for all data. Below a value that is null nothing is reported. */
  report(error: GraphQLError, path: Path | undefined): void {
    for (let at: Path | undefined = path; at; at = at.prev) if (this.nulled.has(at)) return;
    if (this.nulled.has(undefined)) return;
    this.nulled.add(path);
    this.reported.push(error);
  }
}
