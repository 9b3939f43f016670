import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { notFound } from '#server/errors.ts';
import { cursorsOf, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { SquadWorkoutShape } from './history.shapes.ts';

const cursors = cursorsOf('squad-history', z.tuple([z.string(), z.string()]));

/** Past squad workouts: each user's are for herself. */
export class History {
  private readonly unit: UnitOfWork;

  constructor(unit: UnitOfWork) {
    this.unit = unit;
  }

  /** Newest first. @throws NOT_FOUND for another user's: it is private. */
  async of(userId: string, request: PageRequest): Promise<Page<SquadWorkoutShape>> {
    if (requireUser(this.unit.viewer).userId !== userId) throw notFound('squad history of user', userId);
    cursors.read(request.cursor);
    return cursors.page([], request, (workout: SquadWorkoutShape) => [workout.endedAt, workout.squadId]);
  }
}
