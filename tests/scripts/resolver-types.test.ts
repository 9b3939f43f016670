import { expect, it } from '@jest/globals';
import { generateResolverTypes } from '../../scripts/resolver-types.ts';
import { parsedSchema } from '../../scripts/schema-source.ts';

const schema = parsedSchema(
  `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  scalar DateTime
  type Query { location(id: ID!): Location }
  type Location @key(fields: "id") { id: ID! name: String! opensAt: DateTime crowd: Crowd }
  type Crowd { people: Int! }
`,
  'schema/gym.graphql',
);

it('the resolver types use the model of a type from models.ts, if there is one', async () => {
  const models = `
    // export type { Ignored as Crowd } from './crowds.ts';
    export type { LocationShape as Location } from './locations/locations.shapes.ts';
    export interface NotInTheSchema {}
  `;
  const code = await generateResolverTypes({ schema, models });
  expect(code).toContain("import type { Location as LocationModel } from './models.ts';");
  expect(code).toContain('Location: ResolverTypeWrapper<LocationModel>;');
  expect(code).toContain('Crowd: ResolverTypeWrapper<Crowd>;');
  expect(code).toContain("import type { Context } from './services.ts';");
  expect(code).toContain('__resolveReference?:');
  expect(code).not.toContain('NotInTheSchema');
});

it('a syntax error in a schema is reported with the file, the line and the column', () => {
  expect(() => parsedSchema('type Query {\n  location(id: ID!: Location\n}', 'schema/gym.graphql')).toThrow(
    'schema/gym.graphql:2:19\n1 | type Query {\n2 |   location(id: ID!: Location',
  );
});
