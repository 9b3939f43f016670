import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { Requirements } from '../authorization/requirements.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { loadGraph } from '../supergraph/load-graph.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { Writes } from '../writes/writes.ts';
import type { AnonymousLimits } from '../limits/anonymous-limits.ts';
import { Operations } from './operations.ts';
import { ResponseCache } from '../cache/response-cache.ts';

export interface GraphOptions extends AnonymousLimits {
  /** The connection to a subgraph; asked anew for each supergraph, with the URL that stands in it. */
  connect(name: string, urlInFile: string): Subgraph;
  /** Most that one operation of an authenticated caller may cost. */
  costLimit: number;
  /** Elements of a list of which no `@listSize` tells more. */
  assumedListSize: number;
  /** Pages hold no more than this, whatever is asked for. */
  maxListSize: number;
  /** How many documents are kept ready. */
  operationCacheSize: number;
  /** Mutations, also those that other gateways send: answers from before them are not given again. */
  writes: Writes;
  formatError(error: GraphQLError): GraphQLFormattedError;
  onFallback?(reason: string): void;
}

/** One supergraph with the operations that are ready to run on it. */
export interface ServedGraph {
  readonly loaded: LoadedGraph;
  readonly directives: AppliedDirectives;
  readonly requirements: Requirements;
  readonly operations: Operations;
}

type Listener = (graph: ServedGraph) => void;

const WARM_UP_MILLIS = 500;
/** What began on a supergraph that is gone may take so long to end, before its connections are closed. */
const DRAIN_MILLIS = 60_000; // 60 s

/**
 * The graph as it is served now. A new supergraph takes the old one's place at once and as a whole: what is under way
 * ends on the one on which it began.
 */
export class Graph {
  private readonly options: GraphOptions;
  private readonly listeners = new Set<Listener>();
  private served: ServedGraph | undefined;
  private responses = new ResponseCache();
  private readonly stopListening: () => void;
  private readonly draining = new Set<NodeJS.Timeout>();

  constructor(options: GraphOptions) {
    this.options = options;
    this.stopListening = options.writes.onWrite(({ service, phase }) => {
      if (phase === 'ended') this.responses.forget([service]);
    });
  }

  get current(): ServedGraph {
    if (!this.served) throw new Error('no supergraph is loaded yet');
    return this.served;
  }

  /**
   * Serves this supergraph from now on, with the operations of the one before prepared already. One load at a time.
   * @throws Error where it is none; the one before goes on being served
   */
  async load(sdl: string): Promise<void> {
    const before = this.served;
    const loaded = loadGraph(sdl, (name, url) => this.connectionTo(name, url));
    const directives = new AppliedDirectives(sdl);
    const requirements = new Requirements(directives);
    const { operationCacheSize, ...limits } = this.options;
    const responses = new ResponseCache();
    const operations = new Operations(
      { ...limits, graph: loaded, directives, requirements, responses },
      operationCacheSize,
    );
    if (before) await operations.warmUp(before.operations, WARM_UP_MILLIS);
    this.responses = responses;
    this.served = { loaded, directives, requirements, operations };
    for (const listener of this.listeners) listener(this.served);
    if (before) this.drain(before.loaded, loaded);
  }

  /** Called with what is served now, and with all that follows. */
  onLoad(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.served) listener(this.served);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.stopListening();
    for (const timer of this.draining) clearTimeout(timer);
    await Promise.all(
      [...(this.served?.loaded.subgraphs.values() ?? [])].map((subgraph) => subgraph.close()),
    );
  }

  /** A subgraph that has stayed keeps its connections. */
  private connectionTo(name: string, urlInFile: string): Subgraph {
    const made = this.options.connect(name, urlInFile);
    const known = this.served?.loaded.subgraphs.get(name);
    if (known?.url !== made.url) return made;
    void made.close();
    return known;
  }

  private drain(before: LoadedGraph, after: LoadedGraph): void {
    const gone = [...before.subgraphs].filter(([name, subgraph]) => after.subgraphs.get(name) !== subgraph);
    if (gone.length === 0) return;
    const timer = setTimeout(() => {
      this.draining.delete(timer);
      for (const [, subgraph] of gone) void subgraph.close();
    }, DRAIN_MILLIS);
    timer.unref();
    this.draining.add(timer);
  }
}
