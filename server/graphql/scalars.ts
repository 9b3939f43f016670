import { DateTimeISOResolver, JSONResolver, LocalDateResolver } from 'graphql-scalars';
import GraphQLUpload from 'graphql-upload/GraphQLUpload.mjs';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { z } from 'zod';
import { isDay } from '../calendar.ts';
import { PlatformError } from '../errors.ts';
import { day, instant } from '../shapes.ts';

/**
 * The scalars that the services' schemas may declare. `DateTime` is ISO 8601 in UTC, and rules get a string, not a `Date` of
 * JavaScript; the scalar `Date` is a local day, `YYYY-MM-DD`. Inputs have the same bounds as the shapes `instant` and `day`
 * of REST.
 */
export const scalars = {
  DateTime: new GraphQLScalarType<string, string>({
    name: 'DateTime',
    serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
    parseValue: (value) => bounded(instant, () => DateTimeISOResolver.parseValue(value).toISOString()),
    parseLiteral: (node, variables) =>
      bounded(instant, () => DateTimeISOResolver.parseLiteral(node, variables).toISOString()),
  }),
  Date: new GraphQLScalarType<string, string>({
    name: 'Date',
    serialize: (value) =>
      typeof value === 'string' && isDay(value) ? value : LocalDateResolver.serialize(value),
    parseValue: (value) => bounded(day, () => LocalDateResolver.parseValue(value)),
    parseLiteral: (node, variables) => bounded(day, () => LocalDateResolver.parseLiteral(node, variables)),
  }),
  JSON: JSONResolver,
  Upload: new GraphQLScalarType({
    ...GraphQLUpload.toConfig(),
    parseValue: (value) => parsed(() => GraphQLUpload.parseValue(value)),
    parseLiteral: (node) => parsed(() => GraphQLUpload.parseLiteral(node)),
  }),
} as const;

/**
 * Runs a scalar's parser.
 * @throws GraphQLError whose `originalError` is VALIDATION_FAILED. Without it, a refused literal would have the code of
 * GraphQL validation, and the gateway would take the client's mistake for a mistake in its plan.
 */
function parsed<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

/** As `parsed`, with the bounds of a shared shape. */
function bounded(shape: z.ZodType<string>, parse: () => string): string {
  const result = shape.safeParse(parsed(parse));
  if (result.success) return result.data;
  throw refused(result.error.issues[0]?.message ?? 'expected another value');
}

const refused = (message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new PlatformError('VALIDATION_FAILED', message) });
