import { DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES, Supergraph } from '@apollo/federation-internals';
import { QueryPlanner } from '@apollo/query-planner';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import { checkDates } from './date-scalars.ts';
import type { LoadedGraph } from './loaded-graph.ts';
import { addIsOneOf, markOneOf } from './one-of.ts';
import { withResolvableKeysFirst } from './resolvable-keys.ts';

/**
 * @apollo/gateway refuses a supergraph with some of these, because it does not enforce them. Here `gateway/authorization/`
 * enforces them, and `#server/graphql/cost.ts` the costs.
 */
export const SUPPORTED_FEATURES = new Set([
  ...DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES,
  'https://specs.apollo.dev/authenticated/v0.1',
  'https://specs.apollo.dev/requiresScopes/v0.1',
  'https://specs.apollo.dev/policy/v0.1',
  'https://specs.apollo.dev/cost/v0.1',
]);

/**
 * @param subgraphOf returns the connection to a subgraph
 * @param hasOwnDates whether `Date` and `DateTime` are the platform's scalars, and not others with the same names
 * @throws Error that says what is wrong with the SDL
 */
export function loadGraph(
  sdl: string,
  subgraphOf: (name: string, urlInFile: string) => Subgraph,
  hasOwnDates = false,
): LoadedGraph {
  const supergraph = Supergraph.build(withResolvableKeysFirst(sdl), {
    supportedFeatures: SUPPORTED_FEATURES,
    validateSupergraph: true,
  });
  const federatedApiSchema = supergraph.apiSchema();
  const apiSchema = federatedApiSchema.toGraphQLJSSchema({ includeDefer: true });
  const supergraphSchema = supergraph.schema.toGraphQLJSSchema();
  markOneOf(apiSchema, supergraphSchema);
  if (hasOwnDates) checkDates(apiSchema);
  addIsOneOf(federatedApiSchema);
  return {
    sdl,
    apiSchema,
    federatedApiSchema,
    supergraphSchema,
    planner: new QueryPlanner(supergraph, { incrementalDelivery: { enableDefer: true } }),
    subgraphs: new Map(
      supergraph.subgraphsMetadata().map(({ name, url }) => [name, subgraphOf(name, url)] as const),
    ),
  };
}
