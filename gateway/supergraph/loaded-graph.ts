import type { Schema } from '@apollo/federation-internals';
import type { QueryPlanner } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import type { Subgraph } from '../subgraphs/subgraph.ts';

/**
 * One supergraph as it was loaded, in the forms that planning and executing need. Never changed: a request keeps the
 * one that it began with while another is loaded.
 */
export interface LoadedGraph {
  readonly sdl: string;
  /** What clients see. */
  readonly apiSchema: GraphQLSchema;
  readonly federatedApiSchema: Schema;
  readonly supergraphSchema: GraphQLSchema;
  readonly planner: QueryPlanner;
  readonly subgraphs: ReadonlyMap<string, Subgraph>;
}
