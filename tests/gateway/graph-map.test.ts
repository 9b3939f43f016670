import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { graphMap } from '../../gateway/pages/graph-map.ts';

it('tells from a supergraph which subgraphs build a type together', async () => {
  const sdl = await readFile(new URL('../../schema/supergraph.graphql', import.meta.url), 'utf8');
  const { subgraphs, types } = graphMap(sdl);
  expect(subgraphs).toEqual(['CONTENT', 'GYM', 'IDENTITY', 'NUTRITION', 'SQUAD', 'WIZARD']);
  const shared = new Map(types.map(({ name, fields }) => [name, [...fields.keys()].toSorted()]));
  expect(shared.get('User')).toEqual(['GYM', 'IDENTITY', 'NUTRITION', 'SQUAD', 'WIZARD']);
  expect(shared.get('Query')).toEqual(subgraphs);
  // One that others only refer to, and one that each has of the same shape.
  expect([...shared.keys()]).not.toContain('Product');
  expect([...shared.keys()]).not.toContain('PageInfo');
});

it('makes nothing of what is no supergraph', () => {
  expect(graphMap('type Query { a: ID }')).toEqual({ subgraphs: [], types: [] });
});
