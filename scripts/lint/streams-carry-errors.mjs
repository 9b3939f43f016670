/**
 * Lint rule: a stream that fails must not end the process.
 *
 * `source.pipe(sink)` forwards no error, and an 'error' event without a listener is an uncaught exception. Therefore only
 * server/streams.ts, tests and scripts may use `.pipe(` and `Readable.from(`; other files use `pipeline`, `streamOf` or
 * `feed`. `z.string().pipe(...)`, a method of zod's schemas, is allowed.
 *
 * Plain JavaScript, because the linter loads it on any version of Node.
 */
import { pathFromRoot } from './path-from-root.mjs';

const ALLOWED_IN = /^(server\/streams\.ts$|tests\/|scripts\/)/;

/** The leftmost identifier of `a.b().c()`. */
function rootOf(node) {
  let current = node;
  while (current) {
    if (current.type === 'CallExpression') current = current.callee;
    else if (current.type === 'MemberExpression') current = current.object;
    else return current.type === 'Identifier' ? current.name : undefined;
  }
  return undefined;
}

/** The last name of an expression: `Readable` for both `Readable` and `stream.Readable`. */
const lastNameOf = (node) => (node.type === 'MemberExpression' ? nameOf(node) : node.name);

const nameOf = (member) => (member.computed ? undefined : member.property.name);

export const streamsCarryErrors = {
  meta: {
    type: 'problem',
    docs: { description: 'Forbids streams whose errors nobody receives.' },
  },
  create(context) {
    if (ALLOWED_IN.test(pathFromRoot(context.filename))) return {};
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression') return;
        const name = nameOf(callee);
        const root = rootOf(callee.object);
        if (name === 'pipe' && root !== 'z')
          context.report({
            node,
            message:
              '`.pipe(` forwards no error, so that a failing source ends the process: use pipeline, or streamOf or feed of #server/streams.ts.',
          });
        if (name === 'from' && lastNameOf(callee.object) === 'Readable')
          context.report({
            node,
            message: '`Readable.from(` has no error listener of its own: use streamOf of #server/streams.ts.',
          });
      },
    };
  },
};
