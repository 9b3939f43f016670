import { GraphQLScalarType, valueFromASTUntyped, type GraphQLSchema } from 'graphql';
import { scalars } from '#server/graphql/scalars.ts';

/**
 * Lets the scalars `Date` and `DateTime` refuse the same inputs as in the services, so that the request is refused before a
 * subgraph is asked. An accepted value is sent on as the client wrote it. Answers are not checked again.
 */
export function checkDates(apiSchema: GraphQLSchema): void {
  for (const name of ['Date', 'DateTime'] as const) {
    const type = apiSchema.getType(name);
    if (!(type instanceof GraphQLScalarType)) continue;
    const checked = scalars[name];
    type.parseValue = (value) => {
      checked.parseValue(value);
      return value;
    };
    type.parseLiteral = (node, variables) => {
      checked.parseLiteral(node, variables);
      return valueFromASTUntyped(node, variables);
    };
  }
}
