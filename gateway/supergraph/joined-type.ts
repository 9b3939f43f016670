import {
  Kind,
  parse,
  valueFromASTUntyped,
  type ConstDirectiveNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

/** A `@join__type` of a supergraph: a type in one subgraph, with one of its keys. */
export interface JoinedType {
  /** The subgraph, as the enum `join__Graph` names it. */
  readonly graph: string;
  readonly key?: string;
  /** False if the subgraph does not resolve entities by this key. */
  readonly resolvable?: boolean;
}

/** Undefined for another directive. */
export function joinedTypeOf({ name, arguments: given = [] }: ConstDirectiveNode): JoinedType | undefined {
  if (name.value !== 'join__type') return undefined;
  const values = given.map((argument) => [argument.name.value, valueFromASTUntyped(argument.value)] as const);
  return { graph: '', ...Object.fromEntries(values) };
}

/** The keys of a type in a subgraph. */
export function keysOf(schema: GraphQLSchema, typename: string, subgraph: string): JoinedType[] {
  const directives = schema.getType(typename)?.astNode?.directives ?? [];
  return directives.flatMap((directive) => {
    const joined = joinedTypeOf(directive);
    return joined?.key !== undefined && subgraphOf(schema, joined.graph) === subgraph ? [joined] : [];
  });
}

/** The fields that a directive names in a text, such as those of a key or of `@requires`. */
export function fieldSetOf(text: string): SelectionSetNode {
  const [definition] = parse(`{${text}}`, { noLocation: true }).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`expected fields, got "${text}"`);
  return definition.selectionSet;
}

/** The name of a subgraph, which the enum `join__Graph` names otherwise; undefined for an unknown one. */
export function subgraphOf(schema: GraphQLSchema, graph: string): string | undefined {
  const graphs = schema.getType('join__Graph')?.astNode;
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) return undefined;
  const [directive] = graphs.values?.find(({ name }) => name.value === graph)?.directives ?? [];
  const name = directive?.arguments?.find((argument) => argument.name.value === 'name')?.value;
  return name?.kind === Kind.STRING ? name.value : undefined;
}
