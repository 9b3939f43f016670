import type { Logger } from '#server/observability/logger.ts';
import { StartError } from '#server/start-error.ts';
import type { Contract } from '../router-file/router-file.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import { contractSdl } from '../supergraph/contract.ts';
import { Graph, type GraphOptions } from './graph.ts';

/** The graphs of the contracts by name, each over the connections of the full graph. */
export class ContractGraphs {
  readonly byName = new Map<string, Graph>();
  private readonly contracts: readonly Contract[];
  private readonly log: Logger;

  private constructor(contracts: readonly Contract[], log: Logger) {
    this.contracts = contracts;
    this.log = log;
  }

  /** @throws StartError if a contract leaves out something that the rest needs */
  static async open(
    contracts: readonly Contract[],
    full: Graph,
    { options, log }: { options: GraphOptions; log: Logger },
  ): Promise<ContractGraphs> {
    const graphs = new ContractGraphs(contracts, log);
    const connect = (name: string): Subgraph => connectionOfFullGraph(name, full);
    for (const contract of contracts) {
      const graph = new Graph({ ...options, connect });
      graphs.byName.set(contract.name, graph);
      await graph.load(contractSdl(full.current.loaded.sdl, contract)).catch((cause: unknown) => {
        throw new StartError(
          `ROUTER_FILE: the contract "${contract.name}" is no valid graph: ${String(cause)}`,
          {
            cause,
          },
        );
      });
    }
    return graphs;
  }

  /** To be called after the full graph was replaced. A contract that is not valid with the new one keeps its previous graph. */
  async load(sdl: string): Promise<void> {
    for (const contract of this.contracts)
      try {
        await this.byName.get(contract.name)?.load(contractSdl(sdl, contract));
      } catch (error) {
        this.log.error(
          { contract: contract.name, err: error },
          'this contract is not valid with the new supergraph; its previous graph stays',
        );
      }
  }

  async close(): Promise<void> {
    await Promise.all([...this.byName.values()].map((graph) => graph.close()));
  }
}

/** Sends each request over the connection that the full graph has at that moment. Only the full graph closes it. */
function connectionOfFullGraph(name: string, full: Graph): Subgraph {
  const now = (): Subgraph => {
    const subgraph = full.current.loaded.subgraphs.get(name);
    if (!subgraph) throw new Error(`the full graph has no subgraph ${name}`);
    return subgraph;
  };
  return { name, url: now().url, send: (request) => now().send(request), close: async () => undefined };
}
