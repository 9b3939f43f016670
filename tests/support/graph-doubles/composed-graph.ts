import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import type { Subgraph } from '../../../gateway/subgraphs/subgraph.ts';
import { loadGraph } from '../../../gateway/supergraph/load-graph.ts';
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

/** Loads a supergraph whose fetches go to the given subgraphs instead of to their URLs. */
export function graphOf(sdl: string, subgraphs: Iterable<Subgraph>): LoadedGraph {
  const byName = new Map([...subgraphs].map((subgraph) => [subgraph.name, subgraph]));
  return loadGraph(sdl, (name) => {
    const subgraph = byName.get(name);
    if (!subgraph) throw new Error(`no subgraph "${name}" was given`);
    return subgraph;
  });
}
