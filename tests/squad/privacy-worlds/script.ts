import { randomOf } from '../support/scheduler.ts';

/* The seed of a world determines its steps. Each world is run twice: with and without the hidden steps. */

/** Users of whom all answers and events are recorded. */
export const VIEWERS = ['ada', 'ben', 'cem'] as const;
export type ViewerName = (typeof VIEWERS)[number];
/** What `dora` receives is not recorded; `hugo` hides. */
export type Name = ViewerName | 'dora' | 'hugo';
const OTHERS: readonly Name[] = [...VIEWERS, 'dora'];

/**
 * How hugo hides. INVISIBLE and OFFLINE: by status, from everybody. BLOCKED: by blocks, from some or all viewers.
 * BLOCKING: hugo is offline, and the hidden steps are blocks.
 */
export type Hiding = 'INVISIBLE' | 'OFFLINE' | 'BLOCKED' | 'BLOCKING';

type Status = 'AVAILABLE' | 'WORKING_OUT' | 'INVISIBLE' | 'OFFLINE';
export type Door = 'rest' | 'graph' | 'socket';
export interface Presence {
  status?: Status;
  activity?: string | null;
}
export type Action =
  | { type: 'announce'; door: Door; presence: Presence }
  /** By a second device, which is connected for this step only. */
  | { type: 'secondTab'; presence: Presence }
  /** All sockets are closed for longer than the grace period. */
  | { type: 'reconnect'; presence: Presence }
  | { type: 'listenAgain'; presence: Presence }
  | { type: 'block' | 'unblock'; other: Name }
  | { type: 'createGroup'; group: number }
  | { type: 'joinGroup' | 'leaveGroup'; group: number }
  | { type: 'invite'; other: Name | 'stranger'; invite: number }
  | { type: 'answer'; invite: number; accept: boolean }
  | { type: 'joinSquad' | 'leaveSquad' | 'endSquad' | 'workOut' | 'chat'; invite: number }
  /** All sockets stay closed for longer than the grace period, until the next announcement. */
  | { type: 'leave' }
  /** hugo and dora train together, from the invite to the end of the squad. */
  | { type: 'trainTogether'; host: 'hugo' | 'dora' }
  | { type: 'openSquad' }
  | { type: 'look' };

export interface Step {
  readonly by: Name;
  readonly action: Action;
  /** The run without the hidden steps leaves this step out. */
  readonly isHidden: boolean;
  /** The action of the run without the hidden steps. */
  readonly instead?: Action;
}

export interface Script {
  readonly seed: number;
  readonly hiding: Hiding;
  /** Viewers from whom hugo is hidden. */
  readonly hiddenFrom: readonly ViewerName[];
  readonly steps: readonly Step[];
}

export const scriptOf = (seed: number): Script => new ScriptWriter(seed).write();

const ANY_STATUS = [undefined, 'AVAILABLE', 'WORKING_OUT', 'INVISIBLE', 'OFFLINE', 'AVAILABLE'] as const;

class ScriptWriter {
  private readonly seed: number;
  private readonly random: () => number;
  private readonly hiding: Hiding;
  private readonly hiddenFrom: readonly ViewerName[];
  private readonly steps: Step[] = [];
  private readonly groups: number[] = [];
  private readonly invites: { index: number; from: Name; to: Name }[] = [];
  /** Whether hugo has to stay hidden, because an effect of a hidden step lasts. */
  private hasLeftTraces = false;
  /** Whether hugo is hidden at this step. */
  private isHiding = false;
  /** False once hugo may be in a club: if all others left it, it would exist only in the run with the hidden steps. */
  private mayLeaveGroups = true;

  constructor(seed: number) {
    this.seed = seed;
    this.random = randomOf(seed);
    this.hiding = this.pick<Hiding>(['INVISIBLE', 'INVISIBLE', 'OFFLINE', 'BLOCKED', 'BLOCKED', 'BLOCKING']);
    const some = VIEWERS.filter(() => this.random() < 0.5);
    this.hiddenFrom = this.hiding === 'BLOCKED' && some.length > 0 ? some : VIEWERS;
  }

  write(): Script {
    this.beginning();
    const blocks = this.hide();
    for (let count = 4 + this.below(7); count > 0; count -= 1)
      if (this.random() < 0.55) this.hiddenStep();
      else this.visibleStep();
    if (this.random() < 0.6 && !this.hasLeftTraces) this.comeBack(blocks);
    for (const name of VIEWERS) this.add(name, { type: 'look' });
    const { seed, hiding, hiddenFrom, steps } = this;
    return { seed, hiding, hiddenFrom, steps };
  }

  /** Most users come online, hugo in some worlds; then there are a few visible steps. */
  private beginning(): void {
    for (const name of OTHERS)
      if (this.random() < 0.8) this.add(name, this.announcement([undefined, 'AVAILABLE']));
    if (this.hiding !== 'BLOCKING' && this.random() < 0.6)
      this.add('hugo', this.announcement(['AVAILABLE', 'WORKING_OUT']));
    for (let count = this.below(5); count > 0; count -= 1) this.visibleStep();
  }

  /** Hides hugo. @returns pairs of hugo and a viewer; if hugo is BLOCKED, the first of each pair has blocked the second */
  private hide(): readonly [Name, Name][] {
    if (this.hiding === 'INVISIBLE')
      this.add(
        'hugo',
        byRest({ status: 'INVISIBLE' }),
        true,
        this.pick<Action>([byRest({ status: 'OFFLINE' }), { type: 'leave' }]),
      );
    if (this.hiding === 'OFFLINE' || this.hiding === 'BLOCKING')
      this.add('hugo', byRest({ status: 'OFFLINE' }));
    const blocks = this.hiddenFrom.map((viewer): [Name, Name] =>
      this.random() < 0.5 ? ['hugo', viewer] : [viewer, 'hugo'],
    );
    if (this.hiding === 'BLOCKED') for (const [by, other] of blocks) this.add(by, { type: 'block', other });
    this.isHiding = true;
    return blocks;
  }

