import { GraphQLError } from 'graphql';
import { ERRORS } from '#server/errors.ts';
import type { ProtectedField } from './protected-fields.ts';

/** One error for each refused field, at the topmost path; lists on the way stand without an index, as nothing was fetched. */
export const unauthorizedErrors = (refused: readonly ProtectedField[]): GraphQLError[] => {
  const paths = refused.map(({ path }) => path.filter((key) => key !== '@'));
  const topmost = paths.filter(
    (path, index) =>
      !paths.some(
        (other, at) =>
          at !== index &&
          other.every((key, depth) => key === path[depth]) &&
          (other.length < path.length || at < index),
      ),
  );
  return topmost.map(
    (path) =>
      new GraphQLError(
        'You may not ask for this field: log in, or with an account that has the right to it.',
        {
          path,
          extensions: {
            code: 'UNAUTHORIZED_FIELD_OR_TYPE',
            http: { status: ERRORS.UNAUTHORIZED_FIELD_OR_TYPE.status },
          },
        },
      ),
  );
};
