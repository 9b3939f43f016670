import { randomUUID } from 'node:crypto';
import type { EligibilityChange, Eligibility as Decision } from '#server/audience.ts';
import type { CallerTokens } from './caller-tokens.ts';
import type { UpstreamSocket } from './upstream-sockets.ts';

/** Which events a member receives. `unknown`: the subgraph has not decided yet, and until then they receive none. */
export type Eligibility = 'unknown' | Decision;

/** One membership of a user in an audience; a user with several clients may have several. */
export type Membership = object;

/** @param membership the membership by which a listener recognises the events that are addressed to it */
type EligibilityListener = (eligibility: Eligibility, membership: Membership) => void;

interface Member {
  readonly userId: string;
  number: number;
  eligibility: Eligibility;
  readonly listeners: Set<EligibilityListener>;
}

/** The maximum number of members in a message, because a frame has at most 256 KiB. */
const MEMBERS_PER_MESSAGE = 1_000;

/**
 * The members of an audience: the users of one role and gym who share one upstream subscription. This class reports them to
 * the subgraph, and receives its decision about each of them (the `audience` extension of
 * `gateway/subscriptions/PROTOCOL.md`). After each restart (a lost socket, a refused token) all members are reported again
 * under new numbers, so that no earlier decision applies to them.
 */
export class AudienceMembers {
  private currentId: string = randomUUID();
  private lastNumber = 0;
  private isEverybodyEligible = false;
  private isStopped = false;
  private readonly socket: UpstreamSocket;
  private readonly tokens: CallerTokens;
  private readonly members = new Set<Member>();
  /** The latest membership of each user. A later client of the user joins it unless it is `addressed`. */
  private readonly byUser = new Map<string, Member>();
  private readonly byNumber = new Map<number, Member>();
  private readonly changed = new Set<number>();
  private readonly stopListening: (() => void)[];

  /** @param onConnected called whenever the socket has connected, before the members are reported */
  constructor(socket: UpstreamSocket, tokens: CallerTokens, onConnected: () => void) {
    this.socket = socket;
    this.tokens = tokens;
    this.stopListening = [
      socket.client.on('closed', () => this.restart()),
      socket.client.on('connected', () => {
        onConnected();
        this.restart();
      }),
    ];
  }

  /** Identifies the audience to the subgraph. Each restart makes a new one. */
  get id(): string {
    return this.currentId;
  }

  /**
   * Calls `listener` with the user's eligibility and each change of it. Returns a function that removes it.
   *
   * The clients of a user share one membership. While it is `addressed`, a later client gets a membership of its own, because
   * the client needs the whole state first. The subgraph sends the state to a new membership, and only changes to an addressed
   * one.
   */
  join(userId: string, listener: EligibilityListener): () => void {
    const known = this.byUser.get(userId);
    const member = known && known.eligibility !== 'addressed' ? known : this.add(userId);
    member.listeners.add(listener);
    listener(member.eligibility, member);
    return () => {
      if (!member.listeners.delete(listener) || member.listeners.size > 0) return;
      this.members.delete(member);
      if (this.byUser.get(userId) === member) this.byUser.delete(userId);
      this.byNumber.delete(member.number);
      this.reportChange(member.number);
    };
  }

  /** Applies the `audience` extension of a result. */
  onDecision(decision: unknown): void {
    if (decision === 'everybody') {
      this.isEverybodyEligible = true;
      for (const member of this.members) setEligibility(member, 'eligible');
      return;
    }
    const { eligible = [], addressed = [], excluded = [] } = decision as Partial<EligibilityChange>;
    for (const number of eligible) setEligibility(this.byNumber.get(number), 'eligible');
    for (const number of addressed) setEligibility(this.byNumber.get(number), 'addressed');
    for (const number of excluded) setEligibility(this.byNumber.get(number), 'excluded');
  }

  /** The member to whom an event with this `to` extension is addressed; undefined if they left or are no longer addressed. */
  addressee(to: unknown): Membership | undefined {
    const member = this.byNumber.get(Number(to));
    return member?.eligibility === 'addressed' ? member : undefined;
  }

  /** Asks the subgraph to send the whole state with the next event. */
  requestWholeState(): void {
    this.send({ wholeState: true });
  }

  /** Sends another member's token, because the current one may no longer be used. */
  renewToken(): void {
    const { tokens } = this;
    this.send({}, () => tokens.longestValid?.authorization);
  }

  /** Makes the eligibility of all members unknown, and reports all of them. */
  restart(): void {
    this.currentId = randomUUID();
    this.isEverybodyEligible = false;
    this.byNumber.clear();
    this.changed.clear();
    for (const member of this.members) {
      member.number = this.lastNumber += 1;
      this.byNumber.set(member.number, member);
      this.reportChange(member.number);
      setEligibility(member, 'unknown');
    }
  }

  stop(): void {
    this.isStopped = true;
    for (const stop of this.stopListening) stop();
  }

  private add(userId: string): Member {
    const number = (this.lastNumber += 1);
    const member: Member = {
      userId,
      number,
      eligibility: this.isEverybodyEligible ? 'eligible' : 'unknown',
      listeners: new Set(),
    };
    this.members.add(member);
    this.byUser.set(userId, member);
    this.byNumber.set(number, member);
    this.reportChange(number);
    return member;
  }

  /** Sends all changes of one tick together. */
  private reportChange(number: number): void {
    if (this.changed.size === 0) setImmediate(() => this.sendChanges());
    this.changed.add(number);
  }

  private sendChanges(): void {
    const numbers = [...this.changed];
    this.changed.clear();
    if (this.isEverybodyEligible) return;
    const { byNumber } = this;
    for (let start = 0; start < numbers.length; start += MEMBERS_PER_MESSAGE) {
      const some = numbers.slice(start, start + MEMBERS_PER_MESSAGE);
      this.send({
        get joined() {
          return some.flatMap((number) => {
            const member = byNumber.get(number);
            return member ? [[number, member.userId]] : [];
          });
        },
        get left() {
          return some.filter((number) => !byNumber.has(number));
        },
      });
    }
  }

  /**
   * Without a connection nothing is sent, because all members are reported when the socket connects. The message's values are
   * getters: graphql-ws may send the message again after a reconnect, and then reads the values of that moment.
   */
  private send(message: object, authorization?: () => string | undefined): void {
    if (this.isStopped || !this.socket.isConnected) return;
    const withId = Object.defineProperty(message, 'id', { get: () => this.id, enumerable: true });
    const extensions = {
      audience: withId,
      get authorization() {
        return authorization?.();
      },
    };
    this.socket.client.subscribe({ query: '{__typename}', extensions }, IGNORE_ANSWER);
  }
}

function setEligibility(member: Member | undefined, eligibility: Eligibility): void {
  if (!member || member.eligibility === eligibility) return;
  member.eligibility = eligibility;
  for (const listener of member.listeners) listener(eligibility, member);
}

/** The effects of a message arrive with the subscription's events, so that its answer is not needed. */
const IGNORE_ANSWER = { next: () => undefined, error: () => undefined, complete: () => undefined };
