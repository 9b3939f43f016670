import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { Requirements } from '../authorization/requirements.ts';
import type { Subgraph } from '../subgraphs/subgraph.ts';
import { AppliedDirectives } from '#server/graphql/applied-directives.ts';
import { loadGraph } from '../supergraph/load-graph.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { CostBudgets } from '../limits/cost-budgets.ts';
import type { UsageReport } from '../usage/usage-report.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import type { Writes } from '../writes/writes.ts';
import type { AnonymousLimits } from '../limits/anonymous-limits.ts';
import { Operations } from './operations.ts';
import { ResponseCache } from '../cache/response-cache.ts';
import { CacheDirectives } from '../cache/cache-directives.ts';
import { FetchCaching } from '../cache/fetch-caching.ts';
import type { OpenSharedCache } from '../cache/open-shared-cache.ts';

export interface GraphOptions extends AnonymousLimits {
  /** Whether `Date` and `DateTime` are the platform's scalars, whose inputs the gateway checks. Default: they are not. */
  hasOwnDates?: boolean;
  /** Makes the connection to a subgraph; called for each supergraph, with the URL in its SDL. */
  connect(name: string, urlInFile: string): Subgraph;
  /** The maximum cost of one operation of an authenticated caller. */
  costLimit: number;
  /** The assumed size of a list without `@listSize`. */
  assumedListSize: number;
  /** The largest size of a page, whatever its arguments say. */
  maxListSize: number;
  /** The largest number of cached documents. */
  operationCacheSize: number;
  /** Mutations of all replicas of the gateway: they invalidate cached responses. */
  writes: Writes;
  /** The cache that all replicas of the gateway share; absent: each has its own. */
  sharedCache?: OpenSharedCache | undefined;
  usage?: Pick<UsageReport, 'of'> | undefined;
  budgets?: CostBudgets | undefined;
  formatError(error: GraphQLError): GraphQLFormattedError;
  onFallback?(reason: string): void;
}

/** One loaded supergraph with its prepared operations. */
interface ServedGraph {
  readonly loaded: LoadedGraph;
  readonly directives: AppliedDirectives;
  readonly requirements: Requirements;
  readonly operations: Operations;
}

type Listener = (graph: ServedGraph) => void;

/** How long operations of the current supergraph are prepared on a new one, before the new one replaces the current one. */
const WARM_UP_MILLIS = 500;
/** The time that requests on a replaced supergraph have to end, before its connections are closed. */
const DRAIN_MILLIS = 60_000; // 60 s

/**
 * The graph that is served now. A new supergraph replaces the current one as a whole and at once: a request ends on the
 * supergraph on which it began.
 */
export class Graph {
  private readonly options: GraphOptions;
  private readonly listeners = new Set<Listener>();
  private served: ServedGraph | undefined;
  private readonly pendingWrites = new PendingWrites(({ service }) => service);
  private responses = new ResponseCache(this.pendingWrites);
  private readonly stopListening: () => void;
  private readonly draining = new Set<NodeJS.Timeout>();

  constructor(options: GraphOptions) {
    this.options = options;
    this.stopListening = options.writes.onWrite((write) => {
      this.pendingWrites.onWrite(write);
      this.responses.onWrite(write);
    });
  }

  get current(): ServedGraph {
    if (!this.served) throw new Error('no supergraph is loaded yet');
    return this.served;
  }

  /**
   * Replaces the current supergraph, after its most recently used operations are prepared on the new one. The calling code waits
   * for the promise before it loads another one, as `OfferedSupergraph` does.
   * @throws Error if the SDL is not a valid supergraph; the current one stays
   */
  async load(sdl: string): Promise<void> {
    const before = this.served;
    const loaded = loadGraph(sdl, (name, url) => this.connectionTo(name, url), this.options.hasOwnDates);
    const directives = new AppliedDirectives(sdl);
    const requirements = new Requirements(directives);
    const { operationCacheSize, sharedCache, ...limits } = this.options;
    const cacheDirectives = new CacheDirectives(directives);
    if (sharedCache) sharedCache.changes.follow(cacheDirectives.services);
    const responses = new ResponseCache(this.pendingWrites);
    const operations = new Operations(
      {
        ...limits,
        graph: loaded,
        directives,
        requirements,
        responses,
        shared: sharedCache && {
          cache: sharedCache.cache,
          caching: new FetchCaching(sharedCache.cache, loaded.supergraphSchema, cacheDirectives),
        },
      },
      operationCacheSize,
    );
    if (before) await operations.warmUp(before.operations, WARM_UP_MILLIS);
    this.responses = responses;
    this.served = { loaded, directives, requirements, operations };
    for (const listener of this.listeners) listener(this.served);
    if (before) this.drain(before.loaded, loaded);
  }

  /** Calls the listener with the current supergraph and each one that replaces it. */
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

  /** A subgraph whose URL did not change keeps its connections. */
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
