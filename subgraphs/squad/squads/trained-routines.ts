import { requireService } from '#server/auth/viewer.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { users, type UserRecord } from '../users/user.journal.ts';
import { sightOf } from '../presence/visibility.ts';
import { isInvited } from './squad-invites.ts';
import { meetsHidden, takesPart } from './squad-rights.ts';
import type { TrainedRoutineShape } from './trained-routines.shapes.ts';
import type { Upkeep } from './upkeep.ts';

/** The maximum number of accepted invites, the latest ones, whose squads are read. A user who has joined needs no invite. */
const MAX_ACCEPTED = 20;

/**
 * The routines of open squads. A user who takes part in a squad, or may enter it, may read its routine at the content
 * service, also if the routine is private.
 */
export class TrainedRoutines {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly upkeep: Upkeep;

  constructor(unit: UnitOfWork, hub: Hub, upkeep: Upkeep) {
    this.unit = unit;
    this.hub = hub;
    this.upkeep = upkeep;
  }

  /** The versions of routines in the open squads of a user, and in those to which they are invited. For services. */
  async of(userId: string): Promise<TrainedRoutineShape[]> {
    requireService(this.unit.viewer);
    const user = await this.hub.journals.of(users).read(userId);
    const sight = sightOf(user);
    const trained = new Map<string, TrainedRoutineShape>();
    for (const squadId of squadsOf(user)) {
      const squad = await this.upkeep.settled(squadId);
      if (squad.status === 'NONE' || squad.status === 'ENDED') continue;
      const { routineId, routineVersion: version } = squad;
      if (routineId === null || version === null) continue;
      if (takesPart(squad, userId) || (isInvited(squad, userId) && !meetsHidden(squad, sight)))
        trained.set(`${routineId}:${version}`, { routineId, version });
    }
    return [...trained.values()];
  }
}

/** Squads that the user has perhaps entered or may enter, by the user's journal. The journals of the squads decide. */
function squadsOf({ squads, received }: UserRecord): Set<string> {
  const now = Date.now();
  const pending = received.filter(
    ({ status, expiresAt }) => status === 'PENDING' && Date.parse(expiresAt) > now,
  );
  const accepted = received.filter(({ status }) => status === 'ACCEPTED').slice(-MAX_ACCEPTED);
  return new Set([...squads, ...[...pending, ...accepted].map(({ squadId }) => squadId)]);
}
