import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Supergraph } from '@apollo/federation-internals';
import {
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type GraphQLField,
} from 'graphql';
import { SERVICE_NAMES } from '#server/settings.ts';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';

const SCHEMA = path.join(import.meta.dirname, '../../schema');
const sdl = readFileSync(path.join(SCHEMA, 'supergraph.graphql'), 'utf8');
const schema = Supergraph.build(sdl, { supportedFeatures: null, validateSupergraph: false })
  .apiSchema()
  .toGraphQLJSSchema();
const directives = new AppliedDirectives(sdl);

/** Every field of the object types of the graph, with the name of the object type. */
const fields = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
  .flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()).map((field) => ({ parent: type.name, field })) : [],
  );
const coordinate = ({ parent, field }: { parent: string; field: GraphQLField<unknown, unknown> }): string =>
  `${parent}.${field.name}`;

/** Lists whose size is declared by their parent field: `@listSize(sizedFields: ["nodes", "edges"])`. */
const sizedFromAbove = new Set(
  fields.flatMap((one) =>
    directives.at(coordinate(one), 'listSize').flatMap(({ args }) => {
      const below = getNamedType(one.field.type).name;
      return (Array.isArray(args.sizedFields) ? args.sizedFields : []).map(
        (name) => `${below}.${String(name)}`,
      );
    }),
  ),
);

describe('the graph', () => {
  it('declares the size of every list, so that its cost can be computed', () => {
    const unsized = fields
      .filter(({ field }) => isListType(getNullableType(field.type)))
      .map(coordinate)
      .filter((one) => directives.at(one, 'listSize').length === 0 && !sizedFromAbove.has(one));
    expect(unsized).toEqual([]);
  });

  it('has no non-null root field, because one service that is down would make all root fields null', () => {
    const roots = new Set(['Query', 'Mutation', 'Subscription']);
    expect(
      fields.filter(({ parent, field }) => roots.has(parent) && isNonNullType(field.type)).map(coordinate),
    ).toEqual([]);
  });

  it('has no non-null field or list element whose type is an entity of another service', () => {
    const found = SERVICE_NAMES.flatMap((service) => {
      const { definitions } = parse(readFileSync(path.join(SCHEMA, `${service}.graphql`), 'utf8'));
      const objects = definitions.filter((one) => one.kind === Kind.OBJECT_TYPE_DEFINITION);
      // A service that returns only the key of an entity does not know whether the entity exists.
      const elsewhere = new Set(
        objects
          .filter(({ name, fields: own = [] }) =>
            name.value === 'User' ? service !== 'identity' : own.length === 1 && own[0]?.name.value === 'id',
          )
          .map(({ name }) => name.value),
      );
      return objects.flatMap(({ name: parent, fields: own = [] }) =>
        own
          .filter(({ type }) => {
            const outer = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
            const inner = outer.kind === Kind.LIST_TYPE ? outer.type : type;
            return inner.kind === Kind.NON_NULL_TYPE && inner.type.kind === Kind.NAMED_TYPE
              ? elsewhere.has(inner.type.name.value)
              : false;
          })
          .map(({ name }) => `${service}: ${parent.value}.${name.value}`),
      );
    });
    expect(found).toEqual([]);
  });
});
