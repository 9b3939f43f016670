import type { PlatformError } from '#server/errors.ts';
import { isPresent } from '../../../subgraphs/squad/squads/squad-rights.ts';
import type { SquadState } from '../../../subgraphs/squad/squads/squad.journal.ts';
import { hiddenFrom } from '../../../subgraphs/squad/users/user.journal.ts';
import type { Act, World } from './world.ts';

/** The state of a world after all actions. */
interface End {
  readonly world: World;
  /** Actions that were not refused. */
  readonly done: readonly Act[];
  readonly squad: SquadState;
  readonly present: readonly string[];
  readonly isOpen: boolean;
}

/** Violations, as texts, of the rules that must hold at the end after any order of steps. */
export async function violations(world: World): Promise<string[]> {
  const squad = await world.squad();
  const end: End = {
    world,
    done: world.acts.filter(({ code }) => code === undefined),
    squad,
    present: squad.participants.filter(isPresent).map(({ userId }) => userId),
    isOpen: squad.status !== 'ENDED',
  };
  return [
    ...acceptedAndClosed(end),
    ...(await acceptedAndRefused(end)),
    ...(await wronglyInside(end)),
    ...(await returnedWithoutInvite(end)),
    ...(await wrongCopies(world)),
  ];
}

function acceptedAndClosed({ done, squad }: End): string[] {
  return done
    .filter(({ name }) => name === 'accept')
    .flatMap((accept) => {
      const isRevoked = done.some(({ name, inviteId }) => name === 'revoke' && inviteId === accept.inviteId);
      const stored = squad.invites.find(({ id }) => id === accept.inviteId);
      return [
        ...(isRevoked ? [`${accept.inviteId} was accepted and revoked`] : []),
        ...(stored?.status === 'ACCEPTED' ? [] : [`an invite was accepted, and is ${stored?.status} now`]),
      ];
    });
}

/** An accepted invite lets Cleo join, unless this right was ended during the answer or after it. */
async function acceptedAndRefused({ world, done, present, isOpen }: End): Promise<string[]> {
  const found: string[] = [];
  const isEndedAfter = (from: number) =>
    done.some(
      ({ name, by, to, until }) =>
        until >= from &&
        ((name === 'kick' && to === 'cleo') ||
          (name === 'leave' && by === 'cleo') ||
          (name === 'block' && (by === 'cleo' || to === 'cleo'))),
    );
  for (const accept of done.filter(({ name }) => name === 'accept')) {
    if (isEndedAfter(accept.from)) continue;
    for (const join of world.acts.filter(({ name, code }) => name === 'join' && code !== undefined))
      if (join.from >= accept.until && join.code !== 'SQUAD_ENDED' && isOpen)
        found.push(`an invite was accepted, and a later join is refused: ${join.code}`);
    const code = isOpen && !present.includes(world.idOf('cleo')) ? await codeOfJoin(world) : undefined;
    if (code !== undefined) found.push(`an invite was accepted, and a join at the end is refused: ${code}`);
  }
  return found;
}

/**
 * Ben and Cleo are participants only if they have an accepted invite. In an open squad no block hides a participant
 * from them.
 */
async function wronglyInside({ world, squad, present, isOpen }: End): Promise<string[]> {
  const found: string[] = [];
  for (const name of ['ben', 'cleo']) {
    const userId = world.idOf(name);
    if (!present.includes(userId)) continue;
    if (!squad.invites.some((invite) => invite.toUserId === userId && invite.status === 'ACCEPTED'))
      found.push(`${name} is a participant without an accepted invite`);
    const hidden = hiddenFrom(await world.user(name));
    if (isOpen && present.some((otherId) => hidden.has(otherId)))
      found.push(`${name} is in a squad with a blocked user`);
  }
  return found;
}

/** If Cleo has left or was kicked, was not invited afterwards and has not joined again, Cleo may not return. */
async function returnedWithoutInvite({ world, done, isOpen }: End): Promise<string[]> {
  const ends = done.filter(
    ({ name, by, to }) => (name === 'leave' && by === 'cleo') || (name === 'kick' && to === 'cleo'),
  );
  const firstEnd = Math.min(...ends.map(({ from }) => from));
  const mayReturn = done.some(
    ({ name, to, until }) => until >= firstEnd && ((name === 'send' && to === 'cleo') || name === 'join'),
  );
  if (ends.length === 0 || !isOpen || mayReturn) return [];
  const code = await codeOfJoin(world);
  return code === 'NOT_FOUND' ? [] : [`Cleo left or was kicked, and returns without an invite (${code})`];
}

/** Lets Cleo join. @returns the code of the refusal, or undefined if Cleo has joined */
async function codeOfJoin(world: World): Promise<string | undefined> {
  const cleo = world.rules('cleo');
  const code = await cleo.squads.join({ squadId: world.squadId }).then(
    () => undefined,
    (error: PlatformError) => error.code ?? String(error),
  );
  await cleo.dispose();
  return code;
}

/** The users' copies of the invites agree with the squad's journal, even if the users have not read them since. */
async function wrongCopies(world: World): Promise<string[]> {
  const found: string[] = [];
  const { invites, status } = await world.squad();
  if (status === 'ENDED' && invites.some((invite) => invite.status === 'PENDING'))
    found.push('an invite of an ended squad is PENDING');
  for (const name of world.names) {
    const user = await world.user(name);
    for (const copy of [...user.received, ...user.sent]) {
      const invite = invites.find(({ id }) => id === copy.id);
      if (!invite) found.push(`${name} has a copy of an invite that the squad does not have`);
      else if (copy.status !== invite.status)
        found.push(`${name}'s copy is ${copy.status}, the invite is ${invite.status}`);
    }
  }
  return found;
}
