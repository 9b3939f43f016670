import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { jsonOf, leadOf, type Lead } from './json-text.ts';
import { isValues, merge, type Values } from './merge.ts';
import { isInherited } from './names.ts';
import { compileRewrites } from './rewrites.ts';
import { typenamesWithin } from './typenames.ts';

/** How the entities of a type are represented. */
export interface Representation {
  /** A field by which most entities of the type can be told apart; undefined where none is known beforehand. */
  readonly id: string | undefined;
  /** Whether two entities of the same id are represented equally; false where it takes more than a look. */
  isSame(entity: Values, other: Values): boolean;
  /**
   * What a subgraph needs to know of an entity, as JSON; undefined for one that it is not asked about.
   * @param isPlain whether no string in it holds anything that JSON escapes
   */
  write(entity: Values, isPlain: boolean): string | undefined;
}

/** How entities are represented, by the name of their type. */
export type RepresentationOf = (typename: unknown) => Representation;

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
    isSame: () => false,
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
  return (typename) => byTypename.get(typename) ?? ofAnyType;
}

/** For most types: fields written one after the other. */
class Leaves implements Representation {
  readonly id: string | undefined;
  /** Beside the id and the type's name. */
  private readonly others: readonly string[];
  private readonly fields: readonly { readonly key: string; readonly lead: Lead }[];

  constructor(keys: readonly string[]) {
    [this.id, ...this.others] = keys.filter((key) => key !== '__typename');
    this.fields = keys.map((key, index) => ({ key, lead: leadOf(key, index === 0) }));
  }

  isSame(entity: Values, other: Values): boolean {
    for (const key of this.others) if (entity[key] !== other[key]) return false;
    return true;
  }

  write(entity: Values, isPlain: boolean): string | undefined {
    let text = '';
    let isOpen = false;
    for (const { key, lead } of this.fields) {
      const value = entity[key];
      if (value === undefined) return undefined;
      const isText = isPlain && typeof value === 'string';
      if (isText) text = text + (isOpen ? lead.textAfterText : lead.text) + value;
      else text = text + (isOpen ? lead.valueAfterText : lead.value) + jsonOf(value);
      isOpen = isText;
    }
    return text + (isOpen ? '"}' : '}');
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
