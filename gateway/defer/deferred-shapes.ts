import {
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';
import { isJsonObject } from '#server/json-object.ts';
import type { ResponsePath } from '../response/response-path.ts';
import { objectShape, type ObjectShape } from '../response/response-shape.ts';
import type { SelectedFields } from '../response/selected-fields.ts';
import { isDeferred } from './defer-directive.ts';
import { numberOf } from './deferred-document.ts';

/** A place of the response at which the fields of a deferred fragment are still missing. */
export interface Place {
  /** The number of the fragment. */
  readonly fragment: number;
  readonly path: ResponsePath;
  /** The shape of the fragment's own fields, and the fragments that are deferred inside of it. */
  readonly fields: DeferredShape;
}

/** The shape of an object without what is deferred in it, and the places below it at which something is deferred. */
export class DeferredShape {
  readonly shape: ObjectShape;
  private readonly schema: GraphQLSchema;
  private readonly selected: SelectedFields;
  private readonly type: GraphQLObjectType;
  private readonly selectionSets: readonly SelectionSetNode[];
  private compiled: DeferredParts | undefined;

  constructor(
    schema: GraphQLSchema,
    selected: SelectedFields,
    type: GraphQLObjectType,
    selectionSets: readonly SelectionSetNode[],
  ) {
    this.schema = schema;
    this.selected = selected;
    this.type = type;
    this.selectionSets = selectionSets;
    this.shape = objectShape(schema, type, selectionSets, selected);
  }

  /**
   * The places in this object.
   * @param coerced the object in the response; if it is null, nothing is deferred
   * @param fetched the same object before result coercion, which also has the type names
   */
  places(coerced: unknown, fetched: unknown, path: ResponsePath, found: Place[] = []): Place[] {
    if (!isJsonObject(coerced)) return found;
    const { here, fields } = (this.compiled ??= this.compile());
    for (const { fragment, shape } of here) found.push({ fragment, path, fields: shape });
    const given = isJsonObject(fetched) ? fetched : {};
    for (const { key, shapeOf } of fields) findIn(coerced[key], given[key], [...path, key], shapeOf, found);
    return found;
  }

  private compile(): DeferredParts {
    const { type, schema, selected, selectionSets } = this;
    const shapeFor = (inner: GraphQLObjectType, sets: readonly SelectionSetNode[]) =>
      new DeferredShape(schema, selected, inner, sets);
    const here = selected.deferredOf(type, selectionSets).map((fragment) => ({
      fragment: numberOf(fragment),
      shape: shapeFor(type, [fragment.selectionSet]),
    }));
    const fields: FieldWithDeferred[] = [];
    for (const [key, nodes] of selected.of(type, selectionSets)) {
      const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
      const field = type.getFields()[nodes[0]?.name.value ?? ''];
      if (!field || !sets.some(containsDeferred)) continue;
      fields.push({
        key,
        shapeOf: byTypename(schema, getNamedType(field.type), (one) => shapeFor(one, sets)),
      });
    }
    return { here, fields };
  }
}

/** What is deferred in an object itself (`here`), and the fields that lead to more of it. */
interface DeferredParts {
  readonly here: readonly { readonly fragment: number; readonly shape: DeferredShape }[];
  readonly fields: readonly FieldWithDeferred[];
}

type ShapeOf = (typename: unknown) => DeferredShape | undefined;

/** A field below which something is deferred. */
interface FieldWithDeferred {
  readonly key: string;
  readonly shapeOf: ShapeOf;
}

function findIn(
  coerced: unknown,
  fetched: unknown,
  path: ResponsePath,
  shapeOf: ShapeOf,
  found: Place[],
): void {
  if (Array.isArray(coerced)) {
    const given: readonly unknown[] = Array.isArray(fetched) ? fetched : [];
    for (const [index, element] of coerced.entries())
      findIn(element, given[index], [...path, index], shapeOf, found);
  } else if (isJsonObject(coerced)) {
    const shape = shapeOf(isJsonObject(fetched) ? fetched['__typename'] : undefined);
    shape?.places(coerced, fetched, path, found);
  }
}

/** For an object type one shape, for an interface or union one for each possible type that occurs. */
function byTypename(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  shapeFor: (type: GraphQLObjectType) => DeferredShape,
): ShapeOf {
  const known = new Map<string, DeferredShape>();
  return (typename) => {
    const concrete = isAbstractType(type) ? schema.getType(String(typename)) : type;
    if (!isObjectType(concrete)) return undefined;
    const shape = known.get(concrete.name) ?? shapeFor(concrete);
    known.set(concrete.name, shape);
    return shape;
  };
}

const containing = new WeakMap<SelectionSetNode, boolean>();

/**
 * Whether a fragment is deferred at any depth of these selections. A spread does not count: `deferred-document.ts` has
 * replaced every spread that leads to `@defer` by an inline fragment.
 */
function containsDeferred(set: SelectionSetNode): boolean {
  const known = containing.get(set);
  if (known !== undefined) return known;
  const contains = set.selections.some(
    (node) => isDeferred(node) || (hasSelections(node) && containsDeferred(node.selectionSet)),
  );
  containing.set(set, contains);
  return contains;
}

const hasSelections = (
  node: SelectionSetNode['selections'][number],
): node is (FieldNode | InlineFragmentNode) & { selectionSet: SelectionSetNode } =>
  node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet !== undefined;
