import { Supergraph, type Schema } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';

/** One loaded supergraph, in the forms that planning and executing a subscription need. */
export interface SchemaState {
  /** What clients see. */
  readonly apiSchema: GraphQLSchema;
  readonly federatedApiSchema: Schema;
  readonly supergraphSchema: GraphQLSchema;
  readonly planner: QueryPlanner;
}

export function schemaStateOf(apiSchema: GraphQLSchema, supergraphSdl: string): SchemaState {
  const supergraph = Supergraph.build(supergraphSdl, { validateSupergraph: false });
  return {
    apiSchema,
    federatedApiSchema: supergraph.apiSchema(),
    supergraphSchema: supergraph.schema.toGraphQLJSSchema(),
    planner: new QueryPlanner(supergraph),
  };
}
