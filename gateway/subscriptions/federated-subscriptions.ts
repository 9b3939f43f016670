import { createHash } from 'node:crypto';
import {
  buildOperationContext,
  executeQueryPlan,
  type GraphQLDataSource,
  type ServiceMap,
} from '@apollo/gateway';
import {
  getVariableValues,
  GraphQLError,
  print,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from '#server/observability/logger.ts';
import { formatGatewayError } from '../graph/errors.ts';
import type { GatewayContext } from '../graph/subgraph-data-source.ts';
import { Group } from './group.ts';
import { SubscriptionPlans, upstreamVariables, type SubscriptionPlan } from './plans.ts';
import { schemaStateOf, type SchemaState } from './schema-state.ts';
import { UpstreamSockets } from './upstream-sockets.ts';
import { Upstream } from './upstream.ts';

export interface FederatedSubscriptionsOptions {
  /** The subgraphs as the gateway's executor reaches them. */
  services: () => ServiceMap;
  /** The GraphQL URL of a subgraph. */
  urlOf(service: string): string;
  log: Logger;
}

export interface SubscribeArgs {
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  context: GatewayContext;
}

/**
 * Subscriptions over several subgraphs, which @apollo/gateway plans but does not run: the plan's primary is subscribed
 * to at the subgraph that owns it; each of its events then runs as an ordinary plan in which the primary is answered
 * by the event and the other subgraphs fill in the rest.
 */
export class FederatedSubscriptions {
  private readonly options: FederatedSubscriptionsOptions;
  private readonly sockets: UpstreamSockets;
  private readonly upstreams = new Map<string, Upstream>();
  private readonly groups = new Map<
    string,
    { group: Group; viewer: { authorization: string | undefined } }
  >();
  private loaded: { state: SchemaState; plans: SubscriptionPlans } | undefined;

  constructor(options: FederatedSubscriptionsOptions) {
    this.options = options;
    this.sockets = new UpstreamSockets(options.log);
  }

  /** Called with every supergraph that the gateway loads. */
  load(apiSchema: GraphQLSchema, supergraphSdl: string): void {
    const state = schemaStateOf(apiSchema, supergraphSdl);
    this.loaded = { state, plans: new SubscriptionPlans(state) };
  }

  get apiSchema(): GraphQLSchema {
    return this.current.state.apiSchema;
  }

  /** Subscriptions open now: at subgraphs, and groups of equal ones of clients. */
  get counts(): { upstreams: number; groups: number } {
    return { upstreams: this.upstreams.size, groups: this.groups.size };
  }

  subscribe({
    document,
    operationName,
    variables,
    context,
  }: SubscribeArgs): AsyncIterableIterator<ExecutionResult> | ExecutionResult {
    const plan = this.current.plans.of(document, operationName);
    const { errors } = getVariableValues(this.apiSchema, plan.operation.variableDefinitions ?? [], variables);
    if (errors) return { errors };
    const scope = scopeOf(context);
    const key = digest(print(document), operationName, inOneOrder(variables), scope);
    const known = this.groups.get(key);
    if (known) {
      // The newest token of this viewer: what is asked for in her name later is asked with one that holds.
      known.viewer.authorization = context.authorization;
      return known.group.subscribe();
    }
    return this.open(key, plan, { variables, context, scope }).subscribe();
  }

  async close(): Promise<void> {
    await this.sockets.close();
  }

  private get current() {
    if (!this.loaded) throw new Error('no supergraph is loaded yet');
    return this.loaded;
  }

  private open(
    key: string,
    plan: SubscriptionPlan,
    {
      variables,
      context,
      scope,
    }: { variables: Record<string, unknown>; context: GatewayContext; scope: string },
  ): Group {
    const viewer = { authorization: context.authorization };
    const own: GatewayContext = {
      ...context,
      get authorization() {
        return viewer.authorization;
      },
    };
    const upstream = this.upstreamOf(plan, upstreamVariables(plan, variables), viewer, scope);
    const group = new Group(
      plan,
      (event) => this.fillIn(plan, event, variables, own),
      () => {
        this.groups.delete(key);
        upstream.remove(group);
      },
    );
    this.groups.set(key, { group, viewer });
    upstream.add(group);
    return group;
  }

  private upstreamOf(
    plan: SubscriptionPlan,
    variables: Record<string, unknown>,
    viewer: { authorization: string | undefined },
    scope: string,
  ): Upstream {
    const url = this.options.urlOf(plan.primary.serviceName);
    const key = digest(url, plan.upstreamQuery, inOneOrder(variables), scope);
    const known = this.upstreams.get(key);
    if (known) return known;
    const extensions = {
      // read again at every reconnect
      get authorization() {
        return viewer.authorization;
      },
    };
    const upstream = new Upstream(
      this.sockets.of(url),
      { query: plan.upstreamQuery, variables, extensions },
      () => this.upstreams.delete(key),
    );
    this.upstreams.set(key, upstream);
    return upstream;
  }

  private async fillIn(
    plan: SubscriptionPlan,
    event: ExecutionResult,
    variables: Record<string, unknown>,
    context: GatewayContext,
  ): Promise<ExecutionResult> {
    const { state } = this.current;
    const services = this.options.services();
    const { primary } = plan;
    const owner = services[primary.serviceName];
    const fromEvent: GraphQLDataSource = {
      process: async (request) => {
        // A clone, because the executor merges the other subgraphs' answers into it.
        if (request.request.query === primary.operation) return structuredClone(toAnswer(event));
        if (!owner) throw new Error(`no subgraph "${primary.serviceName}" in this supergraph`);
        return owner.process(request);
      },
    };
    const requestContext = {
      request: { query: print(plan.document), operationName: plan.operation.name?.value, variables },
      logger: console,
      schema: state.apiSchema,
      context,
      queryHash: '',
      document: plan.document,
      source: '',
      operationName: plan.operation.name?.value ?? null,
      operation: plan.operation,
      metrics: {},
      overallCachePolicy: undefined,
    };
    const operationContext = buildOperationContext({
      schema: state.apiSchema,
      operationDocument: plan.document,
      operationName: plan.operation.name?.value,
    });
    const result = (await executeQueryPlan(
      plan.perEvent,
      { ...services, [primary.serviceName]: fromEvent },
      requestContext as never,
      operationContext,
      state.supergraphSchema,
      state.federatedApiSchema,
    )) as ExecutionResult;
    return {
      data: result.data ?? null,
      ...(result.errors && { errors: result.errors.map((error) => this.shown(error)) }),
    };
  }

  /** graphql-ws writes an error by its toJSON; the executor's raw ones have none. */
  private shown(thrown: unknown): GraphQLError {
    const error =
      thrown instanceof GraphQLError
        ? thrown
        : new GraphQLError('a subgraph failed', {
            originalError: thrown instanceof Error ? thrown : undefined,
          });
    const formatted = formatGatewayError(error.toJSON(), error, this.options.log);
    return new GraphQLError(formatted.message, { path: formatted.path, extensions: formatted.extensions });
  }
}

/** An event as the executor takes a subgraph's answer. */
const toAnswer = (event: ExecutionResult): Awaited<ReturnType<GraphQLDataSource['process']>> => ({
  data: event.data ?? null,
  ...(event.errors && { errors: event.errors }),
});

/** Whose eyes it is seen with: results are shared only where every right is the same. Not by the token itself, which is renewed. */
const scopeOf = ({ viewer }: GatewayContext): string =>
  viewer.kind === 'user'
    ? `user ${viewer.userId} ${viewer.role} ${viewer.gymId ?? ''}`
    : viewer.kind === 'service'
      ? `service ${viewer.service}`
      : 'anonymous';

const digest = (...parts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** The same value with the keys of its objects in one order, so that equal variables make equal keys. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inside]) => [key, inOneOrder(inside)]),
  );
}
