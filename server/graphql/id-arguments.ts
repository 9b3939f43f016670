import {
  GraphQLID,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { lowerCaseId } from '../ids.ts';

/** Returns the value with its ids in lower case. */
type Convert = (value: unknown) => unknown;

/**
 * Lets the resolvers of a schema get the UUIDs of their `ID` arguments in lower case, also those inside of input objects and
 * lists, because ids are stored and compared in lower case. REST and the sockets do the same by the shape `uuid`,
 * and `EntityKeys` does it for the representations of entities.
 */
export function convertIdArguments(schema: GraphQLSchema): void {
  const known = new Map<GraphQLInputType, Convert | undefined>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const convert = convertFields(field.args, known);
      if (!convert) continue;
      const { resolve, subscribe } = field;
      if (resolve)
        field.resolve = (source, args, context, info): unknown =>
          resolve(source, convert(args), context, info);
      if (subscribe)
        field.subscribe = (source, args, context, info): unknown =>
          subscribe(source, convert(args), context, info);
    }
  }
}

/** Converts the arguments of a field, or the fields of an input object; undefined if none of them contains an id. */
function convertFields(
  fields: readonly Pick<GraphQLArgument, 'name' | 'type'>[],
  known: Map<GraphQLInputType, Convert | undefined>,
): ((values: Readonly<Record<string, unknown>>) => Record<string, unknown>) | undefined {
  const converts = fields.flatMap(({ name, type }) => {
    const convert = convertOf(type, known);
    return convert ? [[name, convert] as const] : [];
  });
  if (converts.length === 0) return undefined;
  return (values) => {
    const converted = { ...values };
    for (const [name, convert] of converts)
      if (converted[name] !== undefined && converted[name] !== null)
        converted[name] = convert(converted[name]);
    return converted;
  };
}

function convertOf(
  type: GraphQLInputType,
  known: Map<GraphQLInputType, Convert | undefined>,
): Convert | undefined {
  if (isNonNullType(type)) return convertOf(type.ofType, known);
  if (type === GraphQLID) return (id) => (typeof id === 'string' ? lowerCaseId(id) : id);
  if (isListType(type)) {
    const convert = convertOf(type.ofType, known);
    return convert && ((list) => (list as unknown[]).map((item) => (item === null ? null : convert(item))));
  }
  if (!isInputObjectType(type)) return undefined;
  if (!known.has(type)) {
    known.set(type, (value) => value); // for an input type that contains itself
    known.set(type, convertFields(Object.values(type.getFields()), known) as Convert | undefined);
  }
  return known.get(type);
}
