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
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Viewer } from '../auth/viewer.ts';
import { PlatformError } from '../errors.ts';
import type { AppliedDirectives } from './applied-directives.ts';
import { fragmentsOf, typeOfFragment, type Fragments } from './fragments.ts';
import { introspectionCost } from './introspection-cost.ts';
import { product, sum, type Estimate, type Variables } from './estimates.ts';

/**
 * Returns the error of an operation that is too costly with these variables; undefined if it may run. For 'anybody' the
 * limits of authenticated callers apply.
 */
export interface CostCheck {
  (variables: Variables, viewer: Viewer | 'anybody'): PlatformError | undefined;
  /** The estimated cost. */
  of(variables: Variables): number;
}

interface CostOptions {
  schema: GraphQLSchema;
  /** The uses of `@cost` and `@listSize` in the SDL. */
  directives: AppliedDirectives;
  /** The assumed length of a list without `@listSize`. */
  assumedListSize: number;
  /** The maximum page size, whatever `first` asks for. */
  maxListSize: number;
  /** How much one operation of an authenticated caller may cost at most. */
  costLimit: number;
  /** How much one operation of a caller without a token may cost at most. */
  anonymousCostLimit: number;
  /** What the operation costs besides its fields. Default: nothing. */
  more?: Estimate;
}

/** The share of the cost limit for callers without a token. It is enough for one log-in, which hashes a password. */
export const ANONYMOUS_COST_SHARE = 0.5;

/**
 * How many entities one operation may request from a service through `_entities`, under all its aliases together. The
 * gateway splits larger fetches.
 */
export const MAX_REPRESENTATIONS = 1_000;
/**
 * The same limit for callers without a token. Most of their entities are refused one by one, and an error takes more time
 * than a row.
 */
export const ANONYMOUS_MAX_REPRESENTATIONS = 250;

const isAnonymous = (viewer: Viewer | 'anybody'): boolean =>
  viewer !== 'anybody' && viewer.kind === 'anonymous';

const MUTATION_COST = 10;
/**
 * This field returns the whole SDL of a service, and aliases could request it hundreds of times. Its cost is here because
 * the SDL does not declare the field.
 */
const SDL_FIELD = '_Service.sdl';
const SDL_COST = 1_000;

/**
 * Computes the cost of an operation before it runs, from `@cost` and `@listSize`, as in the cost specification of
 * Federation 2.9: an object costs 1, a leaf 0; the cost of a list's item is multiplied by the largest length of the list;
 * each mutation field costs 10 more. Introspection has a separate cost.
 */
export function costCheck(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: CostOptions,
): CostCheck {
  const { schema, costLimit, anonymousCostLimit } = options;
  const root = schema.getRootType(operation.operation);
  if (!root) return Object.assign(() => undefined, { of: () => 0 });
  const introspection = introspectionCost(document, operation, schema);
  const estimator = new Estimator(document, options);
  const cost = sum([estimator.selections(operation.selectionSet, root), options.more ?? 0]);
  const representations = sum(estimator.representations);
  const check = (variables: Variables, viewer: Viewer | 'anybody') => {
    const requested = valueOf(representations, variables);
    const maxRequested = isAnonymous(viewer) ? ANONYMOUS_MAX_REPRESENTATIONS : MAX_REPRESENTATIONS;
    if (requested > maxRequested) return tooManyRepresentations(requested, maxRequested);
    if (introspection.cost > introspection.limit) return tooMuchIntrospection();
    const total = valueOf(cost, variables);
    const limit = isAnonymous(viewer) ? anonymousCostLimit : costLimit;
    return total > limit ? tooCostly(total, limit) : undefined;
  };
  return Object.assign(check, { of: (variables: Variables) => valueOf(cost, variables) });
}

