import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Hub } from '../hub.ts';
import { isOlder, sliceAfter } from '../lists.ts';
import { settle } from '../squads/finish.ts';
import { users } from '../users/user.journal.ts';
import type { SquadWorkoutShape } from './history.shapes.ts';

const cursors = cursorsOf('squad-history', z.tuple([z.string(), z.string()]));

/** Past squad workouts: each user's are for herself. */
export class History {
  private readonly unit: UnitOfWork;
  private readonly hub: Hub;

  constructor(unit: UnitOfWork, hub: Hub) {
    this.unit = unit;
    this.hub = hub;
  }

  /** Newest first. @throws NOT_FOUND for another user's: it is private. */
  async of(userId: string, request: PageRequest): Promise<Page<SquadWorkoutShape>> {
    if (requireUser(this.unit.viewer).userId !== userId) throw notFound('squad history of user', userId);
    const after = cursors.read(request.cursor);
    const { journals } = this.hub;
    // Squads that ended while the service did, or that nobody came back to
    for (const squadId of (await journals.of(users).read(userId)).squads) await settle(journals, squadId);
    const newestFirst = (await journals.of(users).read(userId)).history.toSorted((one, other) =>
      isOlder(keysOf(one), keysOf(other)) ? 1 : -1,
    );
    return cursors.page(sliceAfter(newestFirst, after, keysOf, request), request, keysOf);
  }
}

const keysOf = (workout: SquadWorkoutShape): [string, string] => [workout.endedAt, workout.squadId];
