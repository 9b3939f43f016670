import { type GraphQLError, isObjectType, isUnionType, type GraphQLSchema } from 'graphql';
import { PlatformError } from '../errors.ts';
import { graphqlErrorOf } from './errors.ts';

/**
 * Has `_entities` answer null and a clear error for a representation of no entity type, instead of failing for all
 * representations with an internal error. The type name comes from the caller, like any other input.
 */
export function checkRepresentations(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()._entities;
  const union = schema.getType('_Entity');
  if (!field?.resolve || !isUnionType(union)) return;
  const names = new Set(union.getTypes().map(({ name }) => name));
  const { resolve } = field;
  field.resolve = (root, { representations, ...args }: Representations, context, info): unknown[] =>
    representations.map((representation) => {
      const typename = typenameOf(representation);
      if (typename === undefined || !names.has(typename) || !isObjectType(schema.getType(typename)))
        return unknownEntity(typename, names);
      // Each by itself: the reference resolvers load together all the same, through their DataLoaders.
      const [entity] = resolve(
        root,
        { ...args, representations: [representation] },
        context,
        info,
      ) as unknown[];
      return entity;
    });
}

interface Representations {
  readonly representations: readonly unknown[];
}

function typenameOf(representation: unknown): string | undefined {
  if (typeof representation !== 'object' || representation === null) return undefined;
  const { __typename: typename } = representation as { __typename?: unknown };
  return typeof typename === 'string' ? typename : undefined;
}

/** graphql-js takes an error as an element of a list for a null there. */
function unknownEntity(typename: string | undefined, names: ReadonlySet<string>): GraphQLError {
  const came = typename === undefined ? 'none' : `"${typename.slice(0, 100)}"`;
  return graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      `Expected a __typename of ${[...names].join(', ')} in each representation, got ${came}.`,
    ),
  );
}
