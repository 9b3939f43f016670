import type { Membership } from './upstream/audience-members.ts';

/** What a member of a group has received. */
interface Receiving {
  /** Whether the member has got the whole state, without which partial events mean nothing. */
  hasWhole: boolean;
  /** Set if the member gets the events that are addressed to this membership, and not those of the audience. */
  membership: Membership | undefined;
}

/** The members of a group that get results, and which results each of them gets. */
export class Receivers<Member> {
  private readonly known = new Map<Member, Receiving>();
  private readonly addressed = new Map<Membership, Set<Member>>();

  get size(): number {
    return this.known.size;
  }

  get(member: Member): Receiving | undefined {
    return this.known.get(member);
  }

  /** @param membership set if the member gets only the events that are addressed to this membership */
  add(member: Member, hasWhole: boolean, membership?: Membership): void {
    this.known.set(member, { hasWhole, membership });
    this.enter(member, membership);
  }

  /** Changes which events a member gets; ignored if it has been removed since `receiving` was read. */
  address(member: Member, receiving: Receiving | undefined, membership: Membership | undefined): void {
    if (!receiving || this.known.get(member) !== receiving) return;
    this.leave(member, receiving.membership);
    receiving.membership = membership;
    this.enter(member, membership);
  }

  delete(member: Member): void {
    this.leave(member, this.known.get(member)?.membership);
    this.known.delete(member);
  }

  clear(): void {
    this.known.clear();
    this.addressed.clear();
  }

  /** Whether a member gets the events with this addressee. */
  hasAddressed(addressee: Membership): boolean {
    return this.addressed.has(addressee);
  }

  /**
   * Calls `send` for each member that gets an event.
   *
   * @param addressee undefined for an event of the audience, which the members with events of their own do not get
   * @param isPartial whether the event means nothing without the whole state
   */
  forEach(addressee: Membership | undefined, isPartial: boolean, send: (member: Member) => void): void {
    for (const member of addressee ? (this.addressed.get(addressee) ?? []) : this.known.keys()) {
      const receiving = this.known.get(member);
      if (!receiving || receiving.membership !== addressee) continue;
      receiving.hasWhole ||= !isPartial;
      if (receiving.hasWhole) send(member);
    }
  }

  private enter(member: Member, membership: Membership | undefined): void {
    if (membership) this.addressed.set(membership, (this.addressed.get(membership) ?? new Set()).add(member));
  }

  private leave(member: Member, membership: Membership | undefined): void {
    const members = membership && this.addressed.get(membership);
    if (members?.delete(member) && members.size === 0) this.addressed.delete(membership as Membership);
  }
}
