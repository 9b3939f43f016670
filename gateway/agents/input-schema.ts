import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import type { ToolDocument } from './tool-documents.ts';

/** A JSON Schema of an input (draft 2020-12), as far as tools need it. */
export interface JsonSchema {
  type?: string;
  description?: string;
  format?: string;
  enum?: readonly string[];
  items?: JsonSchema;
  default?: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  oneOf?: readonly { required: readonly string[] }[];
}

/** A JSON Schema of an object, such as the arguments of a tool. */
export interface ObjectSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required: string[];
  additionalProperties: false;
}

/**
 * The schema of a tool's arguments, which are the variables of its operation. A variable is described by the tool's file, or
 * by the argument or input field for which it stands.
 * @throws Error for a variable that cannot be sent as JSON
 */
export function inputSchemaOf(schema: GraphQLSchema, tool: ToolDocument): ObjectSchema {
  const described = describedVariables(schema, tool);
  const definitions = tool.operation.variableDefinitions ?? [];
  return {
    type: 'object',
    properties: Object.fromEntries(
      definitions.map((definition) => [
        definition.variable.name.value,
        variableSchema(schema, definition, described.get(definition.variable.name.value)),
      ]),
    ),
    required: definitions
      .filter(({ type, defaultValue }) => type.kind === Kind.NON_NULL_TYPE && !defaultValue)
      .map(({ variable }) => variable.name.value),
    additionalProperties: false,
  };
}

function variableSchema(
  schema: GraphQLSchema,
  { type: node, defaultValue, variable }: VariableDefinitionNode,
  description: string | undefined,
): JsonSchema {
  const type = typeFromAST(schema, node);
  if (!isInputType(type)) throw new Error(`the schema has no input type for $${variable.name.value}`);
  return {
    ...withDescription(schemaOf(type, []), description),
    ...(defaultValue && { default: valueFromASTUntyped(defaultValue) }),
  };
}

/** The description of each variable: that of the tool's file, or of the first argument or input field that uses it. */
function describedVariables(schema: GraphQLSchema, tool: ToolDocument): Map<string, string> {
  const described = new Map(tool.variables);
  const types = new TypeInfo(schema);
  /** The descriptions of the argument and the input fields around the visited node. */
  const enclosing: (string | null | undefined)[] = [];
  const fieldOfInput = (name: string): string | null | undefined => {
    const parent = getNamedType(types.getParentInputType());
    return isInputObjectType(parent) ? parent.getFields()[name]?.description : undefined;
  };
  visit(
    tool.document,
    visitWithTypeInfo(types, {
      Argument: {
        enter: () => void enclosing.push(types.getArgument()?.description),
        leave: () => void enclosing.pop(),
      },
      ObjectField: {
        enter: ({ name }) => void enclosing.push(fieldOfInput(name.value)),
        leave: () => void enclosing.pop(),
      },
      Variable({ name }) {
        const description = enclosing.at(-1);
        if (description && !described.has(name.value)) described.set(name.value, description);
      },
    }),
  );
  return described;
}

/** @param within the input types around this one: none may contain itself, because JSON Schemas of tools have no references */
function schemaOf(type: GraphQLInputType, within: readonly GraphQLInputObjectType[]): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, within);
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, within) };
  if (isEnumType(type)) return enumSchema(type);
  if (isInputObjectType(type)) return objectSchema(type, within);
  const scalar = SCALARS[type.name];
  if (!scalar) throw new Error(`${type.name} cannot be an argument of a tool`);
  return scalar;
}

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
  JSON: {}, // any value
};

function enumSchema(type: GraphQLEnumType): JsonSchema {
  const values = type.getValues();
  const meanings = values
    .filter(({ description }) => description)
    .map(({ name, description }) => `${name}: ${description}`);
  return {
    type: 'string',
    enum: values.map(({ name }) => name),
    ...describedAs([type.description, ...meanings].filter(Boolean).join('\n')),
  };
}

function objectSchema(type: GraphQLInputObjectType, within: readonly GraphQLInputObjectType[]): ObjectSchema {
  if (within.includes(type))
    throw new Error(`${type.name} contains itself, which the schema of a tool cannot say`);
  const fields = Object.values(type.getFields());
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [
        field.name,
        {
          ...withDescription(schemaOf(field.type, [...within, type]), field.description),
          ...(field.defaultValue !== undefined && { default: field.defaultValue }),
        },
      ]),
    ),
    required: fields
      .filter(({ type: fieldType, defaultValue }) => isNonNullType(fieldType) && defaultValue === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
    ...(type.isOneOf && { oneOf: fields.map(({ name }) => ({ required: [name] })) }),
    ...describedAs(type.description),
  };
}

/** The description of the variable or input field precedes that of its type. */
const withDescription = (schema: JsonSchema, description: string | null | undefined): JsonSchema => ({
  ...schema,
  ...describedAs([description, schema.description].filter(Boolean).join('\n')),
});

const describedAs = (description: string | null | undefined): { description?: string } =>
  description ? { description } : {};
