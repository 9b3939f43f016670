import { DateTimeISOResolver, JSONResolver, LocalDateResolver } from 'graphql-scalars';
import GraphQLUpload from 'graphql-upload/GraphQLUpload.mjs';
import { GraphQLError, GraphQLScalarType, type GraphQLScalarLiteralParser } from 'graphql';
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
    parseLiteral: literal(instant, (node, variables) =>
      DateTimeISOResolver.parseLiteral(node, variables).toISOString(),
    ),
  }),
  Date: new GraphQLScalarType<string, string>({
    name: 'Date',
    serialize: (value) =>
      typeof value === 'string' && isDay(value) ? value : LocalDateResolver.serialize(value),
    parseValue: (value) => bounded(day, () => LocalDateResolver.parseValue(value)),
    parseLiteral: literal(day, (node, variables) => LocalDateResolver.parseLiteral(node, variables)),
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

/** Runs a parser of variables. A value that it refuses gets the message of the shape, which also sets the bounds. */
function bounded(shape: z.ZodType<string>, parse: () => string): string {
  const result = within(shape, parse);
  if (typeof result === 'string') return result;
  throw refused(result.message);
}

/**
 * As `bounded`, for literals. The error is not a GraphQLError: graphql-js then adds the type, the literal and its location.
 */
function literal(
  shape: z.ZodType<string>,
  parse: GraphQLScalarLiteralParser<string>,
): GraphQLScalarLiteralParser<string> {
  return (node, variables) => {
    const result = within(shape, () => parse(node, variables));
    if (typeof result === 'string') return result;
    throw new PlatformError('VALIDATION_FAILED', result.message);
  };
}

function within(shape: z.ZodType<string>, parse: () => string): string | { message: string } {
  let text: string | undefined;
  try {
    text = parse();
  } catch {
    // `shape` refuses undefined with its own message. That of the parser would name another scalar.
  }
  const result = shape.safeParse(text);
  return result.success
    ? result.data
    : { message: result.error.issues[0]?.message ?? 'expected another value' };
}

const refused = (message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new PlatformError('VALIDATION_FAILED', message) });
