import {
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { fragmentsOf, typeOfFragment, type Fragments } from '#server/graphql/fragments.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';

interface CostedGraph {
  readonly schema: GraphQLSchema;
  readonly directives: AppliedDirectives;
}

/** What each root field of a mutation costs in addition, as in the estimate. */
const MUTATION_COST = 10;

/**
 * Computes what an operation has cost, by the same weights as the estimate (`#server/graphql/cost.ts`), but with the lists
 * and objects that the answer has. A null costs nothing.
 */
export class ActualCost {
  private readonly graph: CostedGraph;
  private readonly operation: OperationDefinitionNode;
  private readonly fragments: Fragments;

  constructor(document: DocumentNode, operation: OperationDefinitionNode, graph: CostedGraph) {
    this.graph = graph;
    this.operation = operation;
    this.fragments = fragmentsOf(document);
  }

  of(data: unknown): number {
    const { schema } = this.graph;
    const root = schema.getRootType(this.operation.operation);
    if (!root || !isJsonObject(data)) return 0;
    return this.object(data, [{ set: this.operation.selectionSet, type: root }]);
  }

  private object(data: JsonObject, selections: readonly Selection[]): number {
    let cost = 0;
    for (const [key, fields] of this.fieldsOf(data, selections)) cost += this.field(data[key], fields);
    return cost;
  }

  /** The selections of each key that the object has. Several fields with one key are merged, and cost once. */
  private fieldsOf(data: JsonObject, selections: readonly Selection[]): Map<string, Selected[]> {
    const byKey = new Map<string, Selected[]>();
    const add = ({ set, type }: Selection): void => {
      for (const selection of set.selections) {
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const known = byKey.get(key);
          if (known) known.push({ node: selection, type });
          else if (data[key] !== undefined) byKey.set(key, [{ node: selection, type }]);
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = this.fragments.get(selection.name.value);
          if (fragment)
            add({ set: fragment.selectionSet, type: typeOfFragment(this.graph.schema, fragment, type) });
        } else add({ set: selection.selectionSet, type: typeOfFragment(this.graph.schema, selection, type) });
      }
    };
    for (const selection of selections) add(selection);
    return byKey;
  }

  private field(value: unknown, selected: readonly Selected[]): number {
    const [first] = selected;
    if (!first) return 0;
    const { node, type } = first;
    const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
    if (!field) return 0;
    const coordinate = `${type.name}.${field.name}`;
    const result = getNamedType(field.type);
    const weight = this.weight(coordinate) ?? this.weight(result.name) ?? (isCompositeType(result) ? 1 : 0);
    let cost =
      this.operation.operation === OperationTypeNode.MUTATION && this.isRoot(type) ? MUTATION_COST : 0;
    for (const argument of node.arguments ?? [])
      cost += this.weight(`${coordinate}(${argument.name.value}:)`) ?? 0;
    if (!isCompositeType(result)) return cost + weight * countOf(value);
    const below = selected.flatMap((one) =>
      one.node.selectionSet ? [{ set: one.node.selectionSet, type: result }] : [],
    );
    return cost + this.values(value, weight, below);
  }

  private values(value: unknown, weight: number, below: readonly Selection[]): number {
    if (Array.isArray(value))
      return value.reduce((sum: number, item: unknown) => sum + this.values(item, weight, below), 0);
    return isJsonObject(value) ? weight + this.object(value, below) : 0;
  }

  private isRoot(type: GraphQLCompositeType): boolean {
    return type === this.graph.schema.getRootType(this.operation.operation);
  }

  private weight(coordinate: string): number | undefined {
    const weight = this.graph.directives.at(coordinate, 'cost')[0]?.args.weight;
    return typeof weight === 'number' ? weight : undefined;
  }
}

interface Selection {
  readonly set: SelectionSetNode;
  readonly type: GraphQLCompositeType;
}

interface Selected {
  readonly node: FieldNode;
  readonly type: GraphQLCompositeType;
}

/** The number of leaves: a list has one for each item. */
function countOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  return Array.isArray(value) ? value.reduce((sum: number, item: unknown) => sum + countOf(item), 0) : 1;
}
