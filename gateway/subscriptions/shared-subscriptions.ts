import { createHash } from 'node:crypto';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { TlsOptions } from '../router-file/router.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Counter } from '#server/observability/metrics.ts';
import type { ClientSubscription, GroupRegistry } from './client-subscription.ts';
import type { Deliveries } from './deliveries.ts';
import { eventExecution } from './event-execution.ts';
import { SubscriptionGroup, type ExecuteEvent } from './subscription-group.ts';
import { textOf, upstreamVariables, type SubscriptionPlan } from './subscription-plans.ts';
import { CallerTokens } from './upstream/caller-tokens.ts';
import { UpstreamSockets } from './upstream/upstream-sockets.ts';
import { UpstreamSubscription } from './upstream/upstream-subscription.ts';

interface SharedSubscriptionsOptions {
  log: Logger;
  tokens: ServiceTokens;
  headersOf?: ((url: string) => Readonly<Record<string, string>>) | undefined;
  tlsAt?: ((url: string) => TlsOptions | undefined) | undefined;
  executions: Counter;
  deliveries: Deliveries;
  onRemoved(subscription: ClientSubscription): void;
}

interface OpenGroup {
  readonly group: SubscriptionGroup;
  readonly scope: string;
  readonly isShared: boolean;
  readonly upstreamKey: string;
  plan: SubscriptionPlan;
}

/** A viewer or an audience with open groups. */
interface Scope {
  /** All groups of the scope use this object, so it stays as long as one of them is open, also if it has no token. */
  readonly tokens: CallerTokens;
  readonly groups: Set<SubscriptionGroup>;
}

/**
 * The maximum number of callers with whose tokens one event is executed. If the execution fails because of a caller's token
 * or rate limit, the next caller's token is used.
 */
const MAX_CALLERS = 3;

/** The groups of equal client subscriptions, their upstream subscriptions, and the callers' tokens of each scope. */
export class SharedSubscriptions implements GroupRegistry {
  private readonly options: SharedSubscriptionsOptions;
  private readonly sockets: UpstreamSockets;
  /** By URL, query, variables and scope. If one accepts no late listeners, a later one replaces it here. */
  private readonly upstreams = new Map<string, UpstreamSubscription>();
  private readonly groups = new Map<string, OpenGroup>();
  private readonly openUpstreams = new Set<UpstreamSubscription>();
  private readonly openGroups = new Set<SubscriptionGroup>();
  private readonly groupsOf = new Map<ClientSubscription, Map<string, OpenGroup>>();
  private readonly scopes = new Map<string, Scope>();

  constructor(options: SharedSubscriptionsOptions) {
    this.options = options;
    this.sockets = new UpstreamSockets(options);
  }

  get counts(): { upstreams: number; groups: number } {
    return { upstreams: this.openUpstreams.size, groups: this.openGroups.size };
  }

  join(
    subscription: ClientSubscription,
    plan: SubscriptionPlan,
    scope: string,
    isShared: boolean,
  ): SubscriptionGroup {
    const { operationName, variables } = subscription.args;
    const { tokens } = this.openScope(scope);
    tokens.add(subscription, subscription.context);
    const upstreamKey = upstreamKeyOf(plan, variables, scope);
    const key = digest(
      upstreamKey,
      isShared,
      textOf(plan.document),
      operationName,
      variables,
      plan.permission.mask,
    );
    const open = this.groups.get(key);
    const joined = open?.group.upstream.acceptsLateListeners
      ? open
      : this.open(key, { scope, isShared, upstreamKey, plan }, variables);
    const byScope = this.groupsOf.get(subscription) ?? new Map<string, OpenGroup>();
    byScope.set(scope, joined);
    this.groupsOf.set(subscription, byScope);
    return joined.group;
  }

  leave(subscription: ClientSubscription, scope: string): void {
    this.groupsOf.get(subscription)?.delete(scope);
    this.scopes.get(scope)?.tokens.remove(subscription);
    this.closeScopeIfUnused(scope);
  }

  remove(subscription: ClientSubscription): void {
    this.groupsOf.delete(subscription);
    this.options.onRemoved(subscription);
  }

