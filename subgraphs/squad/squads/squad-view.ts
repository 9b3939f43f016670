import { eventsSince, type SquadState } from './squad.journal.ts';
import type { SquadEventShape, SquadShape } from './squads.shapes.ts';

/** What a client needs that returns. */
export interface Replay {
  session: SquadShape;
  /** What has happened after the revision that was asked from, in order. */
  missed: SquadEventShape[];
  /** False if some of it is no longer kept: `session` is the whole truth. */
  complete: boolean;
}

export const replayOf = (squad: SquadState, fromRevision: number | null | undefined): Replay => {
  const missed = typeof fromRevision === 'number' ? eventsSince(squad, fromRevision) : [];
  return { session: present(squad), missed: missed ?? [], complete: missed !== undefined };
};

/** As its participants see it. */
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

/**
 * The version of a routine that was trained, as the graph refers to it: content keeps versions, also of deleted routines.
 * Only `versionId` says which one. Beside an `id` the gateway would ask content by that alone, for the newest version.
 */
export const routineOf = (routineId: string | null, version: number | null): { versionId: string } | null =>
  routineId && version !== null ? { versionId: `${routineId}:${version}` } : null;
