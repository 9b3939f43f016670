import { createHash } from 'node:crypto';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { ServiceTokens } from '#server/auth/service-tokens.ts';
import type { Logger } from '#server/observability/logger.ts';
import type { Counter } from '#server/observability/metrics.ts';
import { eventExecution } from './event-execution.ts';
import { SubscriptionGroup, type ExecuteEvent } from './subscription-group.ts';
import { textOf, upstreamVariables, type SubscriptionPlan } from './subscription-plans.ts';
import type { ClientSubscription, GroupRegistry } from './client-subscription.ts';
import { CallerTokens } from './upstream/caller-tokens.ts';
import { UpstreamSockets } from './upstream/upstream-sockets.ts';
import { UpstreamSubscription } from './upstream/upstream-subscription.ts';

export interface SharedWorkOptions {
  log: Logger;
  tokens: ServiceTokens;
  executions: Counter;
  onGone(seat: ClientSubscription): void;
}

interface OpenGroup {
  readonly group: SubscriptionGroup;
  readonly scope: string;
  readonly isShared: boolean;
  readonly upstreamKey: string;
  plan: SubscriptionPlan;
}

/** An execution in a caller's name that failed for her sake alone is tried again in another's, so many times. */
const MAX_CALLERS = 3;

/** What equal subscriptions have in common: groups, the upstreams behind them, and the callers in whose names they ask. */
export class SharedSubscriptions implements GroupRegistry {
  private readonly options: SharedWorkOptions;
  private readonly sockets: UpstreamSockets;
  /** By what makes equal ones equal; the latest, where another cannot be listened to late. */
  private readonly upstreams = new Map<string, UpstreamSubscription>();
  private readonly groups = new Map<string, OpenGroup>();
  private readonly openUpstreams = new Set<UpstreamSubscription>();
  private readonly openGroups = new Set<SubscriptionGroup>();
  private readonly groupsOf = new Map<ClientSubscription, Map<string, OpenGroup>>();
  private readonly tokens = new Map<string, CallerTokens>();

  constructor(options: SharedWorkOptions) {
    this.options = options;
    this.sockets = new UpstreamSockets(options);
  }

  get counts(): { upstreams: number; groups: number } {
    return { upstreams: this.openUpstreams.size, groups: this.openGroups.size };
  }

  enter(
    seat: ClientSubscription,
    plan: SubscriptionPlan,
    scope: string,
    isShared: boolean,
  ): SubscriptionGroup {
    const { operationName, variables } = seat.args;
    const tokens = this.tokens.get(scope) ?? new CallerTokens();
    this.tokens.set(scope, tokens);
    tokens.add(seat, seat.context);
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
    const known = open?.group.upstream.takesLate
      ? open
      : this.open(key, { scope, isShared, upstreamKey, plan }, variables, tokens);
    const places = this.groupsOf.get(seat) ?? new Map<string, OpenGroup>();
    places.set(scope, known);
    this.groupsOf.set(seat, places);
    return known.group;
  }

  left(seat: ClientSubscription, scope: string): void {
    this.groupsOf.get(seat)?.delete(scope);
    const tokens = this.tokens.get(scope);
    tokens?.remove(seat);
    if (tokens?.size === 0) this.tokens.delete(scope);
  }

  gone(seat: ClientSubscription): void {
    this.groupsOf.delete(seat);
    this.options.onGone(seat);
  }

  /** Gives the seat's groups another plan; false where it cannot stay, as its events would come from elsewhere. */
  renew(seat: ClientSubscription, plan: SubscriptionPlan): boolean {
    const places = [...(this.groupsOf.get(seat)?.values() ?? [])];
    return places.every((place) => {
      if (place.plan === plan) return true;
      const canStay =
        place.upstreamKey === upstreamKeyOf(plan, seat.args.variables, place.scope) &&
        place.plan.permission.mask === plan.permission.mask &&
        place.plan.isShareable === plan.isShareable;
      if (!canStay) return false;
      place.plan = plan;
      const tokens = this.tokens.get(place.scope);
      if (tokens) place.group.fillIn = this.fillIn(plan, seat.args.variables, tokens);
      return true;
    });
  }

  async close(): Promise<void> {
    await this.sockets.close();
  }

  private open(
    key: string,
    place: Omit<OpenGroup, 'group'>,
    variables: Record<string, unknown>,
    tokens: CallerTokens,
  ): OpenGroup {
    const { plan } = place;
    const group = new SubscriptionGroup({
      upstream: this.upstreamOf(place, variables, tokens),
      fillIn: this.fillIn(plan, variables, tokens),
      onEmpty: () => {
        this.openGroups.delete(group);
        if (this.groups.get(key)?.group === group) this.groups.delete(key);
      },
    });
    this.openGroups.add(group);
    const opened = { ...place, group };
    this.groups.set(key, opened);
    return opened;
  }

  private upstreamOf(
    { upstreamKey, plan, isShared }: Omit<OpenGroup, 'group'>,
    variables: Record<string, unknown>,
    tokens: CallerTokens,
  ): UpstreamSubscription {
    const known = this.upstreams.get(upstreamKey);
    if (known?.takesLate) return known;
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

  private fillIn(
    plan: SubscriptionPlan,
    variables: Record<string, unknown>,
    tokens: CallerTokens,
  ): ExecuteEvent {
    const execute = eventExecution(plan, variables, this.options.log);
    return async (event) => {
      for (let callers = 1; ; callers += 1) {
        const context = tokens.next();
        if (!context) throw new GraphQLError('nobody is left who may ask');
        this.options.executions.inc();
        const result = await execute(event, context);
        const isHerOwn = isTroubleOfCaller(result);
        if (!isHerOwn || callers === MAX_CALLERS || tokens.size < 2) return result;
      }
    };
  }
}

/** The token holds no more, or its owner has asked too often: another's may do. */
const isTroubleOfCaller = ({ errors }: ExecutionResult): boolean =>
  errors?.some(
    ({ extensions }) => extensions.code === 'UNAUTHENTICATED' || extensions.code === 'RATE_LIMITED',
  ) ?? false;

const upstreamKeyOf = (plan: SubscriptionPlan, variables: Record<string, unknown>, scope: string): string =>
  digest(plan.upstreamUrl, plan.upstreamQuery, upstreamVariables(plan, variables), scope);

const digest = (...parts: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(inOneOrder)))
    .digest('base64url');

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
