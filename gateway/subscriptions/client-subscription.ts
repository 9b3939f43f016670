import type { DocumentNode, GraphQLError } from 'graphql';
import type { GatewayContext } from '../context/gateway-context.ts';
import { ResultQueue } from './result-queue.ts';
import { audienceScope, viewerScope } from './sharing-scope.ts';
import type { GroupMember, SubscriptionGroup } from './subscription-group.ts';
import type { SubscriptionPlan } from './subscription-plans.ts';
import type { Eligibility, Membership } from './upstream/audience-members.ts';

export interface SubscribeArgs {
  /** Valid against the API schema. */
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  context: GatewayContext;
}

export interface GroupRegistry {
  /** The group of equal client subscriptions of the scope. From now on the caller's token may be used for it. */
  join(
    subscription: ClientSubscription,
    plan: SubscriptionPlan,
    scope: string,
    isShared: boolean,
  ): SubscriptionGroup;
  /** The caller's token may no longer be used for the scope. */
  leave(subscription: ClientSubscription, scope: string): void;
  /** The client has left, or its subscription has ended. */
  remove(subscription: ClientSubscription): void;
}

/**
 * One client's subscription. If the plan can be shared, it joins the group of the viewer's audience, and receives its events,
 * or those that the subgraph addresses to the viewer. Otherwise, and if the viewer is excluded, it joins a group of the
 * viewer's own scope.
 */
export class ClientSubscription {
  /** The results for the client. */
  readonly results: ResultQueue;
  readonly args: SubscribeArgs;
  private readonly registry: GroupRegistry;
  private plan: SubscriptionPlan;
  private shared:
    | { group: SubscriptionGroup; scope: string; leaveAudience: () => void; eligibility: Eligibility }
    | undefined;
  private own: { group: SubscriptionGroup; scope: string } | undefined;
  private readonly sharedMember: GroupMember;
  private readonly ownMember: GroupMember;

  constructor(args: SubscribeArgs, plan: SubscriptionPlan, registry: GroupRegistry) {
    this.args = args;
    this.plan = plan;
    this.registry = registry;
    const results = new ResultQueue(() => this.leave());
    this.results = results;
    this.sharedMember = {
      results,
      // The viewer's own subscription succeeds if only that of the audience is refused; otherwise it reports the error.
      onFailed: () => this.replaceShared(),
      onEnded: () => (this.own ? this.leaveShared() : this.end()),
    };
    this.ownMember = { results, onFailed: (error) => this.fail(error), onEnded: () => this.end() };
    this.joinGroups();
  }

  get context(): GatewayContext {
    return this.args.context;
  }

  /** Joins other groups, because the groups cannot be kept with the new plan. The events begin as for a new client. */
  changeGroups(plan: SubscriptionPlan): void {
    this.leaveShared();
    this.leaveOwn();
    this.plan = plan;
    this.joinGroups();
  }

  /** Keeps its groups, whose plan the registry has replaced. */
  keepGroups(plan: SubscriptionPlan): void {
    this.plan = plan;
  }

  fail(error: GraphQLError): void {
    this.results.fail(error);
    this.leave();
  }

  private joinGroups(): void {
    const { viewer } = this.context;
    const scope = this.plan.isShareable ? audienceScope(viewer) : undefined;
    if (scope === undefined || viewer.kind !== 'user') return this.joinOwn();
    const group = this.registry.join(this, this.plan, scope, true);
    group.add(this.sharedMember);
    this.shared = { group, scope, leaveAudience: () => undefined, eligibility: 'unknown' };
    this.shared.leaveAudience =
      group.upstream.audience?.join(viewer.userId, (...decision) => this.onEligibility(...decision)) ??
      (() => undefined);
  }

  /**
   * After `addressed` the client still gets the earlier events of the audience, but none of the later ones; after `excluded`
   * it gets none, not even those whose results are in the queue.
   */
  private onEligibility(eligibility: Eligibility, membership: Membership): void {
    const { shared, sharedMember } = this;
    if (!shared) return;
    const { group, eligibility: before } = shared;
    shared.eligibility = eligibility;
    switch (eligibility) {
      case 'eligible':
        if (before === 'addressed') return group.returnToAudience(sharedMember, membership);
        this.leaveOwn();
        return group.startResults(sharedMember);
      case 'addressed':
        if (before === 'eligible') return group.leaveAudience(sharedMember, membership);
        this.leaveOwn();
        return group.startAddressed(sharedMember, membership);
      case 'excluded':
        group.stopResults(sharedMember);
        this.results.discardPending();
        return this.joinOwn();
      case 'unknown':
        group.stopResults(sharedMember);
    }
  }

  private replaceShared(): void {
    this.leaveShared();
    this.joinOwn();
  }

  private joinOwn(): void {
    if (this.own) return;
    const scope = viewerScope(this.context.viewer);
    const group = this.registry.join(this, this.plan, scope, false);
    this.own = { group, scope };
    group.add(this.ownMember);
    group.startResults(this.ownMember);
  }

  private leaveOwn(): void {
    const { own } = this;
    this.own = undefined;
    if (!own) return;
    own.group.remove(this.ownMember);
    this.registry.leave(this, own.scope);
  }

  private leaveShared(): void {
    const { shared } = this;
    this.shared = undefined;
    if (!shared) return;
    shared.leaveAudience();
    shared.group.remove(this.sharedMember);
    this.registry.leave(this, shared.scope);
  }

  private end(): void {
    this.results.end();
    this.leave();
  }

  private leave(): void {
    this.leaveShared();
    this.leaveOwn();
    this.registry.remove(this);
  }
}
