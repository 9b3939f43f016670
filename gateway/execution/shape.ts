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
import { leadOf, type Lead } from './json-text.ts';
import { leafWriter, takesAnyText, type LeafWriter } from './leaves.ts';
import type { SelectedFields } from './selected-fields.ts';

/** What the client asked for at one place of its response. */
export type Shape = LeafShape | ListShape | ObjectShape | AbstractShape;

/** A shape where it stands: there a null may be allowed or not. */
export interface Slot {
  readonly shape: Shape;
  readonly nonNull: boolean;
}

export interface LeafShape {
  readonly kind: 'leaf';
  readonly write: LeafWriter;
  /** Whether any string is a value of it. */
  readonly isText: boolean;
}

export interface ListShape {
  readonly kind: 'list';
  readonly item: Slot;
}

export type FieldShape = FieldToWrite | TypenameField;

export interface FieldToWrite {
  readonly key: string;
  readonly lead: Lead;
  readonly slot: Slot;
}

/** `__typename` is known before there is a value. */
export interface TypenameField {
  readonly key: string;
  readonly lead: Lead;
  readonly slot: undefined;
}

/** An object of one type. */
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

/** An object of one of several types; each is compiled when the first of it comes. */
export class AbstractShape {
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

  /** Undefined for what is not a type that may stand here. */
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

/** The shape of an object of which these selections are asked. */
export function objectShape(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
  selected: SelectedFields,
): ObjectShape {
  return new ObjectShape(type.name, () =>
    [...selected.of(type, selectionSets)].map(([key, nodes], index): FieldShape => {
      const lead = leadOf(key, index === 0);
      const name = nodes[0]?.name.value ?? '';
      if (name === '__typename') return { key, lead, slot: undefined };
      const field = type.getFields()[name];
      if (!field) throw new Error(`no field "${type.name}.${name}"`);
      return { key, lead, slot: slotOf(schema, field.type, nodes, selected) };
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
  if (isLeafType(type)) return { kind: 'leaf', write: leafWriter(type), isText: takesAnyText(type) };
  const selectionSets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));
  if (isAbstractType(type))
    return new AbstractShape(schema, type, (concrete) =>
      objectShape(schema, concrete, selectionSets, selected),
    );
  if (isObjectType(type)) return objectShape(schema, type, selectionSets, selected);
  throw new Error(`no output type: ${String(type)}`);
}
