import type { Schema } from '@apollo/federation-internals';
import type { QueryPlanner } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import type { Subgraph } from '../subgraphs/subgraph.ts';

/**
 * A loaded supergraph in the forms that planning and execution need. Immutable: a request ends on the supergraph on which
 * it began, also if another one is loaded meanwhile.
 */
export interface LoadedGraph {
  readonly sdl: string;
  /** The schema that clients see. */
  readonly apiSchema: GraphQLSchema;
  readonly federatedApiSchema: Schema;
  readonly supergraphSchema: GraphQLSchema;
  readonly planner: QueryPlanner;
  readonly subgraphs: ReadonlyMap<string, Subgraph>;
}
