import {
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  getOperationAST,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  parse,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, typeOfFragment, type Fragments } from './fragments.ts';

interface IntrospectionCost {
  /** An estimate of how many objects of the schema the operation's `__schema` and `__type` ask for. */
  readonly cost: number;
  readonly limit: number;
}

/** The limit of an operation, as a multiple of the standard introspection query's cost. */
const TIMES_STANDARD_QUERY = 1.5;

const NONE: IntrospectionCost = { cost: 0, limit: 0 };

/**
 * Introspection can go from types to their fields and on to the fields' types, so that an operation of ten lines can ask for
 * millions of objects. The limit is relative to the standard introspection query, which tools send.
 */
export function introspectionCost(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): IntrospectionCost {
  const query = schema.getQueryType();
  if (!query || schema.getRootType(operation.operation) !== query) return NONE;
  const cost = new Counter(document, schema, sizesOf(schema)).selections(operation.selectionSet, query);
  return cost === 0 ? NONE : { cost, limit: limitOf(schema) };
}

/** The average lengths of introspection's lists, by coordinate. */
type Sizes = ReadonlyMap<string, number>;

const sizes = new WeakMap<GraphQLSchema, Sizes>();
const limits = new WeakMap<GraphQLSchema, number>();

function limitOf(schema: GraphQLSchema): number {
  const known = limits.get(schema);
  if (known !== undefined) return known;
  const standardQuery = parse(
    getIntrospectionQuery({
      descriptions: true,
      inputValueDeprecation: true,
      schemaDescription: true,
      directiveIsRepeatable: true,
    }),
  );
  const operation = getOperationAST(standardQuery);
  const query = schema.getQueryType();
  const cost =
    operation && query
      ? new Counter(standardQuery, schema, sizesOf(schema)).selections(operation.selectionSet, query)
      : 0;
  const limit = cost * TIMES_STANDARD_QUERY;
  limits.set(schema, limit);
  return limit;
}

class Counter {
  private readonly fragments: Fragments;
  private readonly schema: GraphQLSchema;
  private readonly sizes: Sizes;
  private readonly ofFragments = new Map<string, number>();

  constructor(document: DocumentNode, schema: GraphQLSchema, listSizes: Sizes) {
    this.fragments = fragmentsOf(document);
    this.schema = schema;
    this.sizes = listSizes;
  }

  selections(set: SelectionSetNode, parent: GraphQLCompositeType): number {
    let total = 0;
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) total += this.field(selection, parent);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) total += this.fragment(selection.name.value, parent);
      else total += this.selections(selection.selectionSet, typeOfFragment(this.schema, selection, parent));
    }
    return total;
  }

  private fragment(name: string, parent: GraphQLCompositeType): number {
    const known = this.ofFragments.get(name);
    if (known !== undefined) return known;
    this.ofFragments.set(name, 0); // ends the recursion of a fragment that spreads itself, which validation refuses
    const body = this.fragments.get(name);
    const total = body ? this.selections(body.selectionSet, typeOfFragment(this.schema, body, parent)) : 0;
    this.ofFragments.set(name, total);
    return total;
  }

  private field(node: FieldNode, parent: GraphQLCompositeType): number {
    const field = fieldOf(this.schema, node.name.value, parent);
    if (!field) return 0;
    const type = getNamedType(field.type);
    if (!node.selectionSet || !isCompositeType(type)) return 0;
    const each = 1 + this.selections(node.selectionSet, type);
    if (!isListType(getNullableType(field.type))) return each;
    return each * (this.sizes.get(`${parent.name}.${field.name}`) ?? 1);
  }
}

/** Fields of the introspection types only: `costCheck` counts all others. */
function fieldOf(schema: GraphQLSchema, name: string, parent: GraphQLCompositeType) {
  if (parent === schema.getQueryType())
    return [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
  return parent.name.startsWith('__') && 'getFields' in parent ? parent.getFields()[name] : undefined;
}

function sizesOf(schema: GraphQLSchema): Sizes {
  const known = sizes.get(schema);
  if (known) return known;
  const types = Object.values(schema.getTypeMap());
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = withFields.flatMap((type) => Object.values(type.getFields()));
  const directives = schema.getDirectives();
  const mean = (total: number, among: number): number => Math.max(1, total / Math.max(1, among));
  const found: Sizes = new Map([
    ['__Schema.types', types.length],
    ['__Schema.directives', directives.length],
    // Most fields have scalar types, which have no fields of their own. So the mean over all types estimates the step from a
    // field to the fields of its type.
    ['__Type.fields', mean(fields.length, types.length)],
    [
      '__Field.args',
      mean(
        fields.reduce((total, field) => total + field.args.length, 0),
        fields.length,
      ),
    ],
    [
      '__Type.inputFields',
      mean(
        types.reduce(
          (total, type) => total + (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0),
          0,
        ),
        types.length,
      ),
    ],
    [
      '__Type.enumValues',
      mean(
        types.reduce((total, type) => total + (isEnumType(type) ? type.getValues().length : 0), 0),
        types.length,
      ),
    ],
    [
      '__Directive.args',
      mean(
        directives.reduce((total, { args }) => total + args.length, 0),
        directives.length,
      ),
    ],
  ]);
  sizes.set(schema, found);
  return found;
}
