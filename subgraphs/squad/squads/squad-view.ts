import { eventsSince, type SquadState } from './squad.journal.ts';
import type { SquadEventShape, SquadShape } from './squads.shapes.ts';

/** Where a returning client goes on. */
export interface Replay {
  session: SquadShape;
  /** What has happened after the revision that was asked from, in order. */
  missed: SquadEventShape[];
  /** False where some of it is no longer kept: `session` is the whole truth. */
  complete: boolean;
}

export const replayOf = (squad: SquadState, fromRevision: number | null | undefined): Replay => {
  const missed = typeof fromRevision === 'number' ? eventsSince(squad, fromRevision) : [];
  return { session: present(squad), missed: missed ?? [], complete: missed !== undefined };
};

/** As those see it who may. */
export const present = ({
  id,
  gymId,
  hostId,
  routineId,
  routineVersion,
  status,
  revision,
  participants,
  createdAt,
  startedAt,
  pausedAt,
  endedAt,
}: SquadState): SquadShape => ({
  id,
  gymId,
  hostId,
  routineId,
  routineVersion,
  status,
  revision,
  participants: [...participants],
  createdAt,
  startedAt,
  pausedAt,
  endedAt,
});
