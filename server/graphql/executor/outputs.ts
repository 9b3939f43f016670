import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { leafWriter, type LeafWriter } from './leaf-writer.ts';
import { quoted } from '../quoted.ts';

/** The type of a field or list item with what is selected of it. */
export type Output = LeafOutput | ListOutput | ObjectOutput | AbstractOutput;

interface LeafOutput {
  readonly kind: 'leaf';
  readonly isNonNull: boolean;
  readonly write: LeafWriter;
}

export interface ListOutput {
  readonly kind: 'list';
  readonly isNonNull: boolean;
  readonly item: Output;
}

export interface ObjectOutput {
  readonly kind: 'object';
  readonly isNonNull: boolean;
  readonly selection: ObjectSelection;
}

export interface AbstractOutput {
  readonly kind: 'abstract';
  readonly isNonNull: boolean;
  readonly type: GraphQLAbstractType;
  readonly selectionOf: (type: GraphQLObjectType) => ObjectSelection;
}

export type FieldSelection = ResolvedField | TypenameField;

export interface ResolvedField {
  /** The name in the response. */
  readonly key: string;
  /** The JSON before the value: a brace or a comma, the key, a colon. */
  readonly prefix: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly output: Output;
  /** Whether the completion of its value calls `resolveType` or `isTypeOf`, which get the resolver's `info`. */
  readonly needsInfo: boolean;
  readonly typename: undefined;
}

/** `__typename`, which needs no resolver. */
export interface TypenameField {
  readonly prefix: string;
  /** As JSON. */
  readonly typename: string;
}

/** The fields by their names in the response, fragments expanded, `@skip` and `@include` applied. */
export type FieldsOf = (
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
) => ReadonlyMap<string, readonly FieldNode[]>;

/** What is selected of an object of one type. It is compiled for the first such object. */
export class ObjectSelection {
  readonly type: GraphQLObjectType;
  private readonly compile: () => readonly FieldSelection[];
  private compiled: readonly FieldSelection[] | undefined;

  constructor(type: GraphQLObjectType, compile: () => readonly FieldSelection[]) {
    this.type = type;
    this.compile = compile;
  }

  get fields(): readonly FieldSelection[] {
    return (this.compiled ??= this.compile());
  }
}

/** @param subfields returns the selected fields of an object below the root */
export const rootSelection = (
  type: GraphQLObjectType,
  fields: () => ReturnType<FieldsOf>,
  subfields: FieldsOf,
): ObjectSelection => new ObjectSelection(type, () => compileFields(type, fields(), subfields));

function compileFields(
  parentType: GraphQLObjectType,
  fields: ReturnType<FieldsOf>,
  subfields: FieldsOf,
): FieldSelection[] {
  return [...fields].map(([key, nodes], index): FieldSelection => {
    // A name of GraphQL needs no escaping.
    const prefix = `${index === 0 ? '{' : ','}"${key}":`;
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') return { prefix, typename: quoted(parentType.name) };
    const definition = parentType.getFields()[name];
    if (!definition) throw new Error(`There is no field ${parentType.name}.${name}.`);
    const output = outputOf(definition.type, nodes, subfields);
    const needsInfo = hasTypeChecks(definition.type);
    return { key, prefix, nodes, parentType, definition, output, needsInfo, typename: undefined };
  });
}

function hasTypeChecks(type: GraphQLOutputType): boolean {
  const named = getNamedType(type);
  return isAbstractType(named) || (isObjectType(named) && Boolean(named.isTypeOf));
}

function outputOf(type: GraphQLOutputType, nodes: readonly FieldNode[], subfields: FieldsOf): Output {
  const isNonNull = isNonNullType(type);
  const nullable = isNonNull ? type.ofType : type;
  if (isListType(nullable))
    return { kind: 'list', isNonNull, item: outputOf(nullable.ofType, nodes, subfields) };
  if (isLeafType(nullable)) return { kind: 'leaf', isNonNull, write: leafWriter(nullable) };
  const selectionOf = (one: GraphQLObjectType): ObjectSelection =>
    new ObjectSelection(one, () => compileFields(one, subfields(one, nodes), subfields));
  if (isObjectType(nullable)) return { kind: 'object', isNonNull, selection: selectionOf(nullable) };
  if (!isAbstractType(nullable)) throw new Error(`${String(type)} is not an output type.`);
  return { kind: 'abstract', isNonNull, type: nullable, selectionOf: memoized(selectionOf) };
}

function memoized(selectionOf: AbstractOutput['selectionOf']): AbstractOutput['selectionOf'] {
  const known = new Map<GraphQLObjectType, ObjectSelection>();
  return (type) => {
    const selection = known.get(type) ?? selectionOf(type);
    known.set(type, selection);
    return selection;
  };
}