const tooCostly = (cost: number, limit: number): PlatformError =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation costs ${cost}, at most ${limit} is allowed: ask for shorter lists (first:), or for fewer fields in each.`,
  );

const tooManyRepresentations = (asked: number, limit: number): PlatformError =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    `The operation asks _entities for ${asked} representations, at most ${limit} are allowed; split it into several.`,
  );

const tooMuchIntrospection = (): PlatformError =>
  new PlatformError(
    'OPERATION_LIMIT_EXCEEDED',
    'The operation asks for more than 1.5 times as much of the schema as the standard introspection query; send the standard query.',
  );

const valueOf = (estimate: Estimate, variables: Variables): number =>
  typeof estimate === 'number' ? estimate : estimate(variables);

class Estimator {
  /** How many entities each use of `_entities` in the operation requests. */
  readonly representations: Estimate[] = [];
  private readonly options: CostOptions;
  private readonly fragments: Fragments;
  /** The cost of each field node without the length of its list. It is computed once for each node. */
  private readonly ofFields = new Map<
    FieldNode,
    { args: Estimate; each: Estimate; own: Sized | undefined }
  >();
  /** The cost of a fragment, by the parent field's `sizedFields` (undefined if it has none) and the fragment's name. */
  private readonly ofFragments = new Map<Sized | undefined, Map<string, Estimate>>();

  constructor(document: DocumentNode, options: CostOptions) {
    this.options = options;
    this.fragments = fragmentsOf(document);
  }

  /** @param sized the lengths of lists that `@listSize(sizedFields:)` of the parent field sets */
  selections(set: SelectionSetNode, parent: GraphQLCompositeType, sized?: Sized): Estimate {
    return sum(
      set.selections.map((selection) => {
        if (selection.kind === Kind.FIELD) return this.field(selection, parent, sized);
        if (selection.kind === Kind.FRAGMENT_SPREAD)
          return this.fragment(selection.name.value, parent, sized);
        const type = typeOfFragment(this.options.schema, selection, parent);
        return this.selections(selection.selectionSet, type, sized);
      }),
    );
  }

  private fragment(name: string, parent: GraphQLCompositeType, sized: Sized | undefined): Estimate {
    const known = this.ofFragments.get(sized) ?? new Map<string, Estimate>();
    this.ofFragments.set(sized, known);
    const estimate = known.get(name);
    if (estimate !== undefined) return estimate;
    known.set(name, 0); // ends the recursion of a fragment that spreads itself, which validation refuses
    const body = this.fragments.get(name);
    const counted = body
      ? this.selections(body.selectionSet, typeOfFragment(this.options.schema, body, parent), sized)
      : 0;
    known.set(name, counted);
    return counted;
  }

  private field(node: FieldNode, parent: GraphQLCompositeType, sized: Sized | undefined): Estimate {
    const name = node.name.value;
    const field = 'getFields' in parent ? parent.getFields()[name] : undefined;
    if (!field) return 0;
    const known = this.ofFields.get(node) ?? this.parts(node, parent, field);
    this.ofFields.set(node, known);
    const { args, each, own } = known;
    if (!isListType(getNullableType(field.type))) return sum([args, each]);
    const size =
      sized?.fields?.has(name) === true
        ? sized.size
        : own && !own.fields
          ? own.size
          : this.options.assumedListSize;
    return sum([args, product(size, each)]);
  }

  private parts(node: FieldNode, parent: GraphQLCompositeType, field: GraphQLField<unknown, unknown>) {
    const { schema } = this.options;
    const coordinate = `${parent.name}.${field.name}`;
    const own = this.sizeOfList(node, field, coordinate);
    const type = getNamedType(field.type);
    if (coordinate === SDL_FIELD) return { args: 0, each: SDL_COST, own };
    const weight = this.weight(coordinate) ?? this.weight(type.name) ?? (isCompositeType(type) ? 1 : 0);
    const below =
      node.selectionSet && isCompositeType(type)
        ? this.selections(node.selectionSet, type, own?.fields ? own : undefined)
        : 0;
    const args = (node.arguments ?? []).map(
      (argument) => this.weight(`${coordinate}(${argument.name.value}:)`) ?? 0,
    );
    if (parent === schema.getRootType(OperationTypeNode.MUTATION)) args.push(MUTATION_COST);
    return { args: sum(args), each: sum([weight, below]), own };
  }

  private weight(coordinate: string): number | undefined {
    const weight = this.options.directives.at(coordinate, 'cost')[0]?.args.weight;
    return typeof weight === 'number' ? weight : undefined;
  }

  private sizeOfList(
    node: FieldNode,
    field: GraphQLField<unknown, unknown>,
    coordinate: string,
  ): Sized | undefined {
    if (field.name === '_entities') return { size: this.sizeOfEntities(node, field), fields: undefined };
    const args = this.options.directives.at(coordinate, 'listSize')[0]?.args;
    if (!args) return undefined;
    const assumed = typeof args.assumedSize === 'number' ? args.assumedSize : this.options.assumedListSize;
    const slices = strings(args.slicingArguments).map((name) => argumentOf(node, field, name));
    const most = this.options.maxListSize;
    const size: Estimate = slices.some(isVarying)
      ? (variables) => sizeOf(slices, assumed, most, variables)
      : sizeOf(slices, assumed, most, {});
    const fields = strings(args.sizedFields);
    return { size, fields: fields.length > 0 ? new Set(fields) : undefined };
  }

  private sizeOfEntities(node: FieldNode, field: GraphQLField<unknown, unknown>): Estimate {
    const representations = argumentOf(node, field, 'representations');
    const length = (value: unknown): number => (Array.isArray(value) ? value.length : 1);
    const size: Estimate = isVarying(representations)
      ? (variables) => length(representations(variables))
      : length(representations);
    this.representations.push(size);
    return size;
  }
}

/** The length of a list, or of the lists in `fields` below the field. */
interface Sized {
  readonly size: Estimate;
  readonly fields: ReadonlySet<string> | undefined;
}

type Varying = (variables: Variables) => unknown;
const isVarying = (value: unknown): value is Varying => typeof value === 'function';

/** The value of an argument, as a function of the variables if it is a variable. */
function argumentOf(node: FieldNode, field: GraphQLField<unknown, unknown>, name: string): unknown {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  if (value?.kind === Kind.VARIABLE) {
    const variable = value.name.value;
    return (variables: Variables) => variables[variable];
  }
  if (value) return valueFromASTUntyped(value);
  return field.args.find((argument) => argument.name === name)?.defaultValue;
}

function sizeOf(slices: readonly unknown[], assumed: number, most: number, variables: Variables): number {
  const given = slices
    .map((slice): unknown => (isVarying(slice) ? slice(variables) : slice))
    .filter((size) => typeof size === 'number');
  return given.length > 0 ? Math.min(most, Math.max(0, ...given)) : assumed;
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
