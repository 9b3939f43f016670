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

const BYTES_PER_FIELD = 150;
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
  private root: CostedFields | undefined;
  private fields = 0;

  constructor(document: DocumentNode, operation: OperationDefinitionNode, graph: CostedGraph) {
    this.graph = graph;
    this.operation = operation;
    this.fragments = fragmentsOf(document);
  }

  /** Computes what each selected field costs, so that `of` only has to walk the answer. */
  prepare(): void {
    this.root ??= this.costedRoot();
  }

  /** Its approximate memory, with what `prepare` has computed. */
  get bytes(): number {
    return this.fields * BYTES_PER_FIELD;
  }

  of(data: unknown): number {
    this.prepare();
    return this.root && isJsonObject(data) ? objectCost(data, this.root) : 0;
  }

  private costedRoot(): CostedFields | undefined {
    const root = this.graph.schema.getRootType(this.operation.operation);
    return root ? this.costed([{ set: this.operation.selectionSet, type: root }]) : undefined;
  }

  /** The selections by key. Several fields with one key are merged, and cost once. */
  private costed(selections: readonly Selection[]): CostedFields {
    const byKey = new Map<string, Selected[]>();
    const add = ({ set, type }: Selection): void => {
      for (const selection of set.selections) {
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const known = byKey.get(key);
          if (known) known.push({ node: selection, type });
          else byKey.set(key, [{ node: selection, type }]);
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const fragment = this.fragments.get(selection.name.value);
          if (fragment)
            add({ set: fragment.selectionSet, type: typeOfFragment(this.graph.schema, fragment, type) });
        } else add({ set: selection.selectionSet, type: typeOfFragment(this.graph.schema, selection, type) });
      }
    };
    for (const selection of selections) add(selection);
    return [...byKey].flatMap(([key, selected]) => this.costedField(key, selected) ?? []);
  }

  private costedField(key: string, selected: readonly Selected[]): CostedField | undefined {
    const [first] = selected;
    if (!first) return undefined;
    this.fields += 1;
    const { node, type } = first;
    const field = 'getFields' in type ? type.getFields()[node.name.value] : undefined;
    if (!field) return undefined;
    const coordinate = `${type.name}.${field.name}`;
    const result = getNamedType(field.type);
    const weight = this.weight(coordinate) ?? this.weight(result.name) ?? (isCompositeType(result) ? 1 : 0);
    let once =
      this.operation.operation === OperationTypeNode.MUTATION && this.isRoot(type) ? MUTATION_COST : 0;
    for (const argument of node.arguments ?? [])
      once += this.weight(`${coordinate}(${argument.name.value}:)`) ?? 0;
    if (!isCompositeType(result)) return { key, once, weight, below: undefined };
    const below = selected.flatMap((one) =>
      one.node.selectionSet ? [{ set: one.node.selectionSet, type: result }] : [],
    );
    return { key, once, weight, below: this.costed(below) };
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

/** A key of an object in the answer, and what its value costs. */
interface CostedField {
  readonly key: string;
  /** The cost of the field and its arguments, once for each object. */
  readonly once: number;
  /** The cost of each value in the answer. */
  readonly weight: number;
  /** Undefined for a leaf. */
  readonly below: CostedFields | undefined;
}
type CostedFields = readonly CostedField[];

function objectCost(data: JsonObject, fields: CostedFields): number {
  let cost = 0;
  for (const { key, once, weight, below } of fields) {
    const value = data[key];
    if (value !== undefined)
      cost += once + (below ? objectsCost(value, weight, below) : weight * countOf(value));
  }
  return cost;
}

/** The cost of an object, or of all objects of a list. */
function objectsCost(value: unknown, weight: number, below: CostedFields): number {
  if (Array.isArray(value))
    return value.reduce((sum: number, item: unknown) => sum + objectsCost(item, weight, below), 0);
  return isJsonObject(value) ? weight + objectCost(value, below) : 0;
}

/** The number of leaves: a list has one for each item. */
function countOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  return Array.isArray(value) ? value.reduce((sum: number, item: unknown) => sum + countOf(item), 0) : 1;
}
