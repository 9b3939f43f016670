import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { graphMap } from '../../gateway/pages/graph-map.ts';

it('the map of the graph has the subgraphs that contribute to each shared type', async () => {
  const sdl = await readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
  const { subgraphs, types } = graphMap(sdl);
  expect(subgraphs).toEqual(['CONTENT', 'GYM', 'IDENTITY', 'NUTRITION', 'SQUAD', 'WIZARD']);
  const shared = new Map(types.map(({ name, fields }) => [name, [...fields.keys()].toSorted()]));
  expect(shared.get('User')).toEqual(subgraphs);
  expect(shared.get('Query')).toEqual(subgraphs);
  // Other subgraphs only refer to `Product`, and `PageInfo` is a value type.
  expect([...shared.keys()]).not.toContain('Product');
  expect([...shared.keys()]).not.toContain('PageInfo');
});

it('the map of the graph is empty for a schema that is not a supergraph', () => {
  expect(graphMap('type Query { a: ID }')).toEqual({ subgraphs: [], types: [] });
});
