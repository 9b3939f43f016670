/** What happens in one world, as it follows from its seed. It is played twice: with and without the hidden steps. */

/** Those whose every door is recorded. */
export const VIEWERS = ['ada', 'ben', 'cem'] as const;
export type ViewerName = (typeof VIEWERS)[number];
/** `dora` acts by REST alone; `hugo` hides. */
export type Name = ViewerName | 'dora' | 'hugo';
const OTHERS: readonly Name[] = [...VIEWERS, 'dora'];

/**
 * How hugo hides. INVISIBLE and OFFLINE: by their status, from everybody. BLOCKED: by blocks, from some viewers.
 * BLOCKING: hugo is offline; that they block somebody is what is hidden.
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
  /** By a second device, which stays for this step. */
  | { type: 'secondTab'; presence: Presence }
  /** All sockets are closed for longer than the grace. */
  | { type: 'reconnect'; presence: Presence }
  | { type: 'listenAgain'; presence: Presence }
  | { type: 'block' | 'unblock'; other: Name }
  | { type: 'createGroup'; group: number }
  | { type: 'joinGroup' | 'leaveGroup'; group: number }
  | { type: 'invite'; other: Name; invite: number }
  | { type: 'answer'; invite: number; accept: boolean }
  | { type: 'joinSquad' | 'leaveSquad' | 'endSquad' | 'workOut' | 'chat'; invite: number }
  /** All sockets stay closed for longer than the grace, until the next announcement. */
  | { type: 'leave' }
  /** hugo and dora train together, from the invitation to the end. */
  | { type: 'trainTogether'; host: 'hugo' | 'dora' }
  | { type: 'openSquad' }
  | { type: 'look' };

export interface Step {
  readonly by: Name;
  readonly action: Action;
  /** Left out when the world is played without what is hidden. */
  readonly isHidden: boolean;
  /** Instead of it, when it is left out. */
  readonly instead?: Action;
}

export interface Script {
  readonly seed: number;
  readonly hiding: Hiding;
  /** Those from whom hugo is hidden. */
  readonly hiddenFrom: readonly ViewerName[];
  readonly steps: readonly Step[];
}

