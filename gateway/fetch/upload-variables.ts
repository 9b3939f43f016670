import {
  getNamedType,
  isInputObjectType,
  typeFromAST,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import Upload from 'graphql-upload/Upload.mjs';

/** Files by the path of the `null` that replaces them in the request, e.g. `variables.input.pictures.0`. */
export type Files = Map<string, Promise<FileUpload>>;

const SCALAR = 'Upload';

/** Names of the operation's variables whose type is or contains `Upload`. */
export function uploadVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadonlySet<string> {
  if (!schema.getType(SCALAR)) return new Set();
  return new Set(
    variableDefinitions.flatMap(({ variable, type }) =>
      containsFiles(inputTypeOf(schema, type), new Set()) ? [variable.name.value] : [],
    ),
  );
}

/** Replaces the files in a value with null and adds them to `files`. */
export function withoutFiles(value: unknown, path: string, files: Files): unknown {
  if (value instanceof Upload) {
    files.set(path, value.promise);
    return null;
  }
  if (Array.isArray(value))
    return value.map((element, index) => withoutFiles(element, `${path}.${index}`, files));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, withoutFiles(inside, `${path}.${key}`, files)]),
  );
}

const inputTypeOf = (schema: GraphQLSchema, type: TypeNode): GraphQLInputType | undefined =>
  typeFromAST(schema, type) as GraphQLInputType | undefined; // a variable's type is an input type

function containsFiles(type: GraphQLInputType | undefined, seen: Set<string>): boolean {
  const named = getNamedType(type);
  if (!named) return false;
  if (named.name === SCALAR) return true;
  if (!isInputObjectType(named) || seen.has(named.name)) return false;
  seen.add(named.name);
  return Object.values(named.getFields()).some((field) => containsFiles(field.type, seen));
}
