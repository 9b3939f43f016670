import { defaultFieldResolver, isObjectType, type GraphQLSchema } from 'graphql';
import { fieldUseCounter, type RateLimit } from '../rest/rate-limit.ts';
import type { RateLimitStores } from '../rest/rate-limit-store.ts';
import type { GraphContext } from './subgraph-endpoint.ts';

/**
 * Puts rate limits on single fields, e.g. `Mutation.login`. Each use of a field counts, because an operation may repeat it
 * by aliases. If a field's limit and a route's limit have the same name, they count together, so that no door bypasses
 * the limit.
 */
export function limitFields(
  schema: GraphQLSchema,
  limits: Readonly<Record<string, RateLimit>>,
  stores: RateLimitStores,
): void {
  for (const [coordinate, limit] of Object.entries(limits)) {
    const [typeName = '', fieldName = ''] = coordinate.split('.');
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    if (!field) throw new Error(`There is no field ${coordinate} to limit.`);
    const countUse = fieldUseCounter(limit, stores(limit.name));
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: GraphContext<object>, info): Promise<unknown> => {
      await countUse(context);
      return resolve(source, args, context, info);
    };
  }
}
