import type { FetchDataRewrite } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isValues, type Values } from './merge.ts';
import { typenamesWithin } from './typenames.ts';

/** Changes values in place. */
export type Rewriter = (value: unknown) => void;

type Step = { readonly field: string } | { readonly typenames: ReadonlySet<string> };

const CONDITION = '... on ';

/**
 * What the planner wants changed in what goes to a subgraph or comes from it: a field renamed, or set to a value, as
 * with the type name of an object that its subgraph knows by its interface only.
 */
export function compileRewrites(
  rewrites: readonly FetchDataRewrite[] | undefined,
  supergraphSchema: GraphQLSchema,
): Rewriter | undefined {
  if (!rewrites?.length) return undefined;
  const compiled = rewrites.map((rewrite) => compileRewrite(rewrite, supergraphSchema));
  return (value) => {
    for (const rewrite of compiled) rewrite(value);
  };
}

function compileRewrite(rewrite: FetchDataRewrite, schema: GraphQLSchema): Rewriter {
  const field = rewrite.path.at(-1) ?? '';
  const steps = rewrite.path
    .slice(0, -1)
    .map((step): Step =>
      step.startsWith(CONDITION)
        ? { typenames: typenamesWithin(schema, step.slice(CONDITION.length)) }
        : { field: step },
    );
  const change =
    rewrite.kind === 'ValueSetter' ? setter(field, rewrite.setValueTo) : renamer(field, rewrite.renameKeyTo);
  return (value) => changeAt(value, steps, 0, change);
}

function changeAt(value: unknown, steps: readonly Step[], depth: number, change: (at: Values) => void): void {
  if (Array.isArray(value)) {
    for (const element of value) changeAt(element, steps, depth, change);
    return;
  }
  if (!isValues(value)) return;
  const step = steps[depth];
  if (!step) change(value);
  else if ('field' in step) changeAt(value[step.field], steps, depth + 1, change);
  else if (mayBeOneOf(value, step.typenames)) changeAt(value, steps, depth + 1, change);
}

/** An object that does not tell its type is taken for what the planner takes it for. */
const mayBeOneOf = ({ __typename }: Values, typenames: ReadonlySet<string>): boolean =>
  !__typename || typenames.has(__typename as string);

const setter = (field: string, to: unknown) => (at: Values) => {
  at[field] = to;
};

const renamer = (field: string, to: string) => (at: Values) => {
  const value = at[field];
  if (!value) return;
  at[to] = value;
  at[field] = undefined;
};
