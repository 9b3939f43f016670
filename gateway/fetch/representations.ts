import type { FetchNode, QueryPlanSelectionNode } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { jsonOf, fieldPrefix, type FieldPrefix } from '../response/json-text.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import { merge } from './merge.ts';
import { isInherited } from './inherited-names.ts';
import { compileRewrites } from './rewrites.ts';
import { typenamesWithin } from './type-conditions.ts';

/** Writes the `_entities` representations of the entities of one type, or of all types that have no writer of their own. */
export interface RepresentationWriter {
  /** The name of a required field whose value distinguishes most entities of the type; undefined if there is none. */
  readonly idField: string | undefined;
  /**
   * For two entities with equal values of `idField`: true if their representations are certainly equal. If it is false, the
   * calling code compares the texts of the representations.
   */
  isSame(entity: JsonObject, other: JsonObject): boolean;
  /**
   * The representation as JSON; undefined if the entity lacks a required field, so that it is not fetched.
   * @param hasNoEscapes whether no string in the entity contains a character that JSON escapes
   */
  write(entity: JsonObject, hasNoEscapes: boolean): string | undefined;
}

/** The writer for a type name. */
export type WriterOf = (typename: unknown) => RepresentationWriter;

interface Fragment {
  readonly typenames: ReadonlySet<string>;
  readonly selections: readonly QueryPlanSelectionNode[];
}

/** Compiles the `requires` of a fetch. */
export function compileRepresentations(
  { requires = [], inputRewrites }: FetchNode,
  supergraphSchema: GraphQLSchema,
): WriterOf {
  const fragments = fragmentsOf(requires, supergraphSchema);
  const rewrite = compileRewrites(inputRewrites, supergraphSchema);
  const pick = compilePick(requires, supergraphSchema);
  const byTypename = new Map<unknown, RepresentationWriter>();
  const ofOtherTypes: RepresentationWriter = {
    idField: undefined,
    isSame: () => false,
    write(entity) {
      const picked = pick(entity);
      if (!isJsonObject(picked) || !picked['__typename']) return undefined;
      rewrite?.(picked);
      return JSON.stringify(picked);
    },
  };
  // The map contains only type names of the schema, so that type names in answers cannot fill it.
  if (fragments && !rewrite)
    for (const typename of new Set(fragments.flatMap(({ typenames }) => [...typenames]))) {
      const leafFields = leafFieldsOf(fragments, typename);
      if (leafFields) byTypename.set(typename, leafFields);
    }
  return (typename) => byTypename.get(typename) ?? ofOtherTypes;
}

/** The fast case, which applies to most types: the representation has leaf fields only. */
class LeafFields implements RepresentationWriter {
  readonly idField: string | undefined;
  /** All except `idField` and `__typename`. */
  private readonly others: readonly string[];
  private readonly fields: readonly { readonly key: string; readonly prefix: FieldPrefix }[];

  constructor(keys: readonly string[]) {
    [this.idField, ...this.others] = keys.filter((key) => key !== '__typename');
    this.fields = keys.map((key, index) => ({ key, prefix: fieldPrefix(key, index === 0) }));
  }

  isSame(entity: JsonObject, other: JsonObject): boolean {
    for (const key of this.others) if (entity[key] !== other[key]) return false;
    return true;
  }

  write(entity: JsonObject, hasNoEscapes: boolean): string | undefined {
    let text = '';
    let isOpen = false; // see `coerceToJson`
    for (const { key, prefix } of this.fields) {
      const value = entity[key];
      if (value === undefined) return undefined;
      const isString = hasNoEscapes && typeof value === 'string';
      if (isString) text = text + (isOpen ? prefix.stringAfterString : prefix.string) + value;
      else text = text + (isOpen ? prefix.valueAfterString : prefix.value) + jsonOf(value);
      isOpen = isString;
    }
    return text + (isOpen ? '"}' : '}');
  }
}

/** Undefined if `requires` contains anything other than fragments on types. */
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

/** Undefined if the type's fields are in several fragments, or have selections. */
function leafFieldsOf(fragments: readonly Fragment[], typename: string): LeafFields | undefined {
  const [only, another] = fragments.filter(({ typenames }) => typenames.has(typename));
  if (!only || another) return undefined;
  const keys: string[] = [];
  for (const node of only.selections) {
    if (node.kind !== 'Field' || node.selections) return undefined;
    keys.push(node.alias ?? node.name);
  }
  if (!keys.includes('__typename') || keys.some(isInherited)) return undefined;
  return new LeafFields(keys);
}

type Pick = (source: unknown) => unknown;
type PickInto = (source: JsonObject, picked: JsonObject) => boolean;

/**
 * Copies the selected values. The result is null if `source` is no object, or if a field that is selected outside of fragments is
 * missing. A fragment that lacks a field, or is on another type, adds nothing.
 */
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
    if (!isJsonObject(source)) return null;
    const picked = Object.create(null) as JsonObject;
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
      if (isJsonObject(more)) merge(picked, more);
    }
    return true;
  };
