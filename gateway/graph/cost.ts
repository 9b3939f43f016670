import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  OperationTypeNode,
  valueFromASTUntyped,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { PlatformError } from '#server/errors.ts';
import type { AppliedDirectives } from '../supergraph/applied-directives.ts';

/** How much an operation asks for, with these variables. */
export type Cost = (variables: Readonly<Record<string, unknown>>) => number;

export interface CostOptions {
  schema: GraphQLSchema;
  directives: AppliedDirectives;
  /** Elements of a list of which no `@listSize` tells more. */
  assumedListSize: number;
  /** Pages hold no more than this, whatever is asked for. */
  maxListSize: number;
}

const MUTATION_COST = 10;

/**
 * The cost of an operation before it runs, by `@cost` and `@listSize` as the cost specification of Federation 2.9 counts:
 * an object 1, a leaf 0, a list as often as it may have elements, a mutation 10 more.
 */
export function costOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: CostOptions,
): Cost {
  const root = options.schema.getRootType(operation.operation);
  if (!root) return () => 0;
  const selected = new Estimator(document, options).selections(operation.selectionSet, root);
  const extra =
    operation.operation === OperationTypeNode.MUTATION
      ? MUTATION_COST * operation.selectionSet.selections.length
      : 0;
  const cost = sum([extra, selected]);
  return typeof cost === 'number' ? () => cost : cost;
}

export const tooCostly = (cost: number, limit: number): PlatformError =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation costs ${cost}, at most ${limit} is allowed: ask for shorter lists (first:), or for less in each.`,
  );

/** A number where no variable decides. */
type Estimate = number | Cost;

class Estimator {
  private readonly options: CostOptions;
  private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(document: DocumentNode, options: CostOptions) {
    this.options = options;
    this.fragments = new Map(
      document.definitions.flatMap((definition) =>
        definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
      ),
    );
  }

  /** @param sized how many elements the lists have that `@listSize(sizedFields:)` of the field above names */
  selections(set: SelectionSetNode, parent: GraphQLCompositeType, sized?: Sized): Estimate {
    return sum(
      set.selections.map((selection) => {
        if (selection.kind === Kind.FIELD) return this.field(selection, parent, sized);
        const body =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
        if (!body) return 0;
        const condition = body.typeCondition && this.options.schema.getType(body.typeCondition.name.value);
        return this.selections(body.selectionSet, isCompositeType(condition) ? condition : parent, sized);
      }),
    );
  }

  private field(node: FieldNode, parent: GraphQLCompositeType, sized: Sized | undefined): Estimate {
    const name = node.name.value;
    const field = 'getFields' in parent ? parent.getFields()[name] : undefined;
    if (!field) return 0;
    const coordinate = `${parent.name}.${name}`;
    const own = this.sizeByDirective(node, field, coordinate);
    const type = getNamedType(field.type);
    const weight = this.weight(coordinate) ?? this.weight(type.name) ?? (isCompositeType(type) ? 1 : 0);
    const below =
      node.selectionSet && isCompositeType(type)
        ? this.selections(node.selectionSet, type, own?.fields ? own : undefined)
        : 0;
    const each = sum([weight, below]);
    const args = sum(
      (node.arguments ?? []).map((argument) => this.weight(`${coordinate}(${argument.name.value}:)`) ?? 0),
    );
    if (!isListType(getNullableType(field.type))) return sum([args, each]);
    const size =
      sized?.fields?.has(name) === true
        ? sized.size
        : own && !own.fields
          ? own.size
          : this.options.assumedListSize;
    return sum([args, product(size, each)]);
  }

  private weight(coordinate: string): number | undefined {
    const weight = this.options.directives.at(coordinate, 'cost')[0]?.args.weight;
    return typeof weight === 'number' ? weight : undefined;
  }

  private sizeByDirective(
    node: FieldNode,
    field: GraphQLField<unknown, unknown>,
    coordinate: string,
  ): Sized | undefined {
    const args = this.options.directives.at(coordinate, 'listSize')[0]?.args;
    if (!args) return undefined;
    const assumed = typeof args.assumedSize === 'number' ? args.assumedSize : this.options.assumedListSize;
    const slices = strings(args.slicingArguments).map((name) => sliceOf(node, field, name));
    const most = this.options.maxListSize;
    const size: Estimate = slices.some(isVarying)
      ? (variables) => sizeOf(slices, assumed, most, variables)
      : sizeOf(slices, assumed, most, {});
    const fields = strings(args.sizedFields);
    return { size, fields: fields.length > 0 ? new Set(fields) : undefined };
  }
}

interface Sized {
  readonly size: Estimate;
  readonly fields: ReadonlySet<string> | undefined;
}

/** What stands in a slicing argument: a value, or where to find it among the variables. */
type Slice = unknown;

const isVarying = (slice: Slice): slice is Cost => typeof slice === 'function';

function sliceOf(node: FieldNode, field: GraphQLField<unknown, unknown>, name: string): Slice {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (value?.kind === Kind.VARIABLE) {
    const variable = value.name.value;
    return (variables: Readonly<Record<string, unknown>>) => variables[variable];
  }
  if (value) return valueFromASTUntyped(value);
  return field.args.find((argument) => argument.name === name)?.defaultValue;
}

function sizeOf(
  slices: readonly Slice[],
  assumed: number,
  most: number,
  variables: Readonly<Record<string, unknown>>,
): number {
  const given = slices
    .map((slice): unknown => (isVarying(slice) ? slice(variables) : slice))
    .filter((size) => typeof size === 'number');
  return Math.min(most, Math.max(0, given.length > 0 ? Math.max(...given) : assumed));
}

function sum(parts: readonly Estimate[]): Estimate {
  let fixed = 0;
  const varying: Cost[] = [];
  for (const part of parts) {
    if (typeof part === 'number') fixed += part;
    else varying.push(part);
  }
  if (varying.length === 0) return fixed;
  return (variables) => varying.reduce((total, part) => total + part(variables), fixed);
}

function product(a: Estimate, b: Estimate): Estimate {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  const value = (estimate: Estimate, variables: Readonly<Record<string, unknown>>): number =>
    typeof estimate === 'number' ? estimate : estimate(variables);
  return (variables) => value(a, variables) * value(b, variables);
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
