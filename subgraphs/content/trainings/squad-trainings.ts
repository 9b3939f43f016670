import { LockMode } from '@mikro-orm/core';
import { requireService } from '#server/auth/viewer.ts';
import { invalid } from '#server/errors.ts';
import { uuidv7 } from '#server/ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Exercises } from '../exercises/exercises.ts';
import { withUsableSets } from './entry-sets.ts';
import { computedOf } from './figures.ts';
import { SquadTrainingShape, type WrittenSquadTrainingShape } from './squad-trainings.shapes.ts';
import { storeFigures } from './training-figures.ts';
import { localDateOf, wholeMinutes } from './training-times.ts';
import { Training } from './training.entity.ts';

/** The trainings that the squad service writes for the participants of a squad. */
export class SquadTrainings {
  private readonly unit: UnitOfWork;
  private readonly exercises: Exercises;

  constructor(unit: UnitOfWork, exercises: Exercises) {
    this.unit = unit;
    this.exercises = exercises;
  }

  /**
   * Writes what a participant has done in a squad as their training. A user has one training for each squad: a repeated call
   * changes nothing, because every set has an id, and a later stay adds its sets. Sets that the training cannot have, such as
   * those of an exercise that was removed for good, are counted as ignored and do not stop the squad. Without usable sets there is no training.
   * @throws FORBIDDEN for others than services; CONFLICT if the account was deleted
   */
  async write(squadId: string, userId: string, input: unknown): Promise<WrittenSquadTrainingShape> {
    requireService(this.unit.viewer);
    const given = validated(SquadTrainingShape, input);
    const [startedAt, endedAt] = [new Date(given.startedAt), new Date(given.endedAt)];
    if (endedAt < startedAt)
      throw invalid('endedAt', `expected a time not before startedAt, ${given.startedAt}`);
    return this.unit.transaction(async () => {
      // An exercise that was deleted after the set was done stays usable.
      const used = new Set(given.sets.map(({ exerciseId }) => exerciseId));
      const modalities = await this.exercises.modalities(used, used);
      const before = await this.stored(squadId, userId);
      const { entries, changed, ignored } = withUsableSets(before?.entries ?? [], given.sets, modalities);
      if (!before && changed === 0) return { trainingId: null, ignoredSets: ignored };
      const times = {
        startedAt: before && before.startedAt < startedAt ? before.startedAt : startedAt,
        endedAt: before?.endedAt && before.endedAt > endedAt ? before.endedAt : endedAt,
      };
      const most = wholeMinutes(times.startedAt, times.endedAt);
      const fields = {
        ...times,
        minutes: Math.min(Math.max(before?.minutes ?? 0, given.minutes ?? most), most),
        localDate: localDateOf(times.startedAt, given.timezone ?? 'UTC'),
        entries,
        ...computedOf({ entries, endedAt: times.endedAt }),
      };
      if (before) {
        const isSame =
          changed === 0 &&
          before.minutes === fields.minutes &&
          before.startedAt.getTime() === fields.startedAt.getTime() &&
          before.endedAt?.getTime() === fields.endedAt.getTime();
        if (isSame) return { trainingId: before.id, ignoredSets: ignored };
        Object.assign(before, fields, { version: before.version + 1, updatedAt: new Date() });
      }
      const training =
        before ??
        this.unit.em.create(Training, {
          id: uuidv7(),
          userId,
          squadId,
          ...(await this.routineOf(given)),
          ...fields,
          version: 1,
        });
      await this.unit.em.flush();
      await storeFigures(this.unit, [training]);
      return { trainingId: training.id, ignoredSets: ignored };
    });
  }

  /**
   * The training of the user in the squad. The advisory lock makes the second of two simultaneous calls wait, also if there is
   * no row yet to lock; otherwise the unique index would refuse the second call.
   */
  private async stored(squadId: string, userId: string): Promise<Training | null> {
    await this.unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
      `squad-training:${squadId}:${userId}`,
    ]);
    return this.unit.em.findOne(
      Training,
      { squadId, userId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
  }

  /**
   * The title, by default that of the trained version, and the routine: null if it was removed for good with the account of
   * its owner.
   */
  private async routineOf({
    title = null,
    routineId,
    routineVersion = null,
  }: SquadTrainingShape): Promise<Pick<Training, 'title' | 'routineId' | 'routineVersion'>> {
    const [found] = routineId
      ? await this.unit.em.execute<{ id: string; title: string }[]>(
          `select routine.id, coalesce(trained.content->>'title', routine.title) as title from workout_routine as routine
           left join workout_routine_version as trained on trained.routine_id = routine.id and trained.version = ?::int
           where routine.id = ?`,
          [routineVersion, routineId],
        )
      : [];
    return found
      ? { title: title ?? found.title, routineId: found.id, routineVersion }
      : { title, routineId: null, routineVersion: null };
  }
}
