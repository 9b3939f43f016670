import { GraphQLError, type ExecutionResult } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import type { Span } from '#server/observability/tracing.ts';
import type { Deliveries } from './deliveries.ts';
import { Receivers } from './receivers.ts';
import type { ResultQueue } from './result-queue.ts';
import type { Membership } from './upstream/audience-members.ts';
import {
  MAX_HISTORY,
  type UpstreamListener,
  type UpstreamSubscription,
} from './upstream/upstream-subscription.ts';

/** Executes the rest of the plan over an event. */
export type ExecuteEvent = (event: ExecutionResult, span: Span | undefined) => Promise<ExecutionResult>;

interface SubscriptionGroupOptions {
  upstream: UpstreamSubscription;
  executeEvent: ExecuteEvent;
  deliveries: Deliveries;
  /** Called once, when the group has no members any more or has ended. */
  onEmpty(): void;
}

/** A client subscription in a group. */
export interface GroupMember {
  readonly results: ResultQueue;
  /** The upstream subscription failed. */
  onFailed(error: GraphQLError): void;
  onEnded(): void;
}

/**
 * Client subscriptions with equal documents and variables, of viewers with equal rights. The rest of the plan is executed
 * once for each event; all members get the results in the order of the events.
 */
export class SubscriptionGroup implements UpstreamListener {
  readonly upstream: UpstreamSubscription;
  /** Replaced if a new supergraph has another plan for the same events. */
  executeEvent: ExecuteEvent;
  private readonly deliveries: Deliveries;
  private readonly onEmpty: () => void;
  private readonly members = new Set<GroupMember>();
  private readonly receivers = new Receivers<GroupMember>();
  /** The last result with the whole state and those after it; empty if there is none, or if too many followed. */
  private history: ExecutionResult[] = [];
  private isHistoryDropped = false;
  /** The number of resets: the state of an event from before a reset is outdated. */
  private resets = 0;
  private working: Promise<void> = Promise.resolve();
  /** The work for addressed members, each in its own order, so that the audience does not wait for them. */
  private readonly addressedWork = new WeakMap<Membership, Promise<void>>();

  constructor({ upstream, executeEvent, deliveries, onEmpty }: SubscriptionGroupOptions) {
    this.upstream = upstream;
    this.executeEvent = executeEvent;
    this.deliveries = deliveries;
    this.onEmpty = onEmpty;
    upstream.add(this);
  }

  /** Adds a member, without results yet. The group and its upstream subscription exist as long as the group has members. */
  add(member: GroupMember): void {
    this.members.add(member);
  }

  /** Sends the current state to the member, then the results of all events. */
  startResults(member: GroupMember): void {
    if (this.receivers.get(member)) return;
    this.receivers.add(member, this.history.length > 0);
    for (const result of this.history) member.results.push(result);
    if (this.isHistoryDropped) this.upstream.requestWholeState();
  }

  /** The member is new, and gets the results of the events that are addressed to this membership. */
  startAddressed(member: GroupMember, membership: Membership): void {
    if (!this.receivers.get(member)) this.receivers.add(member, false, membership);
  }

  /**
   * From the next event on the member gets those that are addressed to this membership. It gets nothing at this moment,
   * because its state is the audience's now.
   */
  leaveAudience(member: GroupMember, membership: Membership): void {
    const receiving = this.receivers.get(member);
    this.inOrder(async () => this.receivers.address(member, receiving, membership));
    this.addressedWork.set(membership, this.working);
  }

  /** The opposite of `leaveAudience`: the member's state is the audience's again. */
  returnToAudience(member: GroupMember, membership: Membership): void {
    const receiving = this.receivers.get(member);
    const addressed = this.addressedWork.get(membership);
    this.inOrder(async () => {
      await addressed;
      this.receivers.address(member, receiving, undefined);
    });
  }

  /** The member gets no further result, not even that of an event whose execution is running. */
  stopResults(member: GroupMember): void {
    this.receivers.delete(member);
  }

  remove(member: GroupMember): void {
    this.receivers.delete(member);
    if (!this.members.delete(member) || this.members.size > 0) return;
    this.onEmpty();
    this.upstream.remove(this);
  }

  onEvent(event: ExecutionResult, kind: EventKind | undefined, addressee?: Membership): void {
    const { resets } = this;
    this.inOrder(async () => {
      // No member gets the result, and a later member would need the whole state instead.
      if (!addressee && this.receivers.size === 0 && kind === 'partial') return this.dropHistory();
      if (addressee && !this.receivers.hasAddressed(addressee)) return;
      const delivery = this.deliveries.begin(event);
      const result = await this.executeEvent(event, delivery?.span).catch((error: unknown) => ({
        data: null,
        errors: [
          error instanceof GraphQLError ? error : new GraphQLError('this event could not be executed'),
        ],
      }));
      delivery?.span?.end();
      if (resets !== this.resets && (kind === 'whole' || kind === 'partial')) return;
      // A copy, which `follow` does not know: for a member that joins later, the delay of the event is not measured.
      if (!addressee) this.keep({ ...result }, kind);
      if (delivery) this.deliveries.follow(result, delivery);
      this.receivers.forEach(addressee, kind === 'partial', ({ results }) => results.push(result));
    }, addressee);
  }

  onReset(): void {
    this.resets += 1;
    this.history = [];
    this.isHistoryDropped = false;
  }

  onFailed(error: GraphQLError): void {
    this.end((member) => member.onFailed(error));
  }

  onEnded(): void {
    this.end((member) => member.onEnded());
  }

  private keep(result: ExecutionResult, kind: EventKind | undefined): void {
    if (kind === 'whole') {
      this.history = [result];
      this.isHistoryDropped = false;
    } else if (kind === 'partial' && this.history.length > 0) {
      if (this.history.length < MAX_HISTORY) this.history.push(result);
      else this.dropHistory();
    }
  }

  private dropHistory(): void {
    this.history = [];
    this.isHistoryDropped = true;
  }

  /** Notifies the members after the results of earlier events. */
  private end(notify: (member: GroupMember) => void): void {
    this.onEmpty();
    this.inOrder(async () => {
      const members = [...this.members];
      this.members.clear();
      this.receivers.clear();
      members.forEach(notify);
    });
  }

  /** @param addressee whose work it is; undefined: the audience's */
  private inOrder(work: () => Promise<void>, addressee?: Membership): void {
    if (!addressee) this.working = this.working.then(work);
    else
      this.addressedWork.set(addressee, (this.addressedWork.get(addressee) ?? Promise.resolve()).then(work));
  }
}
