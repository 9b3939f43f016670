import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import type { DocumentNode } from 'graphql';

interface ResolverTypesInput {
  /** The subgraph's schema. */
  schema: DocumentNode;
  /** The source of the subgraph's `models.ts`, which declares what its resolvers return for a type of the schema. */
  models: string;
}

/**
 * TypeScript for one subgraph's resolvers: its `Resolvers`, and the arguments and results of each field.
 *
 * If `models.ts` exports a type with the name of a schema type, resolvers return the exported type, and the field resolvers of
 * the schema type get it as their parent: they add the fields that the rules do not return. The context is `Context` of
 * `services.ts`.
 */
export async function generateResolverTypes({ schema, models }: ResolverTypesInput): Promise<string> {
  const declared = new Set(
    schema.definitions.flatMap((node) => ('name' in node ? (node.name?.value ?? []) : [])),
  );
  const mapped = exportedNames(models).filter((name) => declared.has(name));

  const code = await codegen({
    filename: 'resolvers.generated.ts',
    schema,
    documents: [],
    config: {
      contextType: './services.ts#Context',
      mappers: Object.fromEntries(mapped.map((name) => [name, `./models.ts#${name}`])),
      mapperTypeSuffix: 'Model',
      scalars,
      federation: true,
      enumsAsTypes: true,
      maybeValue: 'T | null',
      inputMaybeValue: 'T | null | undefined',
      // A resolver must return its nullable fields, too; a client may leave out a nullable input.
      avoidOptionals: { field: true, inputValue: false, object: false, defaultValue: false },
      makeResolverTypeCallable: true,
      optionalResolveType: true,
      useTypeImports: true,
      emitLegacyCommonJSImports: false,
      importExtension: '.ts',
    },
    plugins: [{ typescript: {} }, { 'typescript-resolvers': {} }],
    pluginMap: { typescript, 'typescript-resolvers': typescriptResolvers },
  });
  return `${header}\n${code.trimEnd()}\n`;
}

const header = '// Written by "npm run generate" from schema/ and models.ts. Do not edit.';

/** The types that the resolvers of `server/graphql/scalars.ts` read and write. */
const scalars = {
  ID: { input: 'string', output: 'string' },
  DateTime: { input: 'string', output: 'string' },
  Date: { input: 'string', output: 'string' },
  JSON: { input: 'unknown', output: 'unknown' },
  Upload: { input: "Promise<import('graphql-upload/processRequest.mjs').FileUpload>", output: 'never' },
};

/** Reads `export type { Shape as Name, Other }`, and `export interface|class|type Name`. */
function exportedNames(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
  const lists = [...code.matchAll(/export\s+(?:type\s*)?\{([^}]*)\}/g)].flatMap(([, list]) =>
    list!.split(',').map((item) => item.trim().split(/\s+/).at(-1)!),
  );
  const declarations = [...code.matchAll(/export\s+(?:interface|class|type)\s+(\w+)/g)].map(
    ([, name]) => name!,
  );
  return [...new Set([...lists, ...declarations])].filter(Boolean).toSorted();
}
