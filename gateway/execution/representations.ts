import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { jsonOf } from './json-text.ts';
import { isValues, merge, type Values } from './merge.ts';
import { isInherited } from './names.ts';
import { compileRewrites } from './rewrites.ts';
import { typenamesWithin } from './typenames.ts';

/** How the entities of a type are represented. */
export interface Representation {
  /** The field that alone tells entities of the type apart; undefined where several do, or what is not known beforehand. */
  readonly id: string | undefined;
  /** What a subgraph needs to know of an entity, as JSON; undefined for one that it is not asked about. */
  write(entity: Values): string | undefined;
}

/** How an entity is represented, by its type. */
export type RepresentationOf = (entity: Values) => Representation;

interface Fragment {
  readonly typenames: ReadonlySet<string>;
  readonly selections: readonly QueryPlanSelectionNode[];
}

/** Representations by a fetch's `requires`. */
export function compileRepresentations(
  { requires = [], inputRewrites }: FetchNode,
  supergraphSchema: GraphQLSchema,
): RepresentationOf {
  const fragments = fragmentsOf(requires, supergraphSchema);
  const rewrite = compileRewrites(inputRewrites, supergraphSchema);
  const pick = compilePick(requires, supergraphSchema);
  const byTypename = new Map<unknown, Representation>();
  const ofAnyType: Representation = {
    id: undefined,
    write(entity) {
      const picked = pick(entity);
      if (!isValues(picked) || !picked['__typename']) return undefined;
      rewrite?.(picked);
      return JSON.stringify(picked);
    },
  };
  // Type names of the schema only, whatever a subgraph may invent.
  if (fragments && !rewrite)
    for (const typename of new Set(fragments.flatMap(({ typenames }) => [...typenames]))) {
      const leaves = leavesWithin(fragments, typename);
      if (leaves) byTypename.set(typename, leaves);
    }
  return ({ __typename }) => byTypename.get(__typename) ?? ofAnyType;
}

/** For most types: fields written one after the other. */
class Leaves implements Representation {
  readonly id: string | undefined;
  private readonly fields: readonly { readonly key: string; readonly lead: string }[];

  constructor(keys: readonly string[]) {
    const [id, another] = keys.filter((key) => key !== '__typename');
    this.id = another === undefined ? id : undefined;
    this.fields = keys.map((key, index) => ({ key, lead: `${index ? ',' : '{'}${JSON.stringify(key)}:` }));
  }

  write(entity: Values): string | undefined {
    let text = '';
    for (const { key, lead } of this.fields) {
      const value = entity[key];
      if (value === undefined) return undefined;
      text += lead + jsonOf(value);
    }
    return `${text}}`;
  }
}

/** Undefined where `requires` is more than fragments on types. */
function fragmentsOf(
  requires: readonly QueryPlanSelectionNode[],
  schema: GraphQLSchema,
): readonly Fragment[] | undefined {
  const fragments: Fragment[] = [];
  for (const node of requires) {
    if (node.kind !== 'InlineFragment' || node.typeCondition === undefined) return undefined;
    fragments.push({
      typenames: typenamesWithin(schema, node.typeCondition),
      selections: node.selections,
    });
  }
  return fragments;
}

function leavesWithin(fragments: readonly Fragment[], typename: string): Leaves | undefined {
  const [only, another] = fragments.filter(({ typenames }) => typenames.has(typename));
  if (!only || another) return undefined;
  const keys: string[] = [];
  for (const node of only.selections) {
    if (node.kind !== 'Field' || node.selections) return undefined;
    keys.push(node.alias ?? node.name);
  }
  if (!keys.includes('__typename') || keys.some(isInherited)) return undefined;
  return new Leaves(keys);
}

type Pick = (source: unknown) => unknown;
type PickInto = (source: Values, picked: Values) => boolean;

/** The selections' values; null where one of its fields is missing. */
function compilePick(selections: readonly QueryPlanSelectionNode[], schema: GraphQLSchema): Pick {
  const parts = selections.map((node): PickInto =>
    node.kind === 'Field'
      ? pickField(node.alias ?? node.name, node.selections && compilePick(node.selections, schema))
      : pickFragment(
          node.typeCondition === undefined ? undefined : typenamesWithin(schema, node.typeCondition),
          compilePick(node.selections, schema),
        ),
  );
  return (source) => {
    if (!isValues(source)) return null;
    const picked = Object.create(null) as Values;
    for (const part of parts) if (!part(source, picked)) return null;
    return picked;
  };
}

const pickField =
  (key: string, inside: Pick | undefined): PickInto =>
  (source, picked) => {
    if (!Object.hasOwn(source, key) || source[key] === undefined) return false;
    const value = source[key];
    picked[key] = !inside ? value : Array.isArray(value) ? value.map(inside) : inside(value);
    return true;
  };

const pickFragment =
  (typenames: ReadonlySet<string> | undefined, pick: Pick): PickInto =>
  (source, picked) => {
    if (typenames?.has(source['__typename'] as string)) {
      const more = pick(source);
      if (isValues(more)) merge(picked, more);
    }
    return true;
  };
