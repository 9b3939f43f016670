import { GraphQLError, type ExecutionResult } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import type { ResultQueue } from './result-queue.ts';
import {
  MAX_HISTORY,
  type UpstreamListener,
  type UpstreamSubscription,
} from './upstream/upstream-subscription.ts';

/** Executes the rest of the plan over an event. */
export type ExecuteEvent = (event: ExecutionResult) => Promise<ExecutionResult>;

interface SubscriptionGroupOptions {
  upstream: UpstreamSubscription;
  executeEvent: ExecuteEvent;
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
  private readonly onEmpty: () => void;
  private readonly members = new Set<GroupMember>();
  /** Members that get results. A member gets the whole state first, because partial events mean nothing without it. */
  private readonly receiving = new Map<GroupMember, { hasWhole: boolean }>();
  /** The last result with the whole state and those after it; empty if there is none, or if too many followed. */
  private history: ExecutionResult[] = [];
  private isHistoryDropped = false;
  /** The number of resets: the state of an event from before a reset is outdated. */
  private resets = 0;
  private working: Promise<void> = Promise.resolve();

  constructor({ upstream, executeEvent, onEmpty }: SubscriptionGroupOptions) {
    this.upstream = upstream;
    this.executeEvent = executeEvent;
    this.onEmpty = onEmpty;
    upstream.add(this);
  }

  /** The group and its upstream subscription exist as long as the group has members. */
  add(member: GroupMember): void {
    this.members.add(member);
  }

  /** Sends the current state to the member, then the results of all events. */
  startResults(member: GroupMember): void {
    if (this.receiving.has(member)) return;
    this.receiving.set(member, { hasWhole: this.history.length > 0 });
    this.history.forEach((result, index) => member.results.push(result, index === 0 ? 'whole' : 'partial'));
    if (this.isHistoryDropped) this.upstream.requestWholeState();
  }

  /** Takes effect synchronously, also for an event whose execution is running. */
  stopResults(member: GroupMember): void {
    this.receiving.delete(member);
  }

  remove(member: GroupMember): void {
    this.receiving.delete(member);
    if (!this.members.delete(member) || this.members.size > 0) return;
    this.onEmpty();
    this.upstream.remove(this);
  }

  onEvent(event: ExecutionResult, kind: EventKind | undefined): void {
    const { resets } = this;
    this.inOrder(async () => {
      // No member gets the result, and a later member would need the whole state instead.
      if (this.receiving.size === 0 && kind === 'partial') return this.dropHistory();
      const result = await this.executeEvent(event).catch((error: unknown) => ({
        data: null,
        errors: [error instanceof GraphQLError ? error : new GraphQLError('an event could not be filled in')],
      }));
      if (resets !== this.resets && (kind === 'whole' || kind === 'partial')) return;
      this.keep(result, kind);
      for (const [{ results }, state] of this.receiving) {
        state.hasWhole ||= kind !== 'partial';
        if (state.hasWhole) results.push(result, kind);
      }
    });
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
      this.receiving.clear();
      members.forEach(notify);
    });
  }

  private inOrder(work: () => Promise<void>): void {
    this.working = this.working.then(work);
  }
}
