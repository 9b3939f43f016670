import { valueFromASTUntyped, type ConstDirectiveNode } from 'graphql';

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
