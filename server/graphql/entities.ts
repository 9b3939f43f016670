import { type GraphQLError, isUnionType, type GraphQLSchema } from 'graphql';
import { PlatformError } from '../errors.ts';
import { EntityKeys } from './entity-keys.ts';
import { graphqlErrorOf } from './errors.ts';

/**
 * Makes `_entities` answer null and a clear error, instead of an internal error, for a representation that has no entity
 * type or no complete key. Representations are input of the caller, like any other.
 */
export function checkRepresentations(schema: GraphQLSchema): void {
  const field = schema.getQueryType()?.getFields()._entities;
  const union = schema.getType('_Entity');
  if (!field?.resolve || !isUnionType(union)) return;
  const keys = new Map(union.getTypes().map((type) => [type.name, new EntityKeys(type)]));
  const { resolve } = field;
  field.resolve = (root, { representations, ...args }: Representations, context, info): unknown[] =>
    representations.map((representation) => {
      const typename = typenameOf(representation);
      const keysOfType = typename === undefined ? undefined : keys.get(typename);
      if (typename === undefined || !keysOfType) return unknownEntity(typename, [...keys.keys()]);
      const read = keysOfType.read(representation as Record<string, unknown>);
      if (!read) return withoutKey(typename, keysOfType);
      // One representation at a time: the reference resolvers still load them together, through their DataLoaders.
      const [entity] = resolve(root, { ...args, representations: [read] }, context, info) as unknown[];
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

/** graphql-js turns an error that is an item of a list into null and that error. */
function unknownEntity(typename: string | undefined, names: readonly string[]): GraphQLError {
  const received = typename === undefined ? 'none' : `"${typename.slice(0, 100)}"`;
  return graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      `Expected a __typename of ${names.join(', ')} in each representation, got ${received}.`,
    ),
  );
}

const withoutKey = (typename: string, { texts }: EntityKeys): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'VALIDATION_FAILED',
      `Expected the fields of a key of ${typename} in its representation: ${texts.join('; or ')}.`,
    ),
  );