  /** Replaces the plan of the subscription's groups. @returns false if the subscription must join other groups */
  replacePlan(subscription: ClientSubscription, plan: SubscriptionPlan): boolean {
    const joined = [...(this.groupsOf.get(subscription)?.values() ?? [])];
    return joined.every((open) => {
      if (open.plan === plan) return true;
      const canKeepGroup =
        open.upstreamKey === upstreamKeyOf(plan, subscription.args.variables, open.scope) &&
        open.plan.permission.mask === plan.permission.mask &&
        open.plan.isShareable === plan.isShareable;
      if (!canKeepGroup) return false;
      open.plan = plan;
      const { tokens } = this.openScope(open.scope);
      open.group.executeEvent = this.executeEvent(plan, subscription.args.variables, tokens);
      return true;
    });
  }

  async close(): Promise<void> {
    await this.sockets.close();
  }

  private open(key: string, source: Omit<OpenGroup, 'group'>, variables: Record<string, unknown>): OpenGroup {
    const { plan, scope } = source;
    const { tokens, groups } = this.openScope(scope);
    const group = new SubscriptionGroup({
      upstream: this.upstreamOf(source, variables, tokens),
      executeEvent: this.executeEvent(plan, variables, tokens),
      deliveries: this.options.deliveries,
      onEmpty: () => {
        this.openGroups.delete(group);
        if (this.groups.get(key)?.group === group) this.groups.delete(key);
        groups.delete(group);
        this.closeScopeIfUnused(scope);
      },
    });
    this.openGroups.add(group);
    groups.add(group);
    const opened = { ...source, group };
    this.groups.set(key, opened);
    return opened;
  }

  private openScope(scope: string): Scope {
    const known = this.scopes.get(scope);
    if (known) return known;
    const opened: Scope = { tokens: new CallerTokens(), groups: new Set() };
    this.scopes.set(scope, opened);
    return opened;
  }

  private closeScopeIfUnused(scope: string): void {
    const open = this.scopes.get(scope);
    if (open && open.groups.size === 0 && open.tokens.size === 0) this.scopes.delete(scope);
  }

  private upstreamOf(
    { upstreamKey, plan, isShared }: Omit<OpenGroup, 'group'>,
    variables: Record<string, unknown>,
    tokens: CallerTokens,
  ): UpstreamSubscription {
    const known = this.upstreams.get(upstreamKey);
    if (known?.acceptsLateListeners) return known;
    const upstream: UpstreamSubscription = new UpstreamSubscription({
      socket: this.sockets.of(plan.upstreamUrl, isShared ? 'audiences' : 'viewers'),
      query: plan.upstreamQuery,
      variables: upstreamVariables(plan, variables),
      tokens,
      isShared,
      log: this.options.log,
      onIdle: () => {
        this.openUpstreams.delete(upstream);
        if (this.upstreams.get(upstreamKey) === upstream) this.upstreams.delete(upstreamKey);
      },
    });
    this.openUpstreams.add(upstream);
    this.upstreams.set(upstreamKey, upstream);
    return upstream;
  }

  private executeEvent(
    plan: SubscriptionPlan,
    variables: Record<string, unknown>,
    tokens: CallerTokens,
  ): ExecuteEvent {
    const execute = eventExecution(plan, variables, this.options.log);
    return async (event, span) => {
      for (let callers = 1; ; callers += 1) {
        const context = tokens.next();
        if (!context) throw new GraphQLError('no subscriber has a valid token');
        this.options.executions.inc();
        const result = await execute(event, span ? { ...context, span } : context);
        if (!isCallersFailure(result) || callers === MAX_CALLERS || tokens.size < 2) return result;
      }
    };
  }
}

/** Whether the token was refused or its rate limit was exceeded, so that another caller's token may succeed. */
const isCallersFailure = ({ errors }: ExecutionResult): boolean =>
  errors?.some(
    ({ extensions }) => extensions.code === 'UNAUTHENTICATED' || extensions.code === 'RATE_LIMITED',
  ) ?? false;

const upstreamKeyOf = (plan: SubscriptionPlan, variables: Record<string, unknown>, scope: string): string =>
  digest(plan.upstreamUrl, plan.upstreamQuery, upstreamVariables(plan, variables), scope);

const digest = (...parts: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(withSortedKeys)))
    .digest('base64url');

/** Sorts the keys of all objects in a value, so that equal variables give equal digests. */
function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, withSortedKeys(inner)]),
  );
}
