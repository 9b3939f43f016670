import {
  GraphQLID,
  isLeafType,
  isNonNullType,
  isObjectType,
  getNamedType,
  Kind,
  parse,
  type FieldDefinitionNode,
  type GraphQLObjectType,
  type SelectionSetNode,
} from 'graphql';
import { lowerCaseId } from '../ids.ts';

/** A representation of an entity as the caller sent it, with any fields; its `__typename` is not used here. */
type Representation = Readonly<Record<string, unknown>>;

interface KeyField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Coerces a value to the type of the field, and an id to lower case; absent if the field is no leaf. */
  readonly coerce?: (value: unknown) => unknown;
  /** The selected fields, if the field is an object. */
  readonly fields?: readonly KeyField[];
}

/** The `@key`s of one entity type. */
export class EntityKeys {
  /** The `fields` arguments of the keys in the SDL, such as `id version`. */
  readonly texts: readonly string[];
  private readonly keys: readonly (readonly KeyField[])[];
  /** The `@external` fields that are ids: a representation has them if a field that `@requires` them is selected. */
  private readonly externalIds: readonly string[];

  constructor(type: GraphQLObjectType) {
    this.texts = keyTextsOf(type);
    this.keys = this.texts.map((text) => fieldsOf(type, selectionOf(text)));
    this.externalIds = externalIdsOf(type);
  }

  /**
   * The representation with its key fields coerced to their types, and its ids in lower case, in which they are stored and
   * compared; undefined if it has no complete key.
   */
  read(representation: Representation): Representation | undefined {
    let read: Record<string, unknown> | undefined;
    // An entity may have several keys, and the resolver may use any of them.
    for (const key of this.keys) {
      const values = valuesOf(key, representation);
      if (values) read = { ...(read ?? representation), ...values };
    }
    if (read)
      for (const name of this.externalIds) {
        const id = read[name];
        if (typeof id === 'string') read[name] = lowerCaseId(id);
      }
    return read;
  }
}

function valuesOf(key: readonly KeyField[], given: Representation): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const field of key) {
    const value = given[field.name];
    if (value === undefined || value === null) {
      if (field.isRequired || value === undefined) return undefined;
      values[field.name] = null;
    } else if (field.fields) {
      const inner = typeof value === 'object' ? valuesOf(field.fields, value as Representation) : undefined;
      if (!inner) return undefined;
      values[field.name] = { ...(value as Representation), ...inner };
    } else {
      try {
        values[field.name] = field.coerce?.(value);
      } catch {
        return undefined;
      }
    }
  }
  return values;
}

function keyTextsOf({ astNode, extensionASTNodes }: GraphQLObjectType): string[] {
  const directives = [astNode, ...extensionASTNodes].flatMap((node) => node?.directives ?? []);
  return directives
    .filter(({ name }) => name.value === 'key' || name.value === 'federation__key')
    .flatMap(({ arguments: args = [] }) =>
      args.flatMap(({ name, value }) =>
        name.value === 'fields' && value.kind === Kind.STRING ? [value.value] : [],
      ),
    );
}

function selectionOf(text: string): SelectionSetNode {
  const [definition] = parse(`{ ${text} }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION)
    throw new Error(`Expected a selection of fields in a @key, got "${text}"`);
  return definition.selectionSet;
}

function fieldsOf(type: GraphQLObjectType, { selections }: SelectionSetNode): KeyField[] {
  return selections.map((selection) => {
    const field = selection.kind === Kind.FIELD ? type.getFields()[selection.name.value] : undefined;
    if (selection.kind !== Kind.FIELD || !field)
      throw new Error(`${type.name} has a @key with a field that the type does not have`);
    const name = selection.name.value;
    const isRequired = isNonNullType(field.type);
    const named = getNamedType(field.type);
    if (selection.selectionSet && isObjectType(named))
      return { name, isRequired, fields: fieldsOf(named, selection.selectionSet) };
    if (!isLeafType(named)) return { name, isRequired };
    const coerce =
      named === GraphQLID
        ? (value: unknown) => lowerCaseId(GraphQLID.parseValue(value))
        : (value: unknown) => named.parseValue(value);
    return { name, isRequired, coerce };
  });
}

const externalIdsOf = (type: GraphQLObjectType): string[] =>
  Object.values(type.getFields())
    .filter(({ type: of, astNode }) => getNamedType(of) === GraphQLID && isExternal(astNode))
    .map(({ name }) => name);

const isExternal = (node: FieldDefinitionNode | null | undefined): boolean =>
  node?.directives?.some(({ name }) => name.value === 'external' || name.value === 'federation__external') ??
  false;