export function scriptOf(seed: number): Script {
  const chance = chanceOf(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;
  const hiding = pick<Hiding>(['INVISIBLE', 'INVISIBLE', 'OFFLINE', 'BLOCKED', 'BLOCKED', 'BLOCKING']);
  const some = VIEWERS.filter(() => chance() < 0.5);
  const hiddenFrom = hiding === 'BLOCKED' && some.length > 0 ? some : VIEWERS;
  const steps: Step[] = [];
  const groups: number[] = [];
  const invites: { index: number; from: Name; to: Name }[] = [];
  /** Something lasts of what was hidden, so that hugo has to stay hidden. */
  let hasLeftTraces = false;
  /** False once a club may live on by hugo alone: others could join it after everybody else has left. */
  let mayLeaveGroups = true;
  const add = (by: Name, action: Action, isHidden = false, instead?: Action) =>
    void steps.push({ by, action, isHidden, ...(instead && { instead }) });

  const activity = (): string | null | undefined =>
    pick([undefined, undefined, null, `does ${Math.floor(chance() * 100)}`]);
  const presence = (statuses: readonly (Status | undefined)[]): Presence => {
    const status = pick(statuses);
    const doing = activity();
    return { ...(status && { status }), ...(doing !== undefined && { activity: doing }) };
  };
  const door = () => pick<Door>(['rest', 'graph', 'socket']);
  const anyStatus = [undefined, 'AVAILABLE', 'WORKING_OUT', 'INVISIBLE', 'OFFLINE', 'AVAILABLE'] as const;

  const visibleStep = (): void => {
    const by = pick(OTHERS);
    const other = pick([...OTHERS, 'hugo', 'hugo'].filter((name) => name !== by) as Name[]);
    const known = invites.length > 0 ? pick(invites) : undefined;
    const at = chance();
    if (at < 0.3) add(by, { type: 'announce', door: door(), presence: presence(anyStatus) });
    else if (at < 0.4 && by !== 'dora') add(by, { type: 'listenAgain', presence: presence([undefined]) });
    else if (at < 0.5 && (hiding === 'INVISIBLE' || other !== 'hugo'))
      add(by, { type: pick(['block', 'unblock']), other });
    else if (at < 0.57) {
      groups.push(groups.length);
      add(by, { type: 'createGroup', group: groups.length - 1 });
    } else if (at < 0.65 && groups.length > 0)
      add(by, {
        type: mayLeaveGroups ? pick(['joinGroup', 'joinGroup', 'leaveGroup']) : 'joinGroup',
        group: pick(groups),
      });
    else if (at < 0.75 && hiding !== 'BLOCKING') {
      invites.push({ index: invites.length, from: by, to: other });
      add(by, { type: 'invite', other, invite: invites.length - 1 });
    } else if (at < 0.9 && known && known.to !== 'hugo') {
      if (chance() < 0.4) add(known.to, { type: 'answer', invite: known.index, accept: chance() < 0.7 });
      else
        add(pick([known.from, known.to]), {
          type: pick(['joinSquad', 'joinSquad', 'workOut', 'chat', 'leaveSquad', 'endSquad']),
          invite: known.index,
        });
    } else add(pick(VIEWERS), { type: 'look' });
  };

  const hiddenStep = (): void => {
    const hidden = (action: Action) => add('hugo', action, true);
    if (hiding === 'BLOCKING') {
      // Lifted again, so that nothing is left of it.
      const blocked = new Set([pick(VIEWERS), pick(VIEWERS)]);
      for (const other of blocked) {
        hidden({ type: 'block', other });
        if (chance() < 0.3) visibleStep();
      }
      for (const other of blocked) hidden({ type: 'unblock', other });
      return;
    }
    const statuses: readonly (Status | undefined)[] =
      hiding === 'BLOCKED' ? anyStatus : [undefined, undefined, hiding];
    const at = chance();
    if (at < 0.4) return hidden({ type: 'announce', door: door(), presence: presence(statuses) });
    if (at < 0.6) return hidden({ type: 'secondTab', presence: presence(statuses) });
    if (at < 0.7) return hidden({ type: 'reconnect', presence: presence(statuses) });
    if (at < 0.75) return hidden({ type: 'look' });
    if (hiding !== 'BLOCKED') return hidden({ type: 'openSquad' });
    hasLeftTraces = true;
    if (at < 0.82) return hidden({ type: 'trainTogether', host: pick(['hugo', 'dora']) });
    if (at < 0.9 && groups.length > 0) {
      mayLeaveGroups = false;
      return hidden({ type: 'joinGroup', group: pick(groups) });
    }
    hidden({ type: 'createGroup', group: 1000 + steps.length });
  };

  // Everybody comes online, hugo by chance; then something that all may see.
  for (const name of OTHERS)
    if (chance() < 0.8)
      add(name, { type: 'announce', door: door(), presence: presence([undefined, 'AVAILABLE']) });
  if (hiding !== 'BLOCKING' && chance() < 0.6)
    add('hugo', { type: 'announce', door: door(), presence: presence(['AVAILABLE', 'WORKING_OUT']) });
  for (let count = Math.floor(chance() * 5); count > 0; count -= 1) visibleStep();

  const announce = (presenceNow: Presence): Action => ({
    type: 'announce',
    door: 'rest',
    presence: presenceNow,
  });
  if (hiding === 'INVISIBLE')
    add(
      'hugo',
      announce({ status: 'INVISIBLE' }),
      true,
      pick<Action>([announce({ status: 'OFFLINE' }), { type: 'leave' }]),
    );
  if (hiding === 'OFFLINE' || hiding === 'BLOCKING') add('hugo', announce({ status: 'OFFLINE' }));
  const blocks = hiddenFrom.map((viewer): [Name, Name] =>
    chance() < 0.5 ? ['hugo', viewer] : [viewer, 'hugo'],
  );
  if (hiding === 'BLOCKED') for (const [by, other] of blocks) add(by, { type: 'block', other });
  for (let count = 4 + Math.floor(chance() * 7); count > 0; count -= 1)
    if (chance() < 0.55) hiddenStep();
    else visibleStep();

  // Hugo comes back, unless something is left that would tell of the time before.
  if (chance() < 0.6 && !hasLeftTraces) {
    if (hiding === 'BLOCKED') {
      add('hugo', announce({ status: 'OFFLINE' }));
      for (const [by, other] of blocks) add(by, { type: 'unblock', other });
    }
    add('hugo', announce({ status: 'AVAILABLE', activity: 'is back' }));
    visibleStep();
  }
  for (const name of VIEWERS) add(name, { type: 'look' });
  return { seed, hiding, hiddenFrom, steps };
}

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
