import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import { fieldSetOf } from '../supergraph/joined-type.ts';

/** A field with arguments that another field requires (`@requires`). */
interface Requirement {
  /** The field that requires it, such as `Post.top`. */
  readonly of: string;
  /** The required field, such as `Post.comments`. */
  readonly field: string;
  /** The required arguments, such as `limit: 3`. */
  readonly arguments: string;
}

const known = new WeakMap<GraphQLSchema, readonly Requirement[]>();

/**
 * The planner fetches a required field under its own name. If the operation selects the same field with other arguments,
 * the planner merges the two, and the service gets the client's value instead of the one that it requires: wrong data
 * without an error. An alias in the operation prevents it.
 * @returns the refusal of such an operation; undefined for all others
 */
export function refusalOfMergedArguments(
  supergraphSchema: GraphQLSchema,
  document: DocumentNode,
): GraphQLError | undefined {
  const requirements = requirementsOf(supergraphSchema);
  if (requirements.length === 0) return undefined;
  const { selected, argumentsOfFields } = fieldsIn(document, supergraphSchema);
  const fetched = new Map(argumentsOfFields);
  for (const requirement of requirements) {
    if (!selected.has(requirement.of)) continue;
    const others = fetched.get(requirement.field) ?? new Set();
    for (const other of others) if (other !== requirement.arguments) return refusalOf(requirement);
    fetched.set(requirement.field, new Set([requirement.arguments]));
  }
  return undefined;
}

function refusalOf({ of, field }: Requirement): GraphQLError {
  const name = field.split('.')[1] ?? field;
  return graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      `${of} requires ${field} with other arguments: give "${name}" an alias in this operation, or select ${of} in an operation of its own.`,
    ),
  );
}

/** The operation's fields, and the arguments of those without an alias. */
function fieldsIn(document: DocumentNode, schema: GraphQLSchema) {
  const selected = new Set<string>();
  const argumentsOfFields = new Map<string, Set<string>>();
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const isRenamed = node.alias !== undefined && node.alias.value !== node.name.value;
        for (const { name } of objectTypes(types.getParentType(), schema)) {
          const coordinate = `${name}.${node.name.value}`;
          selected.add(coordinate);
          if (isRenamed) continue;
          const before = argumentsOfFields.get(coordinate) ?? new Set();
          argumentsOfFields.set(coordinate, before.add(argumentsOf(node)));
        }
      },
    }),
  );
  return { selected, argumentsOfFields };
}

function objectTypes(
  type: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema,
): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type];
  return isInterfaceType(type) ? [...schema.getPossibleTypes(type)] : [];
}

/** Sorted by name, so that equal arguments give equal texts. */
const argumentsOf = ({ arguments: given = [] }: FieldNode): string =>
  given
    .map((argument) => print(argument))
    .toSorted()
    .join(', ');

function requirementsOf(schema: GraphQLSchema): readonly Requirement[] {
  const requirements = known.get(schema) ?? [...findRequirements(schema)];
  known.set(schema, requirements);
  return requirements;
}

function* findRequirements(schema: GraphQLSchema): Generator<Requirement> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields()))
      for (const directive of field.astNode?.directives ?? []) {
        const text = directive.arguments?.find(({ name }) => name.value === 'requires')?.value;
        if (directive.name.value !== 'join__field' || text?.kind !== Kind.STRING || !text.value.includes('('))
          continue;
        yield* withArguments(fieldSetOf(text.value), type, schema, `${type.name}.${field.name}`);
      }
  }
}

function* withArguments(
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType,
  schema: GraphQLSchema,
  of: string,
): Generator<Requirement> {
  for (const node of selections) {
    if (node.kind === Kind.FRAGMENT_SPREAD) continue;
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const type = node.typeCondition ? schema.getType(node.typeCondition.name.value) : parent;
      if (type) yield* withArguments(node.selectionSet, type, schema, of);
      continue;
    }
    if (node.arguments?.length)
      for (const { name } of objectTypes(parent, schema))
        yield { of, field: `${name}.${node.name.value}`, arguments: argumentsOf(node) };
    const inner = typeOfField(parent, node.name.value);
    if (node.selectionSet && isCompositeType(inner))
      yield* withArguments(node.selectionSet, inner, schema, of);
  }
}

function typeOfField(parent: GraphQLNamedType, name: string): GraphQLNamedType | undefined {
  if (!isObjectType(parent) && !isInterfaceType(parent)) return undefined;
  return parent.getFields()[name] && getNamedType(parent.getFields()[name]?.type);
}
