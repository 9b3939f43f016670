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
import { graphqlErrorOf, invalidVariable } from '#server/graphql/errors.ts';
import type { TlsOptions } from '../router-file/router.ts';
import type { Logger } from '#server/observability/logger.ts';
import { Counter, Gauge, type Metrics } from '#server/observability/metrics.ts';
import type { Tracing } from '#server/observability/tracing.ts';
import { Deliveries } from './deliveries.ts';
import type { LoadedGraph } from '../supergraph/loaded-graph.ts';
import type { Permission } from '../authorization/permission.ts';
import { SubscriptionPlans, type SubscriptionPlan } from './subscription-plans.ts';
import { ClientSubscription, type SubscribeArgs } from './client-subscription.ts';
import { rightsOf } from './sharing-scope.ts';
import { SharedSubscriptions } from './shared-subscriptions.ts';

interface FederatedSubscriptionsOptions {
  log: Logger;
  metrics: Metrics;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
  /** Client-credentials tokens of the service `gateway`, which prove to subgraphs that a socket is the gateway's. */
  tokens: ServiceTokens;
  /** Sent with the handshake of a socket to the subgraph at that GraphQL URL. Default: none. */
  headersOf?(url: string): Readonly<Record<string, string>>;
  /** How a socket with TLS to that URL is opened. Default: as Node does. */
  tlsAt?(url: string): TlsOptions | undefined;
  /** The part of an operation that a caller may run. Default: all of it. @throws GraphQLError if every field is refused */
  permissionOf?(
    graph: LoadedGraph,
    document: DocumentNode,
    operationName: string | undefined,
    viewer: Viewer,
  ): Permission;
}

/**
 * Subscriptions over several subgraphs, which @apollo/gateway plans but does not run. The gateway subscribes to
 * the field at the subgraph that owns it (`primary` in the plan). For each event it runs an ordinary plan: the event is the
 * answer of that first fetch, and other subgraphs provide the rest. Equal subscriptions are shared (PROTOCOL.md).
 */
export class FederatedSubscriptions {
  private readonly options: FederatedSubscriptionsOptions;
  private readonly open = new Set<ClientSubscription>();
  private readonly shared: SharedSubscriptions;
  /** Measures how long events take to reach clients. */
  readonly deliveries: Deliveries;
  private loaded:
    | {
        graph: LoadedGraph;
        plans: SubscriptionPlans;
        /** Plans by document, rights and operation name. Weak references, so that the bound of `plans` decides what is kept. */
        ready: WeakMap<DocumentNode, Map<string, WeakRef<SubscriptionPlan>>>;
      }
    | undefined;

  constructor(options: FederatedSubscriptionsOptions) {
    this.options = options;
    this.deliveries = new Deliveries(options.metrics, options.tracing);
    this.shared = new SharedSubscriptions({
      ...options,
      deliveries: this.deliveries,
      executions: registerMetrics(options.metrics, () => this.counts),
      onRemoved: (subscription) => void this.open.delete(subscription),
    });
  }

  /**
   * Replaces the supergraph. An open subscription gets a new plan, and also a new upstream subscription if the subgraph's URL,
   * the request to it or the refused fields have changed. If it is no longer valid, it ends with `SUBSCRIPTION_SCHEMA_RELOAD`.
   */
  load(graph: LoadedGraph): void {
    const before = this.loaded;
    this.loaded = { graph, plans: new SubscriptionPlans(graph), ready: new WeakMap() };
    if (!before) return;
    const validated = new Map<DocumentNode, GraphQLError | undefined>();
    for (const subscription of this.open) {
      const { document } = subscription.args;
      if (!validated.has(document)) validated.set(document, validate(graph.apiSchema, document)[0]);
      const error = validated.get(document);
      if (error) subscription.fail(noLongerValid(error.message));
      else this.replan(subscription);
    }
  }

  get apiSchema(): GraphQLSchema {
    return this.current.graph.apiSchema;
  }

  /** Open now: subscriptions at subgraphs, groups of equal client subscriptions, and client subscriptions. */
  get counts(): { upstreams: number; groups: number; subscribers: number } {
    return { ...this.shared.counts, subscribers: this.open.size };
  }

  subscribe(args: SubscribeArgs): AsyncIterableIterator<ExecutionResult> | ExecutionResult {
    const plan = this.planOrError(args);
    if (plan instanceof GraphQLError) return { errors: [plan] };
    const { errors } = getVariableValues(
      this.apiSchema,
      plan.operation.variableDefinitions ?? [],
      args.variables,
    );
    if (errors) return { errors: errors.map(invalidVariable) };
    const subscription = new ClientSubscription(args, plan, this.shared);
    this.open.add(subscription);
    return subscription.results;
  }

  async close(): Promise<void> {
    await this.shared.close();
  }

  private replan(subscription: ClientSubscription): void {
    try {
      const plan = this.planOf(subscription.args);
      if (this.shared.replacePlan(subscription, plan)) subscription.keepGroups(plan);
      else subscription.changeGroups(plan);
    } catch (error) {
      subscription.fail(noLongerValid(error instanceof Error ? error.message : String(error)));
    }
  }

  private planOrError(args: SubscribeArgs): SubscriptionPlan | GraphQLError {
    try {
      return this.planOf(args);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
  }

  /** Looks a plan up once for each document and set of rights, because a reload replans thousands of equal subscriptions. */
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

const noLongerValid = (reason: string): GraphQLError =>
  graphqlErrorOf(
    new PlatformError(
      'SUBSCRIPTION_SCHEMA_RELOAD',
      `The graph has changed, and this subscription is no longer valid: ${reason}`,
    ),
  );

/** Registers the gauges and the counter. @returns the counter of executions */
function registerMetrics(
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
    help: 'Executions for events: one for each event and group, and one for each repetition with another token.',
    registers: [registry],
  });
}
