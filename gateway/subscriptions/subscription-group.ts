import { GraphQLError, type ExecutionResult } from 'graphql';
import type { EventKind } from '#server/event-kind.ts';
import type { ResultQueue } from './result-queue.ts';
import {
  MAX_HISTORY,
  type UpstreamSubscription,
  type UpstreamListener,
} from './upstream/upstream-subscription.ts';

/** Makes the clients' result of an event. */
export type ExecuteEvent = (event: ExecutionResult) => Promise<ExecutionResult>;

export interface GroupOptions {
  upstream: UpstreamSubscription;
  fillIn: ExecuteEvent;
  /** Called once, when nobody needs it any more. */
  onEmpty(): void;
}

/** A client's subscription as its group knows it. */
export interface GroupMember {
  readonly subscriber: ResultQueue;
  /** The upstream cannot be had, or no more. */
  onFailed(error: GraphQLError): void;
  onEnded(): void;
}

/**
 * Subscriptions of the same document and variables by viewers of the same rights: the rest of the plan runs once an
 * event, the result goes to all of them, in the order of the events.
 */
export class SubscriptionGroup implements UpstreamListener {
  readonly upstream: UpstreamSubscription;
  /** Replaced where another supergraph fills the same events in by another plan. */
  fillIn: ExecuteEvent;
  private readonly onEmpty: () => void;
  private readonly members = new Set<GroupMember>();
  /** Those who hear the events. Who has not had the whole state yet could not make sense of what adds to it. */
  private readonly listening = new Map<GroupMember, { hasWhole: boolean }>();
  /** The last result that holds the whole state, and those after it; empty where there is none, or too many followed. */
  private history: ExecutionResult[] = [];
  private isForgotten = false;
  /** A state of before a reset does not count any more. */
  private resets = 0;
  private working: Promise<void> = Promise.resolve();

  constructor({ upstream, fillIn, onEmpty }: GroupOptions) {
    this.upstream = upstream;
    this.fillIn = fillIn;
    this.onEmpty = onEmpty;
    upstream.add(this);
  }

  /** Keeps the group, and its upstream, as long as the member stays. */
  enter(member: GroupMember): void {
    this.members.add(member);
  }

  /** From now on the member hears the events; at first the state as the others know it. */
  listen(member: GroupMember): void {
    if (this.listening.has(member)) return;
    this.listening.set(member, { hasWhole: this.history.length > 0 });
    for (const result of this.history) member.subscriber.push(result);
    if (this.isForgotten) this.upstream.askAgain();
  }

  /** At once: also not what is being filled in now. */
  stopListening(member: GroupMember): void {
    this.listening.delete(member);
  }

  leave(member: GroupMember): void {
    this.listening.delete(member);
    if (!this.members.delete(member) || this.members.size > 0) return;
    this.onEmpty();
    this.upstream.remove(this);
  }

  onEvent(event: ExecutionResult, kind: EventKind | undefined): void {
    const { resets } = this;
    this.inOrder(async () => {
      // Nobody listens, and who will could not make sense of it.
      if (this.listening.size === 0 && kind === 'partial') return this.forget();
      const result = await this.fillIn(event).catch((error: unknown) => ({
        data: null,
        errors: [error instanceof GraphQLError ? error : new GraphQLError('an event could not be filled in')],
      }));
      if (resets !== this.resets && (kind === 'whole' || kind === 'partial')) return;
      this.keep(result, kind);
      for (const [{ subscriber }, state] of this.listening) {
        state.hasWhole ||= kind !== 'partial';
        if (state.hasWhole) subscriber.push(result);
      }
    });
  }

  onReset(): void {
    this.resets += 1;
    this.history = [];
    this.isForgotten = false;
  }

  onFailed(error: GraphQLError): void {
    this.over((member) => member.onFailed(error));
  }

  onEnded(): void {
    this.over((member) => member.onEnded());
  }

  private keep(result: ExecutionResult, kind: EventKind | undefined): void {
    if (kind === 'whole') {
      this.history = [result];
      this.isForgotten = false;
    } else if (kind === 'partial' && this.history.length > 0) {
      if (this.history.length < MAX_HISTORY) this.history.push(result);
      else this.forget();
    }
  }

  private forget(): void {
    this.history = [];
    this.isForgotten = true;
  }

  /** After the events that came before. */
  private over(tell: (member: GroupMember) => void): void {
    this.onEmpty();
    this.inOrder(async () => {
      const members = [...this.members];
      this.members.clear();
      this.listening.clear();
      members.forEach(tell);
    });
  }

  private inOrder(work: () => Promise<void>): void {
    this.working = this.working.then(work);
  }
}
