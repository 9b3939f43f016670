import {
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { fieldPrefix, type FieldPrefix } from './json-text.ts';
import { leafWriter, acceptsAnyString, type LeafWriter } from './leaf-values.ts';
import type { SelectedFields } from './selected-fields.ts';

/** The shape of the response at one path, compiled from the client's selections and the schema's types. */
export type Shape = LeafShape | ListShape | ObjectShape | AbstractShape;

/** A field or list item: its shape, and whether null is allowed. */
export interface Slot {
  readonly shape: Shape;
  readonly nonNull: boolean;
}

interface LeafShape {
  readonly kind: 'leaf';
  readonly write: LeafWriter;
  readonly acceptsAnyString: boolean;
}

export interface ListShape {
  readonly kind: 'list';
  readonly item: Slot;
}

export type FieldShape = FieldToWrite | TypenameField;

interface FieldToWrite {
  readonly key: string;
  readonly prefix: FieldPrefix;
  readonly slot: Slot;
}

/** `__typename`, whose value follows from the shape. */
interface TypenameField {
  readonly key: string;
  readonly prefix: FieldPrefix;
  readonly slot: undefined;
}

/** An object of one type. Its fields are compiled when the first such object is written. */
export class ObjectShape {
  readonly kind = 'object';
  readonly typename: string;
  private readonly compile: () => readonly FieldShape[];
  private compiled: readonly FieldShape[] | undefined;

  constructor(typename: string, compile: () => readonly FieldShape[]) {
    this.typename = typename;
    this.compile = compile;
  }

  get fields(): readonly FieldShape[] {
    return (this.compiled ??= this.compile());
  }
}

/** An object of an interface or union type. Each concrete type is compiled when its first object is written. */
class AbstractShape {
  readonly kind = 'abstract';
  private readonly schema: GraphQLSchema;
  private readonly type: GraphQLAbstractType;
  private readonly compile: (type: GraphQLObjectType) => ObjectShape;
  private readonly compiled = new Map<unknown, ObjectShape>();

  constructor(
    schema: GraphQLSchema,
    type: GraphQLAbstractType,
    compile: (type: GraphQLObjectType) => ObjectShape,
  ) {
    this.schema = schema;
    this.type = type;
    this.compile = compile;
  }

  /** Undefined if the type name is not a possible type. */
  of(typename: unknown): ObjectShape | undefined {
    return this.compiled.get(typename) ?? this.add(typename);
  }

  private add(typename: unknown): ObjectShape | undefined {
    const type = typeof typename === 'string' ? this.schema.getType(typename) : undefined;
    if (!isObjectType(type) || !this.schema.isSubType(this.type, type)) return undefined;
    const shape = this.compile(type);
    this.compiled.set(typename, shape);
    return shape;
  }
}

/** The shape of an object with these selections. */
export function objectShape(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  selected: SelectedFields,
): ObjectShape {
  return new ObjectShape(type.name, () =>
    [...selected.of(type, selectionSets)].map(([key, nodes], index): FieldShape => {
      const prefix = fieldPrefix(key, index === 0);
      const name = nodes[0]?.name.value ?? '';
      if (name === '__typename') return { key, prefix, slot: undefined };
      const field = type.getFields()[name];
      if (!field) throw new Error(`no field "${type.name}.${name}"`);
      return { key, prefix, slot: slotOf(schema, field.type, nodes, selected) };
    }),
  );
}

function slotOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  selected: SelectedFields,
): Slot {
  return isNonNullType(type)
    ? { shape: shapeOf(schema, type.ofType, nodes, selected), nonNull: true }
    : { shape: shapeOf(schema, type, nodes, selected), nonNull: false };
}

function shapeOf(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  selected: SelectedFields,
): Shape {
  if (isListType(type)) return { kind: 'list', item: slotOf(schema, type.ofType, nodes, selected) };
  if (isLeafType(type))
    return { kind: 'leaf', write: leafWriter(type), acceptsAnyString: acceptsAnyString(type) };
  const selectionSets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
  if (isAbstractType(type))
    return new AbstractShape(schema, type, (concrete) =>
      objectShape(schema, concrete, selectionSets, selected),
    );
  if (isObjectType(type)) return objectShape(schema, type, selectionSets, selected);
  throw new Error(`not an output type: ${String(type)}`);
}
