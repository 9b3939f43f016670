import type { FetchDataRewrite } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import { typenamesWithin } from './type-conditions.ts';

/** Changes values in place. */
export type Rewriter = (value: unknown) => void;

type RewriteStep = { readonly field: string } | { readonly typenames: ReadonlySet<string> };

const CONDITION = '... on ';

/**
 * The planner's changes to a subgraph's input or output: a field is renamed, or set to a value, such as the type name of
 * an object whose subgraph has only its interface (`@interfaceObject`).
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
    .map((step): RewriteStep =>
      step.startsWith(CONDITION)
        ? { typenames: typenamesWithin(schema, step.slice(CONDITION.length)) }
        : { field: step },
    );
  const change =
    rewrite.kind === 'ValueSetter' ? setter(field, rewrite.setValueTo) : renamer(field, rewrite.renameKeyTo);
  return (value) => changeAt(value, steps, 0, change);
}

function changeAt(
  value: unknown,
  steps: readonly RewriteStep[],
  depth: number,
  change: (at: JsonObject) => void,
): void {
  if (Array.isArray(value)) {
    for (const element of value) changeAt(element, steps, depth, change);
    return;
  }
  if (!isJsonObject(value)) return;
  const step = steps[depth];
  if (!step) change(value);
  else if ('field' in step) changeAt(value[step.field], steps, depth + 1, change);
  else if (mayBeOneOf(value, step.typenames)) changeAt(value, steps, depth + 1, change);
}

/** An object without `__typename` is assumed to have the type that the planner expects. */
const mayBeOneOf = ({ __typename }: JsonObject, typenames: ReadonlySet<string>): boolean =>
  !__typename || typenames.has(__typename as string);

const setter = (field: string, to: unknown) => (at: JsonObject) => {
  at[field] = to;
};

const renamer = (field: string, to: string) => (at: JsonObject) => {
  const value = at[field];
  if (!value) return;
  at[to] = value;
  at[field] = undefined;
};
