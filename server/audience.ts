import { z } from 'zod';
import type { EventSink } from './event-source.ts';

/**
 * `eligible`: the audience's events are right for the member. `addressed`: the member may see something else than the audience,
 * and gets only events that are addressed to them, in the same stream. `excluded`: the gateway opens a subscription for this
 * member alone.
 */
export type Eligibility = 'eligible' | 'addressed' | 'excluded';

/**
 * The members whose eligibility changes between two events, by the gateway's numbers for them; in the `extensions` of a result
 * (gateway/subscriptions/PROTOCOL.md).
 */
export type EligibilityChange = Readonly<Record<Eligibility, number[]>>;

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
interface AudienceRules<Event> {
  /** Called for each new member; reports their eligibility at once, and each change. Returns a function that ends this. */
  onJoin(userId: string, member: AudienceMember<Event>): Promise<() => void>;
  /** Makes the next event contain the whole state, also the next one to each addressed member. */
  sendWholeState(): void;
}

/** A member as the subscription sees them. */
export interface AudienceMember<Event> {
  /**
   * A member may become `addressed`, and later `eligible` again, between two events. At that moment they must have the same
   * state as the audience. The first event to a new member contains the whole state.
   */
  report(eligibility: Eligibility): void;
  /** Sends an event to this member alone. Returns false if the queue was full: then the whole state follows. */
  push(event: Event): boolean;
}

/** Sent in the stream between two events. */
export class EligibilityNotice implements EligibilityChange {
  readonly eligible: number[] = [];
  readonly addressed: number[] = [];
  readonly excluded: number[] = [];
}

/** Sent in the stream: an event to one member. */
export class AddressedEvent {
  /** The gateway's number for the member. */
  readonly to: number;
  readonly event: unknown;

  constructor(to: number, event: unknown) {
    this.to = to;
    this.event = event;
  }
}

interface Member {
  readonly userId: string;
  eligibility: Eligibility | undefined;
  /** The last notice that names the member. */
  notice: EligibilityNotice | undefined;
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
  private rules: AudienceRules<never> | undefined;
  private notice: EligibilityNotice | undefined;
  private isOver = false;

  /** Returns the function that sends events, a replacement for the stream's own `push`. */
  startWith<Event>(stream: EventSink<Event>, rules: AudienceRules<Event>): (event: Event) => boolean {
    this.stream = stream;
    this.rules = rules;
    for (const [number, member] of this.members) this.join(number, member);
    return (event) => this.push(event);
  }

  /** Whether the subscription decides about each member. If it does not, its events are right for every member. */
  get decidesByMember(): boolean {
    return this.rules !== undefined;
  }

  receive({ joined, left, wholeState }: AudienceMessage): void {
    if (this.isOver) return;
    for (const [number, userId] of joined) {
      if (this.members.has(number)) continue;
      const member: Member = { userId, eligibility: undefined, notice: undefined, end: undefined };
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
    const report = (eligibility: Eligibility): void => {
      if (isGone() || member.eligibility === eligibility) return;
      member.eligibility = eligibility;
      this.addToNotice(number, member, eligibility);
    };
    const push = (event: unknown): boolean => isGone() || this.push(new AddressedEvent(number, event));
    const join = async (): Promise<void> => {
      try {
        const end = await rules.onJoin(member.userId, { report, push });
        if (isGone()) end();
        else member.end = end;
      } catch {
        // The member's eligibility is unknown. The gateway opens a subscription for them alone, which reports the error.
        report('excluded');
      }
    };
    void join();
  }

  /** Sends an event of the audience, or an addressed one. */
  private push(event: unknown): boolean {
    this.sendNotice();
    if (this.stream?.push(event)) return true;
    this.sendAgain();
    return false;
  }

  private addToNotice(number: number, member: Member, eligibility: Eligibility): void {
    // The gateway has to know both changes: a member who was eligible for a moment has got the audience's state.
    if (this.notice && member.notice === this.notice) this.sendNotice();
    if (!this.notice) {
      this.notice = new EligibilityNotice();
      // Changes of the same moment are sent in one notice.
      queueMicrotask(() => this.sendNotice());
    }
    this.notice[eligibility].push(number);
    member.notice = this.notice;
  }

  private sendNotice(): void {
    const { notice } = this;
    this.notice = undefined;
    if (!notice || this.isOver) return;
    if (!this.stream?.push(notice)) this.sendAgain();
  }

  /** To be called after a full queue: a notice, or events to any member, may be among the events that were dropped. */
  private sendAgain(): void {
    this.sendEligibilityOfAll();
    this.rules?.sendWholeState();
  }

  private sendEligibilityOfAll(): void {
    const all = new EligibilityNotice();
    for (const [number, { eligibility }] of this.members) if (eligibility) all[eligibility].push(number);
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
