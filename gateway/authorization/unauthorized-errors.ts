import { GraphQLError } from 'graphql';
import { ERRORS } from '#server/errors.ts';
import type { ProtectedField } from './protected-fields.ts';

/** One error for each topmost refused field. Its path has no list indexes, because the field was not fetched. */
export const unauthorizedErrors = (refused: readonly ProtectedField[]): GraphQLError[] => {
  const paths = refused.map(({ path }) => path.filter((key) => key !== '@'));
  const all = new Set(paths.map((path) => path.join('.'))); // a response key contains no dot
  const reported = new Set<string>();
  const topmost = paths.filter((path) => {
    let above = '';
    for (const key of path.slice(0, -1)) {
      above = above === '' ? key : `${above}.${key}`;
      if (all.has(above)) return false;
    }
    const whole = path.join('.');
    if (reported.has(whole)) return false;
    reported.add(whole);
    return true;
  });
  return topmost.map(
    (path) =>
      new GraphQLError(
        'You may not read this field: log in, or use an account that has the right to read it.',
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
