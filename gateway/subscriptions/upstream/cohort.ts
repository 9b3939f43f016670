import { randomUUID } from 'node:crypto';
import type { AudienceStanding } from '#server/audience.ts';
import type { CallerTokens } from './caller-tokens.ts';
import type { UpstreamSocket } from './upstream-sockets.ts';

/**
 * Whether the audience's events are right for a member. `unknown`: the subgraph has not said so yet, and until then she
 * gets none.
 */
export type Eligibility = 'unknown' | 'same' | 'apart';

export type EligibilityListener = (eligibility: Eligibility) => void;

interface Member {
  readonly userId: string;
  number: number;
  eligibility: Eligibility;
  readonly listeners: Set<EligibilityListener>;
}

/** So many members a message: a frame is at most 256 KiB. */
const MEMBERS_A_MESSAGE = 1_000;

/**
 * The viewers for whom one upstream subscription stands, as the subgraph is told of them, and what it says of each:
 * PROTOCOL.md. After every loss of the socket all are told anew, under new numbers, so that no word from before counts.
 */
export class Cohort {
  private currentId: string = randomUUID();
  private lastNumber = 0;
  private isForEverybody = false;
  private isStopped = false;
  private readonly socket: UpstreamSocket;
  private readonly tokens: CallerTokens;
  private readonly byUser = new Map<string, Member>();
  private readonly byNumber = new Map<number, Member>();
  private readonly changed = new Set<number>();
  private readonly stopListening: (() => void)[];

  /** @param onConnected called after every connection, before anything comes over it */
  constructor(socket: UpstreamSocket, tokens: CallerTokens, onConnected: () => void) {
    this.socket = socket;
    this.tokens = tokens;
    this.stopListening = [
      socket.client.on('closed', () => this.beginAnew()),
      socket.client.on('connected', () => {
        onConnected();
        this.beginAnew();
      }),
    ];
  }

  /** By which the subgraph knows it; another one after every loss of the socket. */
  get id(): string {
    return this.currentId;
  }

  /** Calls `listener` with the eligibility and each change of it. Returns what ends it. */
  join(userId: string, listener: EligibilityListener): () => void {
    const member = this.byUser.get(userId) ?? this.enter(userId);
    member.listeners.add(listener);
    listener(member.eligibility);
    return () => {
      if (!member.listeners.delete(listener) || member.listeners.size > 0) return;
      this.byUser.delete(userId);
      this.byNumber.delete(member.number);
      this.tell(member.number);
    };
  }

  /** What the subgraph says between two events. */
  hear(notice: unknown): void {
    if (notice === 'everybody') {
      this.isForEverybody = true;
      for (const member of this.byUser.values()) setEligibility(member, 'same');
      return;
    }
    const { same, apart } = notice as AudienceStanding;
    for (const number of same) setEligibility(this.byNumber.get(number), 'same');
    for (const number of apart) setEligibility(this.byNumber.get(number), 'apart');
  }

  /** Has the next event hold the whole state. */
  askAgain(): void {
    this.send({ again: true });
  }

  /** The token that was used so far is not to be any more. */
  renewToken(): void {
    const { tokens } = this;
    this.send({}, () => tokens.lasting?.authorization);
  }

  /** Nothing is known of anybody, and everybody has to be told of. */
  beginAnew(): void {
    this.currentId = randomUUID();
    this.isForEverybody = false;
    this.byNumber.clear();
    this.changed.clear();
    for (const member of this.byUser.values()) {
      member.number = this.lastNumber += 1;
      this.byNumber.set(member.number, member);
      this.tell(member.number);
      setEligibility(member, 'unknown');
    }
  }

  stop(): void {
    this.isStopped = true;
    for (const stop of this.stopListening) stop();
  }

  private enter(userId: string): Member {
    const number = (this.lastNumber += 1);
    const member: Member = {
      userId,
      number,
      eligibility: this.isForEverybody ? 'same' : 'unknown',
      listeners: new Set(),
    };
    this.byUser.set(userId, member);
    this.byNumber.set(number, member);
    this.tell(number);
    return member;
  }

  /** With what else changes in this tick. */
  private tell(number: number): void {
    if (this.changed.size === 0) setImmediate(() => this.sendChanges());
    this.changed.add(number);
  }

  private sendChanges(): void {
    const numbers = [...this.changed];
    this.changed.clear();
    if (this.isForEverybody) return;
    const { byNumber } = this;
    for (let start = 0; start < numbers.length; start += MEMBERS_A_MESSAGE) {
      const some = numbers.slice(start, start + MEMBERS_A_MESSAGE);
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
   * What is not connected will be told of everything once it is. All is read when it is sent, which may be once more
   * after a reconnect: what it says is always so.
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
    this.socket.client.subscribe({ query: '{__typename}', extensions }, SILENT);
  }
}

function setEligibility(member: Member | undefined, eligibility: Eligibility): void {
  if (!member || member.eligibility === eligibility) return;
  member.eligibility = eligibility;
  for (const listener of member.listeners) listener(eligibility);
}

/** Nothing hangs on the answer: what follows from the message comes with the subscription's events. */
const SILENT = { next: () => undefined, error: () => undefined, complete: () => undefined };
