import { type GraphQLError, isUnionType, type GraphQLSchema } from 'graphql';
import { PlatformError } from '../errors.ts';
import { EntityKeys } from './entity-keys.ts';
import { graphqlErrorOf } from './errors.ts';

/**
 * Replaces the resolver of `_entities` by one that checks each representation first: one without an entity type or without
 * a complete key becomes null with a VALIDATION_FAILED error, and not an internal error, because representations are
 * input of the caller.
 */
export function addRepresentationChecks(schema: GraphQLSchema): void {
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

/** The error is returned as the item of the list: graphql-js then answers null for this item, and adds the error. */
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
