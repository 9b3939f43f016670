import { z } from 'zod';
import type { EventSink } from './event-source.ts';

/**
 * The numbers of members whose eligibility has changed. It is sent in the `extensions` of a result
 * (gateway/subscriptions/PROTOCOL.md).
 */
export interface EligibilityChange {
  /** From now on the events are right for them. */
  readonly eligible: number[];
  /** From now on they must not receive the events, because they may see something else. */
  readonly excluded: number[];
}

/** Sent instead of an `EligibilityChange`: all members are eligible, also those who join later. */
export const EVERYBODY = 'everybody';

/** The gateway's message about an audience, in the `extensions` of a subscribe message. */
export const AudienceMessage = z.object({
  id: z.string().min(1).max(64),
  /** The gateway's number for each new membership, and the member's user id. */
  joined: z.array(z.tuple([z.number().int(), z.string().max(128)])).default([]),
  left: z.array(z.number().int()).default([]),
  /** Requests the whole state, for members who joined later. */
  wholeState: z.boolean().default(false),
});
export type AudienceMessage = z.infer<typeof AudienceMessage>;

/** The part of an audience that each subscription implements. */
interface AudienceRules {
  /**
   * Is called for each new member. Calls `report` at once, and again after each change: with true if the member is
   * excluded, because they may see something else than the audience. Returns a function that ends the reports.
   */
  onJoin(userId: string, report: (isExcluded: boolean) => void): Promise<() => void>;
  /** Makes the next event contain the whole state. */
  sendWholeState(): void;
}

/** An `EligibilityChange` in the stream, between two events. */
export class EligibilityNotice implements EligibilityChange {
  readonly eligible: number[] = [];
  readonly excluded: number[] = [];
}

interface Member {
  readonly userId: string;
  isExcluded: boolean | undefined;
  end: (() => void) | undefined;
}

/**
 * Members of one role and gym for whom a gateway subscribes once. Only the endpoint creates one, and only for a socket that
 * has proved that it belongs to the gateway: the events of an audience are not filtered for one user.
 *
 * Eligibility is sent in the same stream as the events, so that a slow reader learns of a change before the events to
 * which it applies.
 */
export class Audience {
  /** The token of one of the members; events are computed with their rights. */
  authorization: string | undefined;
  private readonly members = new Map<number, Member>();
  private stream: EventSink<unknown> | undefined;
  private rules: AudienceRules | undefined;
  private notice: EligibilityNotice | undefined;
  private isOver = false;

  /** Returns the function that sends events, a replacement for the stream's own `push`. */
  startWith<Event>(stream: EventSink<Event>, rules: AudienceRules): (event: Event) => boolean {
    this.stream = stream;
    this.rules = rules;
    for (const [number, member] of this.members) this.join(number, member);
    return (event) => {
      this.sendNotice();
      const isAccepted = stream.push(event);
      // One of the dropped events may have been a notice.
      if (!isAccepted) this.sendAll();
      return isAccepted;
    };
  }

  /** Whether the subscription excludes members; if not, its events are right for every member. */
  get excludesMembers(): boolean {
    return this.rules !== undefined;
  }

  receive({ joined, left, wholeState }: AudienceMessage): void {
    if (this.isOver) return;
    for (const [number, userId] of joined) {
      if (this.members.has(number)) continue;
      const member: Member = { userId, isExcluded: undefined, end: undefined };
      this.members.set(number, member);
      this.join(number, member);
    }
    for (const number of left) {
      const member = this.members.get(number);
      this.members.delete(number);
      member?.end?.();
    }
    if (wholeState) this.rules?.sendWholeState();
  }

  dispose(): void {
    this.isOver = true;
    for (const member of this.members.values()) member.end?.();
    this.members.clear();
  }

  private join(number: number, member: Member): void {
    const { rules } = this;
    if (!rules) return;
    const isGone = () => this.isOver || this.members.get(number) !== member;
    const report = (isExcluded: boolean): void => {
      if (isGone() || member.isExcluded === isExcluded) return;
      member.isExcluded = isExcluded;
      this.addToNotice(number, isExcluded);
    };
    const join = async (): Promise<void> => {
      try {
        const end = await rules.onJoin(member.userId, report);
        if (isGone()) end();
        else member.end = end;
      } catch {
        // Their eligibility is unknown: they get a subscription of their own, which reports the error.
        report(true);
      }
    };
    void join();
  }

  private addToNotice(number: number, isExcluded: boolean): void {
    if (!this.notice) {
      this.notice = new EligibilityNotice();
      // Changes of the same moment are sent in one notice.
      queueMicrotask(() => this.sendNotice());
    }
    const { eligible, excluded } = this.notice;
    (isExcluded ? excluded : eligible).push(number);
    const other = isExcluded ? eligible : excluded;
    const before = other.indexOf(number);
    if (before >= 0) other.splice(before, 1);
  }

  private sendNotice(): void {
    const { notice } = this;
    this.notice = undefined;
    if (!notice || this.isOver) return;
    if (this.stream?.push(notice)) return;
    this.sendAll();
    this.rules?.sendWholeState();
  }

  private sendAll(): void {
    const all = new EligibilityNotice();
    for (const [number, { isExcluded }] of this.members)
      if (isExcluded !== undefined) (isExcluded ? all.excluded : all.eligible).push(number);
    this.stream?.push(all);
  }
}

/** The audiences of one gateway socket. */
export class Audiences {
  private readonly known = new Map<string, Audience>();

  of(id: string): Audience {
    const audience = this.known.get(id) ?? new Audience();
    this.known.set(id, audience);
    return audience;
  }

  end(id: string): void {
    this.known.get(id)?.dispose();
    this.known.delete(id);
  }

  dispose(): void {
    for (const id of this.known.keys()) this.end(id);
  }
}
