import {
  getVariableValues,
  GraphQLError,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Viewer } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import { graphqlErrorOf } from '#server/graphql/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, Gauge, type Metrics } from '#server/observability/metrics.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { Permission } from '../authorization/permission.ts';
import { SubscriptionPlans, type SubscriptionPlan } from './subscription-plans.ts';
import { ClientSubscription, type SubscribeArgs } from './client-subscription.ts';
import { rightsOf } from './sharing-scope.ts';
import { SharedSubscriptions } from './shared-subscriptions.ts';

export interface FederatedSubscriptionsOptions {
  log: Logger;
  metrics: Metrics;
  /** The gateway's own: by them it proves itself to the subgraphs. */
  tokens: ServiceTokens;
  /** Sent with the handshake of a socket to the subgraph at that GraphQL URL. Default: none. */
  headersOf?(url: string): Readonly<Record<string, string>>;
  /** What of an operation a caller gets. Default: everything. @throws GraphQLError where that is nothing */
  permissionOf?(
    graph: LoadedGraph,
    document: DocumentNode,
    operationName: string | undefined,
    viewer: Viewer,
  ): Permission;
}

/**
 * Subscriptions over several subgraphs, which @apollo/gateway plans but does not run: the plan's primary is subscribed
 * to at the subgraph that owns it; each of its events then runs as an ordinary plan in which the primary is answered
 * by the event and the other subgraphs fill in the rest. What is equal is done once: PROTOCOL.md.
 */
export class FederatedSubscriptions {
  private readonly options: FederatedSubscriptionsOptions;
  private readonly seats = new Set<ClientSubscription>();
  private readonly work: SharedSubscriptions;
  private loaded:
    | {
        graph: LoadedGraph;
        plans: SubscriptionPlans;
        /** Weakly, so that `plans` alone decides which are kept. */
        ready: WeakMap<DocumentNode, Map<string, WeakRef<SubscriptionPlan>>>;
      }
    | undefined;

  constructor(options: FederatedSubscriptionsOptions) {
    this.options = options;
    this.work = new SharedSubscriptions({
      ...options,
      executions: figures(options.metrics, () => this.counts),
      onGone: (seat) => void this.seats.delete(seat),
    });
  }

  /**
   * Called with every supergraph that the gateway loads. Subscriptions go on: with another plan where only that has
   * changed, at another place where their subgraph has another address; they end with `SUBSCRIPTION_SCHEMA_RELOAD`
   * where what they ask for is gone.
   */
  load(graph: LoadedGraph): void {
    const before = this.loaded;
    this.loaded = { graph, plans: new SubscriptionPlans(graph), ready: new WeakMap() };
    if (!before) return;
    const judged = new Map<DocumentNode, GraphQLError | undefined>();
    for (const seat of this.seats) {
      const { document } = seat.args;
      if (!judged.has(document)) judged.set(document, validate(graph.apiSchema, document)[0]);
      const reason = judged.get(document);
      if (reason) seat.fail(gone(reason.message));
      else this.renew(seat);
    }
  }

  get apiSchema(): GraphQLSchema {
    return this.current.graph.apiSchema;
  }

  /** Open now: subscriptions at subgraphs, groups of equal ones of clients, and clients' subscriptions. */
  get counts(): { upstreams: number; groups: number; subscribers: number } {
    return { ...this.work.counts, subscribers: this.seats.size };
  }

  subscribe(args: SubscribeArgs): AsyncIterableIterator<ExecutionResult> | ExecutionResult {
    const plan = this.permittedPlanOf(args);
    if (plan instanceof GraphQLError) return { errors: [plan] };
    const { errors } = getVariableValues(
      this.apiSchema,
      plan.operation.variableDefinitions ?? [],
      args.variables,
    );
    if (errors) return { errors };
    const seat = new ClientSubscription(args, plan, this.work);
    this.seats.add(seat);
    return seat.subscriber;
  }

  async close(): Promise<void> {
    await this.work.close();
  }

  private renew(seat: ClientSubscription): void {
    try {
      const plan = this.planOf(seat.args);
      if (this.work.renew(seat, plan)) seat.stay(plan);
      else seat.move(plan);
    } catch (error) {
      seat.fail(gone(error instanceof Error ? error.message : String(error)));
    }
  }

  private permittedPlanOf(args: SubscribeArgs): SubscriptionPlan | GraphQLError {
    try {
      return this.planOf(args);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  /** Found once for all who send the same and have the same rights: there may be thousands of them at a reload. */
  private planOf({ document, operationName, context: { viewer } }: SubscribeArgs): SubscriptionPlan {
    const { ready } = this.current;
    const ofDocument = ready.get(document) ?? new Map<string, WeakRef<SubscriptionPlan>>();
    ready.set(document, ofDocument);
    const key = `${rightsOf(viewer)} ${operationName ?? ''}`;
    const plan = ofDocument.get(key)?.deref() ?? this.makePlan(document, operationName, viewer);
    ofDocument.set(key, new WeakRef(plan));
    return plan;
  }

  private makePlan(
    document: DocumentNode,
    operationName: string | undefined,
    viewer: Viewer,
  ): SubscriptionPlan {
    const { graph, plans } = this.current;
    const permission = this.options.permissionOf?.(graph, document, operationName, viewer) ?? {
      mask: '',
      document,
      errors: [],
    };
    return plans.of(document, operationName, permission);
  }

  private get current() {
    if (!this.loaded) throw new Error('no supergraph is loaded yet');
    return this.loaded;
  }
}

const gone = (reason: string): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'SUBSCRIPTION_SCHEMA_RELOAD',
      `The graph has changed, and this subscription is not part of it any more: ${reason}`,
    ),
  );

function figures(
  { registry }: Metrics,
  counts: () => { upstreams: number; groups: number; subscribers: number },
): Counter {
  const gauge = (name: 'upstreams' | 'groups' | 'subscribers', help: string) =>
    new Gauge({
      name: `gateway_subscription_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(counts()[name]);
      },
    });
  gauge('upstreams', 'Subscriptions at subgraphs open now.');
  gauge('groups', 'Groups of equal subscriptions of clients.');
  gauge('subscribers', "Clients' subscriptions open now.");
  return new Counter({
    name: 'gateway_subscription_executions_total',
    help: 'Events that were filled in from the other subgraphs, each once a group.',
    registers: [registry],
  });
}
