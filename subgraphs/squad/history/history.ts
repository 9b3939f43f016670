import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { isOlder, sliceAfter } from '../lists.ts';
import { recordLeaving } from '../squads/finish.ts';
import type { Upkeep } from '../squads/upkeep.ts';
import { hiddenFrom, users } from '../users/user.journal.ts';
import type { SquadWorkoutShape, StoredWorkout } from './history.shapes.ts';

const cursors = cursorsOf('squad-history', z.tuple([z.string(), z.string()]));

/** Past squad workouts. Each user sees their own only. */
export class History {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;
  private readonly upkeep: Upkeep;

  constructor(unit: UnitOfWork, hub: Hub, upkeep: Upkeep) {
    this.unit = unit;
    this.hub = hub;
    this.upkeep = upkeep;
  }

  /** Newest first. @throws NOT_FOUND for another user's history, which is private. */
  async of(userId: string, request: PageRequest): Promise<Page<SquadWorkoutShape>> {
    if (requireUser(this.unit.viewer).userId !== userId) throw notFound('squad history of user', userId);
    const after = cursors.read(request.cursor);
    const { journals } = this.hub;
    // Ends squads whose time is over, and writes rows that are missing after a crash.
    for (const squadId of (await journals.of(users).read(userId)).squads) {
      const squad = await this.upkeep.settled(squadId);
      if (squad.status !== 'NONE') await recordLeaving(journals, squad, userId);
    }
    const user = await journals.of(users).read(userId);
    const hidden = hiddenFrom(user);
    const newestFirst = user.history
      .map((workout) => presentWorkout(workout, hidden))
      .toSorted((one, other) => (isOlder(keysOf(one), keysOf(other)) ? 1 : -1));
    return cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf);
  }
}

function presentWorkout(
  { revision: _unused, participantIds, ...workout }: StoredWorkout,
  hidden: ReadonlySet<string>,
): SquadWorkoutShape {
  return {
    ...workout,
    // Rows that the previous version has stored do not have these two fields.
    routineVersion: workout.routineVersion ?? null,
    trainingId: workout.trainingId ?? null,
    participantIds: participantIds.map((id) => (hidden.has(id) ? null : id)),
  };
}

const keysOf = (workout: SquadWorkoutShape): [string, string] => [workout.endedAt, workout.squadId];
