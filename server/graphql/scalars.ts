import { DateTimeISOResolver, JSONResolver, LocalDateResolver } from 'graphql-scalars';
import GraphQLUpload from 'graphql-upload/GraphQLUpload.mjs';
import { GraphQLScalarType } from 'graphql';

/**
 * The scalars that schemas here may declare. `DateTime` is ISO 8601 in UTC, as text inside the rules as well;
 * `Date` a local day, `YYYY-MM-DD`.
 */
export const scalars = {
  DateTime: new GraphQLScalarType<string, string>({
    name: 'DateTime',
    serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
    parseValue: (value) => DateTimeISOResolver.parseValue(value).toISOString(),
    parseLiteral: (node, variables) => DateTimeISOResolver.parseLiteral(node, variables).toISOString(),
  }),
  Date: new GraphQLScalarType<string, string>({
    name: 'Date',
    serialize: (value) => LocalDateResolver.serialize(value),
    parseValue: (value) => LocalDateResolver.parseValue(value),
    parseLiteral: (node, variables) => LocalDateResolver.parseLiteral(node, variables),
  }),
  JSON: JSONResolver,
  Upload: GraphQLUpload,
} as const;
