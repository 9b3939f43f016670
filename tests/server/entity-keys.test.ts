import { describe, expect, it } from '@jest/globals';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse, type GraphQLObjectType } from 'graphql';
import { EntityKeys } from '#server/graphql/entity-keys.ts';

const schema = buildSubgraphSchema(
  parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])
    type Query { shop: Shop }
    type Shop @key(fields: "id version") @key(fields: "place { country { code } street }") {
      id: ID!
      version: Int!
      place: Place!
      gymId: ID @external
      gymName: String @requires(fields: "gymId")
    }
    type Place { country: Country! street: String }
    type Country { code: String! }
  `),
);
const keys = new EntityKeys(schema.getType('Shop') as GraphQLObjectType);
const place = { country: { code: 'DE' }, street: 'Main street' };

describe('a representation', () => {
  it.each([
    ['all fields of a key', { id: 'a', version: 2 }],
    ['all fields of a nested key', { place }],
    ['null in a nullable field of a key', { place: { ...place, street: null } }],
  ])('is read if it has %s', (_what, representation) => {
    expect(keys.read(representation)).toEqual(representation);
  });

  it.each([
    ['nothing', {}],
    ['a part of a key', { id: 'a' }],
    ['a value of another type', { id: 'a', version: 'two' }],
    ['a text for an object', { place: 'Main street' }],
    ['an object without an inner field', { place: { street: 'Main street' } }],
    ['null in a non-null inner field', { place: { ...place, country: { code: null } } }],
  ])('is not read if it has %s', (_what, representation) => {
    expect(keys.read(representation)).toBeUndefined();
  });

  it('has its ids in lower case afterwards, and its other texts unchanged', () => {
    const id = '01A1FC3C-25E7-7056-B8FB-17E0D3DB0936';
    expect(keys.read({ id, version: 2, gymId: id, note: id })).toEqual({
      id: id.toLowerCase(),
      version: 2,
      gymId: id.toLowerCase(),
      note: id,
    });
    expect(keys.read({ id: 'Shop-A', version: 2 })).toEqual({ id: 'Shop-A', version: 2 });
  });

  it('keeps other fields, such as those that a @requires needs', () => {
    expect(keys.read({ id: 1, version: 2, open: true })).toEqual({ id: '1', version: 2, open: true });
  });
});
