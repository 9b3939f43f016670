import { readFile } from 'node:fs/promises';
import { Supergraph } from '@apollo/federation-internals';
import { describe, expect, it } from '@jest/globals';
import { getVariableValues } from 'graphql/execution/values.js';
import { getOperationAST, parse, validate } from 'graphql';

interface Example {
  title: string;
  query: string;
  variables?: string;
}

// This module is for browsers and has no types.
const modulePath = '../../gateway/pages/explorer/browser/examples.js';
const { EXAMPLES } = (await import(modulePath)) as { EXAMPLES: Example[] };
const sdl = await readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
const schema = Supergraph.build(sdl, { supportedFeatures: null }).apiSchema().toGraphQLJSSchema();

describe('the examples of the explorer', () => {
  it.each(EXAMPLES)('are operations of our graph: $title', ({ query, variables }) => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    if (!variables) return;
    const { variableDefinitions } = getOperationAST(document) ?? {};
    const { errors } = getVariableValues(schema, variableDefinitions ?? [], JSON.parse(variables));
    expect(errors).toBeUndefined();
  });

  it('show each kind of operation', () => {
    const kinds = EXAMPLES.map(({ query }) => getOperationAST(parse(query))?.operation);
    expect(new Set(kinds)).toEqual(new Set(['query', 'mutation', 'subscription']));
  });
});
