import { readFileSync } from 'node:fs';
import { Kind, parse, type TypeNode } from 'graphql';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { ServiceName } from './settings.ts';

/**
 * A shape takes its descriptions from the type of the graph with the same fields, in `schema/<service>.graphql`. Only a
 * property that the graph does not have needs a text of its own: `.meta({ description })`.
 *
 * This type has the name of the shape's component. If the names differ, the shape names the type:
 * `.meta({ graphType: 'CreateGymInput' })`.
 */
const GRAPH_TYPE = 'graphType';

interface GraphField {
  description: string | undefined;
  /** The name of its type, without list and non-null. */
  type: string;
}

interface GraphType {
  description: string | undefined;
  fields: ReadonlyMap<string, GraphField>;
  /** The descriptions of the values of an enum. */
  values: ReadonlyMap<string, string | undefined>;
}

type GraphTypes = ReadonlyMap<string, GraphType>;

/** A copy of an OpenAPI document with the descriptions of the graph. */
export function withGraphDescriptions<Document extends object>(
  service: ServiceName,
  document: Document,
): Document {
  const types = typesOf(service);
  const copy = structuredClone(document) as JsonObject;
  const { schemas = {} } = (copy['components'] ?? {}) as { schemas?: JsonObject };
  for (const [name, schema] of Object.entries(schemas)) describeComponent(types, name, schema);
  describe(types, copy['paths'], undefined);
  return copy as Document;
}

/** As `withGraphDescriptions`, for a schema that belongs to another document. `name` is the name of a component. */
export function withDescriptionsOfType<Schema extends object>(
  service: ServiceName,
  schema: Schema,
  name?: string,
): Schema {
  const types = typesOf(service);
  const copy = structuredClone(schema);
  if (name) describeComponent(types, name, copy);
  else describe(types, copy, undefined);
  return copy;
}

/** A shape with defaults is two components, one of which ends in `Output`. */
const describeComponent = (types: GraphTypes, name: string, schema: unknown): void =>
  describe(types, schema, types.get(name) ?? types.get(name.replace(/Output$/, '')), true);

/** @param isWhole whether the schema is the whole type, and gets its description, too */
function describe(types: GraphTypes, value: unknown, outer: GraphType | undefined, isWhole = false): void {
  if (Array.isArray(value)) {
    for (const item of value) describe(types, item, outer);
    return;
  }
  if (!isJsonObject(value)) return;
  const named = value[GRAPH_TYPE];
  delete value[GRAPH_TYPE];
  const type = typeof named === 'string' ? typeNamed(types, named) : outer;
  if (type?.description && (isWhole || named)) value['description'] ??= type.description;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'properties' && isJsonObject(inner)) describeProperties(types, inner, type);
    else describe(types, inner, isPartOfType(key) ? type : undefined);
  }
}

function describeProperties(types: GraphTypes, properties: JsonObject, type: GraphType | undefined): void {
  for (const [name, property] of Object.entries(properties)) {
    const field = type?.fields.get(name);
    const fieldType = field && types.get(field.type);
    if (field && isJsonObject(property))
      property['description'] = textOf(field, fieldType, property) ?? property['description'];
    describe(types, property, fieldType);
  }
}

/** Whether the value of this keyword describes the same value as the schema that contains it, or its items. */
const isPartOfType = (keyword: string): boolean => ['anyOf', 'oneOf', 'allOf', 'items'].includes(keyword);

/** The description of a field and, if it has an enum's values, what each of them means. */
function textOf(field: GraphField, type: GraphType | undefined, property: JsonObject): string | undefined {
  const meanings = valuesIn(property).flatMap((value) => {
    const meaning = type?.values.get(value);
    return meaning ? [`- \`${value}\`: ${meaning}`] : [];
  });
  return meanings.length > 0 ? [field.description, ...meanings].join('\n') : field.description;
}

/** The values of an enum in a schema: the schema is an enum, a list of an enum, or an enum that may be null. */
function valuesIn(schema: unknown): string[] {
  if (!isJsonObject(schema)) return [];
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String);
  return [schema['items'], ...(Array.isArray(schema['anyOf']) ? schema['anyOf'] : [])].flatMap(valuesIn);
}

function typeNamed(types: GraphTypes, name: string): GraphType {
  const type = types.get(name);
  if (!type) throw new Error(`expected the name of a type in the service's schema, got ${name}`);
  return type;
}

const read = new Map<ServiceName, GraphTypes>();

function typesOf(service: ServiceName): GraphTypes {
  const known = read.get(service);
  if (known) return known;
  const { definitions } = parse(
    readFileSync(new URL(`../schema/${service}.graphql`, import.meta.url), 'utf8'),
  );
  const types = new Map<string, GraphType>();
  for (const definition of definitions) {
    if (!('name' in definition) || !definition.name || !('description' in definition)) continue;
    const fields = 'fields' in definition ? (definition.fields ?? []) : [];
    const values = definition.kind === Kind.ENUM_TYPE_DEFINITION ? (definition.values ?? []) : [];
    types.set(definition.name.value, {
      description: oneLine(definition.description?.value),
      fields: new Map(
        fields.map(({ name, description, type }) => [
          name.value,
          { description: oneLine(description?.value), type: nameOf(type) },
        ]),
      ),
      values: new Map(values.map(({ name, description }) => [name.value, oneLine(description?.value)])),
    });
  }
  read.set(service, types);
  return types;
}

/** Line breaks in the schema only keep its lines short. */
const oneLine = (text: string | undefined): string | undefined => text?.replaceAll('\n', ' ');

const nameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
