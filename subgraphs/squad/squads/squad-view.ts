import { eventsSince, type SquadState } from './squad.journal.ts';
import type { SquadEventShape, SquadShape } from './squads.shapes.ts';

/** A session, and the events that a client has missed. */
export interface Replay {
  session: SquadShape;
  /** The events after the requested revision, in order. */
  missed: SquadEventShape[];
  /** False if some of the events are no longer kept: then the client takes its state from `session`. */
  complete: boolean;
}

export const replayOf = (squad: SquadState, fromRevision: number | null | undefined): Replay => {
  const missed = typeof fromRevision === 'number' ? eventsSince(squad, fromRevision) : [];
  return { session: present(squad), missed: missed ?? [], complete: missed !== undefined };
};

/** The squad as its participants see it. */
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
 * The reference to the version of a routine; the content service keeps versions, also of deleted routines. The
 * reference has no `id`: if it had one, the gateway would ask content by the `id`, and get the newest version.
 */
export const routineOf = (routineId: string | null, version: number | null): { versionId: string } | null =>
  routineId && version !== null ? { versionId: `${routineId}:${version}` } : null;
