import { GraphQLError, type ExecutionResult } from 'graphql';
import type { SubscriptionPlan } from './plans.ts';
import { Subscriber } from './subscriber.ts';
import type { UpstreamListener } from './upstream.ts';

/**
 * Subscribers with the same document, variables and viewer: the rest of the plan runs once an event, the result goes
 * to all of them, in the order of the events.
 */
export class Group implements UpstreamListener {
  readonly plan: SubscriptionPlan;
  private readonly subscribers = new Set<Subscriber>();
  private readonly fillIn: (event: ExecutionResult) => Promise<ExecutionResult>;
  private readonly onEmpty: () => void;
  private last: ExecutionResult | undefined;
  private working: Promise<void> = Promise.resolve();

  /**
   * @param fillIn makes the client's result of an event
   * @param onEmpty called once, when the last subscriber has gone or the upstream is over
   */
  constructor(
    plan: SubscriptionPlan,
    fillIn: (event: ExecutionResult) => Promise<ExecutionResult>,
    onEmpty: () => void,
  ) {
    this.plan = plan;
    this.fillIn = fillIn;
    this.onEmpty = onEmpty;
  }

  /** A late-comer is told the state as the others know it. */
  subscribe(): Subscriber {
    const subscriber = new Subscriber((left) => this.leave(left));
    this.subscribers.add(subscriber);
    if (this.last) subscriber.push(this.last);
    return subscriber;
  }

  onEvent(event: ExecutionResult): void {
    this.inOrder(async () => {
      if (this.subscribers.size === 0) return;
      this.last = await this.fillIn(event).catch((error: unknown) => ({
        data: null,
        errors: [error instanceof GraphQLError ? error : new GraphQLError('an event could not be filled in')],
      }));
      for (const subscriber of this.subscribers) subscriber.push(this.last);
    });
  }

  onFailed(error: GraphQLError): void {
    this.over((subscriber) => subscriber.fail(error));
  }

  onEnded(): void {
    this.over((subscriber) => subscriber.end());
  }

  private leave(subscriber: Subscriber): void {
    if (this.subscribers.delete(subscriber) && this.subscribers.size === 0) this.onEmpty();
  }

  /** After the events that came before. */
  private over(tell: (subscriber: Subscriber) => void): void {
    this.onEmpty();
    this.inOrder(async () => {
      this.subscribers.forEach(tell);
      this.subscribers.clear();
    });
  }

  private inOrder(work: () => Promise<void>): void {
    this.working = this.working.then(work);
  }
}
