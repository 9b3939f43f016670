import { z } from 'zod';
import type { EventSink } from './event-source.ts';

/** Where on a result or a subscribe message its `extensions` speak of an audience; gateway/subscriptions/PROTOCOL.md. */
export interface AudienceStanding {
  /** Members for whom the events are right from here on. */
  readonly same: number[];
  /** Members who must see none of them from here on: theirs are others. */
  readonly apart: number[];
}

/** As an `AudienceStanding`, of each member there is and will be. */
export const EVERYBODY = 'everybody';

/** What a gateway says about an audience. */
export const AudienceMessage = z.object({
  id: z.string().min(1).max(64),
  /** A number of the gateway's own for each membership, and whose it is. */
  joined: z.array(z.tuple([z.number().int(), z.string().max(128)])).default([]),
  left: z.array(z.number().int()).default([]),
  /** Asks for the whole state, for those who have come later. */
  again: z.boolean().default(false),
});
export type AudienceMessage = z.infer<typeof AudienceMessage>;

/** What a subscription does for the members of its audience. */
export interface AudienceRules {
  /**
   * Somebody listens from now on. Tells, at once and whenever it changes, whether what they may see differs from what
   * the audience gets. Returns what ends it.
   */
  onJoin(userId: string, tell: (isApart: boolean) => void): Promise<() => void>;
  /** The next event is to hold the whole state. */
  again(): void;
}

/** Stands in the stream between two events. */
export class AudienceNotice implements AudienceStanding {
  readonly same: number[] = [];
  readonly apart: number[] = [];
}

interface Member {
  readonly userId: string;
  isApart: boolean | undefined;
  end: (() => void) | undefined;
}

/**
 * People of one role and gym for whom a gateway asks once. Only the endpoint makes one, and only for a socket that has
 * proved to be the gateway's: who holds it may be given the view that is nobody's own.
 *
 * For whom the events are right is told in the same stream as the events, so that who learns it late learns the
 * event late as well.
 */
export class Audience {
  /** Of a member who is there; events are made with their rights. */
  authorization: string | undefined;
  private readonly members = new Map<number, Member>();
  private stream: EventSink<unknown> | undefined;
  private rules: AudienceRules | undefined;
  private notice: AudienceNotice | undefined;
  private isOver = false;

  /** Returns what events are pushed by, as by the stream's own `push`. */
  attend<Event>(stream: EventSink<Event>, rules: AudienceRules): (event: Event) => boolean {
    this.stream = stream;
    this.rules = rules;
    for (const [number, member] of this.members) this.join(number, member);
    return (event) => {
      this.sendNotice();
      const isTaken = stream.push(event);
      // With the events that were dropped there may have been a notice.
      if (!isTaken) this.tellAll();
      return isTaken;
    };
  }

  /** Whether the subscription tells members apart; else its events are right for each of them. */
  get isAttended(): boolean {
    return this.rules !== undefined;
  }

  hear({ joined, left, again }: AudienceMessage): void {
    if (this.isOver) return;
    for (const [number, userId] of joined) {
      if (this.members.has(number)) continue;
      const member: Member = { userId, isApart: undefined, end: undefined };
      this.members.set(number, member);
      this.join(number, member);
    }
    for (const number of left) {
      const member = this.members.get(number);
      this.members.delete(number);
      member?.end?.();
    }
    if (again) this.rules?.again();
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
    const tell = (isApart: boolean): void => {
      if (isGone() || member.isApart === isApart) return;
      member.isApart = isApart;
      this.note(number, isApart);
    };
    const attend = async (): Promise<void> => {
      try {
        const end = await rules.onJoin(member.userId, tell);
        if (isGone()) end();
        else member.end = end;
      } catch {
        // Nothing is known of them: they are left to a subscription of their own, which says why.
        tell(true);
      }
    };
    void attend();
  }

  private note(number: number, isApart: boolean): void {
    if (!this.notice) {
      this.notice = new AudienceNotice();
      // What comes at the same time goes in one.
      queueMicrotask(() => this.sendNotice());
    }
    const { same, apart } = this.notice;
    (isApart ? apart : same).push(number);
    const other = isApart ? same : apart;
    const before = other.indexOf(number);
    if (before >= 0) other.splice(before, 1);
  }

  private sendNotice(): void {
    const { notice } = this;
    this.notice = undefined;
    if (!notice || this.isOver) return;
    if (this.stream?.push(notice)) return;
    this.tellAll();
    this.rules?.again();
  }

  private tellAll(): void {
    const all = new AudienceNotice();
    for (const [number, { isApart }] of this.members)
      if (isApart !== undefined) (isApart ? all.apart : all.same).push(number);
    this.stream?.push(all);
  }
}

/** The audiences that one socket of a gateway speaks of. */
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
