import { composeServices } from '@apollo/composition';
import { Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import type { Subgraph } from '../../../gateway/subgraphs/subgraph.ts';
import type { LoadedGraph } from '../../../gateway/supergraph/loaded-graph.ts';

/** SDL by the names of the subgraphs. */
export type SubgraphSdls = Readonly<Record<string, string>>;

export function composed(sdls: SubgraphSdls): string {
  const services = Object.entries(sdls).map(([name, sdl]) => ({
    name,
    url: `http://${name}.test/graphql`,
    typeDefs: parse(sdl),
  }));
  const { supergraphSdl, errors } = composeServices(services);
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

/** A supergraph over subgraphs that a test holds in its hands. */
export function graphOf(sdl: string, subgraphs: Iterable<Subgraph>): LoadedGraph {
  const supergraph = Supergraph.build(sdl, { validateSupergraph: false });
  const federatedApiSchema = supergraph.apiSchema();
  return {
    sdl,
    apiSchema: federatedApiSchema.toGraphQLJSSchema(),
    federatedApiSchema,
    supergraphSchema: supergraph.schema.toGraphQLJSSchema(),
    planner: new QueryPlanner(supergraph),
    subgraphs: new Map([...subgraphs].map((subgraph) => [subgraph.name, subgraph])),
  };
}