  private comeBack(blocks: readonly [Name, Name][]): void {
    this.isHiding = false;
    if (this.hiding === 'BLOCKED') {
      this.add('hugo', byRest({ status: 'OFFLINE' }));
      for (const [by, other] of blocks) this.add(by, { type: 'unblock', other });
    }
    this.add('hugo', byRest({ status: 'AVAILABLE', activity: 'is back' }));
    this.visibleStep();
  }

  private visibleStep(): void {
    const by = this.pick(OTHERS);
    const other = this.pick([...OTHERS, 'hugo', 'hugo'].filter((name) => name !== by) as Name[]);
    const known = this.invites.length > 0 ? this.pick(this.invites) : undefined;
    const at = this.random();
    if (at < 0.3) this.add(by, this.announcement(ANY_STATUS));
    else if (at < 0.4 && by !== 'dora')
      this.add(by, { type: 'listenAgain', presence: this.presence([undefined]) });
    else if (at < 0.5 && (this.hiding === 'INVISIBLE' || other !== 'hugo'))
      this.add(by, { type: this.pick(['block', 'unblock']), other });
    else if (at < 0.57) {
      this.groups.push(this.groups.length);
      this.add(by, { type: 'createGroup', group: this.groups.length - 1 });
    } else if (at < 0.65 && this.groups.length > 0)
      this.add(by, {
        type: this.mayLeaveGroups ? this.pick(['joinGroup', 'joinGroup', 'leaveGroup']) : 'joinGroup',
        group: this.pick(this.groups),
      });
    else if (at < 0.75 && this.hiding !== 'BLOCKING') {
      this.invites.push({ index: this.invites.length, from: by, to: other });
      this.invite(by, other, this.invites.length - 1);
    } else if (at < 0.9 && known && known.to !== 'hugo') this.stepOfInvite(known);
    else this.add(this.pick(VIEWERS), { type: 'look' });
  }

  /** If there is a block between hugo and a viewer, the viewer's invite must be answered like one to a user of another gym. */
  private invite(by: Name, other: Name, invite: number): void {
    const isBlocked =
      this.hiding === 'BLOCKED' &&
      this.isHiding &&
      other === 'hugo' &&
      (this.hiddenFrom as readonly Name[]).includes(by);
    const instead: Action = { type: 'invite', other: 'stranger', invite };
    this.add(by, { type: 'invite', other, invite }, isBlocked, isBlocked ? instead : undefined);
  }

  private stepOfInvite({ index: invite, from, to }: { index: number; from: Name; to: Name }): void {
    if (this.random() < 0.4) this.add(to, { type: 'answer', invite, accept: this.random() < 0.7 });
    else
      this.add(this.pick([from, to]), {
        type: this.pick(['joinSquad', 'joinSquad', 'workOut', 'chat', 'leaveSquad', 'endSquad']),
        invite,
      });
  }

  private hiddenStep(): void {
    const { hiding } = this;
    if (hiding === 'BLOCKING') return this.blocksForAWhile();
    const hidden = (action: Action) => this.add('hugo', action, true);
    const statuses: readonly (Status | undefined)[] =
      hiding === 'BLOCKED' ? ANY_STATUS : [undefined, undefined, hiding];
    const at = this.random();
    if (at < 0.4) return hidden(this.announcement(statuses));
    if (at < 0.6) return hidden({ type: 'secondTab', presence: this.presence(statuses) });
    if (at < 0.7) return hidden({ type: 'reconnect', presence: this.presence(statuses) });
    if (at < 0.75) return hidden({ type: 'look' });
    if (hiding !== 'BLOCKED') return hidden({ type: 'openSquad' });
    this.hasLeftTraces = true;
    if (at < 0.82) return hidden({ type: 'trainTogether', host: this.pick(['hugo', 'dora']) });
    if (at < 0.9 && this.groups.length > 0) {
      this.mayLeaveGroups = false;
      return hidden({ type: 'joinGroup', group: this.pick(this.groups) });
    }
    hidden({ type: 'createGroup', group: 1000 + this.steps.length });
  }

  /** hugo blocks viewers and unblocks them again, so that no effect lasts. */
  private blocksForAWhile(): void {
    const blocked = new Set([this.pick(VIEWERS), this.pick(VIEWERS)]);
    for (const other of blocked) {
      this.add('hugo', { type: 'block', other }, true);
      if (this.random() < 0.3) this.visibleStep();
    }
    for (const other of blocked) this.add('hugo', { type: 'unblock', other }, true);
  }

  private announcement(statuses: readonly (Status | undefined)[]): Action {
    const door = this.pick<Door>(['rest', 'graph', 'socket']);
    return { type: 'announce', door, presence: this.presence(statuses) };
  }

  private presence(statuses: readonly (Status | undefined)[]): Presence {
    const status = this.pick(statuses);
    const activity = this.pick([undefined, undefined, null, `does ${this.below(100)}`]);
    return { ...(status && { status }), ...(activity !== undefined && { activity }) };
  }

  private add(by: Name, action: Action, isHidden = false, instead?: Action): void {
    this.steps.push({ by, action, isHidden, ...(instead && { instead }) });
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  private below(end: number): number {
    return Math.floor(this.random() * end);
  }
}

const byRest = (presence: Presence): Action => ({ type: 'announce', door: 'rest', presence });
