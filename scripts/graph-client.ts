import { readdirSync, readFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import * as documents from '@graphql-codegen/typed-document-node';
import { parse, printSchema } from 'graphql';
import { apiSchema } from './api-documents.ts';

const FOLDER = new URL('../clients/typescript/graph/', import.meta.url);

/** The documents in `clients/typescript/graph` as constants with the types of their variables and of their data. */
export const graphDocuments = (): Promise<string> =>
  codegen({
    filename: 'graph.generated.ts',
    schema: parse(printSchema(apiSchema())),
    documents: readdirSync(FOLDER)
      .toSorted()
      .map((name) => ({ location: name, document: parse(readFileSync(new URL(name, FOLDER), 'utf8')) })),
    config: {
      enumsAsTypes: true,
      useTypeImports: true,
      skipTypename: true,
      maybeValue: 'T | null',
      inputMaybeValue: 'T | null | undefined',
      scalars: { ID: 'string', DateTime: 'string', Date: 'string', JSON: 'unknown', Upload: 'Blob' },
      emitLegacyCommonJSImports: false,
      importExtension: '.ts',
    },
    plugins: [{ operations: {} }, { documents: {} }],
    pluginMap: { operations, documents },
  });
