import type { DocumentNode, GraphQLError } from 'graphql';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { Eligibility } from './upstream/cohort.ts';
import type { SubscriptionGroup, GroupMember } from './subscription-group.ts';
import type { SubscriptionPlan } from './subscription-plans.ts';
import { audienceScope, viewerScope } from './sharing-scope.ts';
import { ResultQueue } from './result-queue.ts';

export interface SubscribeArgs {
  /** Valid against the API schema. */
  document: DocumentNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  context: GatewayContext;
}

/** Where a seat finds what it listens to. */
export interface GroupRegistry {
  /** The group of equal subscriptions of that scope, in which the seat's caller then counts as one who may ask. */
  enter(
    seat: ClientSubscription,
    plan: SubscriptionPlan,
    scope: string,
    isShared: boolean,
  ): SubscriptionGroup;
  /** The caller counts no more. */
  left(seat: ClientSubscription, scope: string): void;
  /** The client has gone, or its subscription is over. */
  gone(seat: ClientSubscription): void;
}

/**
 * One client's subscription, and the groups that it is in: one of her audience, where the plan can be shared, which it
 * hears as long as the subgraph says that its events are right for her; else one of her own eyes.
 */
export class ClientSubscription {
  readonly subscriber: ResultQueue;
  readonly args: SubscribeArgs;
  private readonly seating: GroupRegistry;
  private plan: SubscriptionPlan;
  private shared: { group: SubscriptionGroup; scope: string; leaveAudience: () => void } | undefined;
  private own: { group: SubscriptionGroup; scope: string } | undefined;
  private readonly inShared: GroupMember;
  private readonly inOwn: GroupMember;

  constructor(args: SubscribeArgs, plan: SubscriptionPlan, seating: GroupRegistry) {
    this.args = args;
    this.plan = plan;
    this.seating = seating;
    const subscriber = new ResultQueue(() => this.leave());
    this.subscriber = subscriber;
    this.inShared = {
      subscriber,
      // Why, the subscription of her own says; or it goes well, because only the audience is not served.
      onFailed: () => this.beAlone(),
      onEnded: () => (this.own ? this.leaveShared() : this.end()),
    };
    this.inOwn = { subscriber, onFailed: (error) => this.fail(error), onEnded: () => this.end() };
    this.sitDown();
  }

  get context(): GatewayContext {
    return this.args.context;
  }

  /** Another place, as the graph has changed; the client notices nothing but a new whole state. */
  move(plan: SubscriptionPlan): void {
    this.leaveShared();
    this.leaveOwn();
    this.plan = plan;
    this.sitDown();
  }

  /** The same places, with another plan. */
  stay(plan: SubscriptionPlan): void {
    this.plan = plan;
  }

  fail(error: GraphQLError): void {
    this.subscriber.fail(error);
    this.leave();
  }

  private sitDown(): void {
    const { viewer } = this.context;
    const scope = this.plan.isShareable ? audienceScope(viewer) : undefined;
    if (scope === undefined || viewer.kind !== 'user') return this.enterOwn();
    const group = this.seating.enter(this, this.plan, scope, true);
    group.enter(this.inShared);
    this.shared = { group, scope, leaveAudience: () => undefined };
    this.shared.leaveAudience =
      group.upstream.audience?.join(viewer.userId, (eligibility) => this.onStanding(eligibility)) ??
      (() => undefined);
  }

  /** At once and in the order of the events: what comes after the word "apart" she does not hear. */
  private onStanding(eligibility: Eligibility): void {
    const group = this.shared?.group;
    if (!group) return;
    if (eligibility === 'same') {
      this.leaveOwn();
      group.listen(this.inShared);
      return;
    }
    group.stopListening(this.inShared);
    if (eligibility === 'unknown') return;
    this.subscriber.forget();
    this.enterOwn();
  }

  private beAlone(): void {
    this.leaveShared();
    this.enterOwn();
  }

  private enterOwn(): void {
    if (this.own) return;
    const scope = viewerScope(this.context.viewer);
    const group = this.seating.enter(this, this.plan, scope, false);
    this.own = { group, scope };
    group.enter(this.inOwn);
    group.listen(this.inOwn);
  }

  private leaveOwn(): void {
    const { own } = this;
    this.own = undefined;
    if (!own) return;
    own.group.leave(this.inOwn);
    this.seating.left(this, own.scope);
  }

  private leaveShared(): void {
    const { shared } = this;
    this.shared = undefined;
    if (!shared) return;
    shared.leaveAudience();
    shared.group.leave(this.inShared);
    this.seating.left(this, shared.scope);
  }

  private end(): void {
    this.subscriber.end();
    this.leave();
  }

  private leave(): void {
    this.leaveShared();
    this.leaveOwn();
    this.seating.gone(this);
  }
}
