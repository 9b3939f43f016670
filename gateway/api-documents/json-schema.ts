import {
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql';
import type { JsonObject } from '#server/json-object.ts';

const SCALARS: Readonly<Record<string, JsonObject>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
};

/**
 * The JSON schema of a GraphQL type. It contains the fields of nested objects, `levels` levels deep. No field is required,
 * because a response contains the selected fields only.
 */
export function jsonSchemaOf(type: GraphQLOutputType | GraphQLInputType, levels: number): JsonObject {
  if (isNonNullType(type)) return notNull(type.ofType as GraphQLOutputType, levels);
  const schema = notNull(type, levels);
  if (typeof schema.type !== 'string') return schema;
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...(schema.enum as unknown[]), null] }),
  };
}

function notNull(type: GraphQLOutputType | GraphQLInputType, levels: number): JsonObject {
  if (isListType(type))
    return { type: 'array', items: jsonSchemaOf(type.ofType as GraphQLOutputType, levels) };
  if (isScalarType(type)) return SCALARS[type.name] ?? { description: type.description ?? type.name };
  if (isEnumType(type))
    return { type: 'string', enum: type.getValues().map(({ name }) => name), description: type.name };
  if (!isObjectType(type)) return { description: String(type) };
  const properties = levels > 0 ? Object.values(type.getFields()) : [];
  return {
    type: 'object',
    description: `The selected fields of ${type.name}.`,
    ...(properties.length > 0 && {
      properties: Object.fromEntries(
        properties.map((field) => [
          field.name,
          {
            ...jsonSchemaOf(field.type, levels - 1),
            ...(field.description && { description: field.description }),
          },
        ]),
      ),
    }),
  };
}
