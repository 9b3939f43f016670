import { isDeepStrictEqual } from 'node:util';
import { requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { lockedForChange } from '#server/database/versioned.ts';
import { invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Exercises } from '../exercises/exercises.ts';
import type { Workouts } from '../workouts/workouts.ts';
import {
  checkEntries,
  copiedEntries,
  findSet,
  isNear,
  movedEntries,
  storedEntries,
  storedSet,
  withSet,
} from './entry-sets.ts';
import { computedOf } from './figures.ts';
import { recordChangedTrainings } from './training-changes.ts';
import { storeFigures } from './training-figures.ts';
import { TRAINING_COLUMNS } from './training-pages.ts';
import { changedTimes, checkedTimes, daysBetween, localDateOf } from './training-times.ts';
import { Training, type TrainingEntry } from './training.entity.ts';
import {
  CopyTrainingShape,
  LogTrainingShape,
  PutSetIdShape,
  PutSetShape,
  TrainingShape,
  UpdateTrainingShape,
} from './trainings.shapes.ts';

/** The trainings of users. Users read and write only their own; a training of another user is NOT_FOUND, also for staff. */
export class Trainings {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly exercises: Exercises;
  private readonly workouts: Workouts;
  private readonly byId = loaderOf<TrainingShape>(
    (ids) => this.unit.read(`select ${TRAINING_COLUMNS} from training where id = any(?::uuid[])`, [ids]),
    (training) => training.id,
  );

  constructor(unit: UnitOfWork, profiles: Profiles, exercises: Exercises, workouts: Workouts) {
    this.unit = unit;
    this.profiles = profiles;
    this.exercises = exercises;
    this.workouts = workouts;
  }

  /** @throws NOT_FOUND also for a training of another user */
  async get(id: string): Promise<TrainingShape> {
    const { userId } = requireUser(this.unit.viewer);
    const training = isUuid(id) ? await this.byId.load(id) : null;
    if (!training || training.userId !== userId) throw notFound('training', id);
    return training;
  }

  /** Writes a training of the caller: a whole one, or one that is running (without `endedAt`). */
  async log(input: unknown): Promise<TrainingShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { timezone, ...given } = validated(LogTrainingShape, input);
    // Profiles are read before the transaction: identity may be asked for them, and no transaction should wait for a service.
    const zone = timezone ?? (await this.zone());
    const times = checkedTimes(
      given.startedAt ? new Date(given.startedAt) : new Date(),
      given.endedAt ? new Date(given.endedAt) : null,
      given.minutes,
    );
    const routine = await this.routineOf(given.routineId, given.routineVersion);
    const entries = storedEntries(given.entries);
    await this.exercises.decidePrivate(exerciseIdsOf(entries), async () => []);
    return this.unit.transaction(async () => {
      await this.check(entries, [], times.startedAt);
      return this.store({
        userId,
        ...times,
        title: given.title ?? routine?.title ?? null,
        routineId: routine?.id ?? null,
        routineVersion: routine?.version ?? null,
        localDate: localDateOf(times.startedAt, zone),
        note: given.note ?? null,
        entries,
      });
    });
  }

  /**
   * Changes a training. Absent fields are unchanged; `entries` replaces all entries.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<TrainingShape> {
    const { version, timezone, ...change } = validated(UpdateTrainingShape, input);
    const isMoved = change.startedAt !== undefined || Boolean(timezone);
    const zone = isMoved ? (timezone ?? (await this.zone())) : undefined;
    const routine = await this.routineOf(change.routineId, change.routineVersion);
    if (change.entries) await this.decidePrivate(id, exerciseIdsOf(change.entries));
    return this.change(id, expectedVersion ?? version ?? undefined, async (training) => {
      const { startedAt, endedAt = null, minutes = null } = training;
      Object.assign(training, changedTimes({ startedAt, endedAt, minutes }, change));
      if (change.title !== undefined) training.title = change.title;
      if (change.note !== undefined) training.note = change.note;
      if (change.routineId !== undefined) {
        training.routineId = routine?.id ?? null;
        training.routineVersion = routine?.version ?? null;
      }
      if (zone) training.localDate = localDateOf(training.startedAt, zone);
      const entries = change.entries
        ? storedEntries(change.entries)
        : movedEntries(training.entries, zone ? daysBetween(startedAt, training.startedAt, zone) : 0);
      await this.check(entries, training.entries, training.startedAt);
      training.entries = entries;
      return true;
    });
  }

  /**
   * Writes one set, while the user trains or later. The client chooses the id of the set: a device that got no answer sends
   * the set again, and a repeated request changes nothing. By default `completedAt` of a stored set is unchanged. That of a new
   * set is the server's time, or null if the training began too long ago. The default also replaces a time in the future, which
   * comes from a wrong clock.
   */
  async putSet(id: string, setId: string, input: unknown, expectedVersion?: number): Promise<TrainingShape> {
    validated(PutSetIdShape, { setId });
    const { exerciseId: given, completedAt, ...measures } = validated(PutSetShape, input);
    if (given) await this.decidePrivate(id, [given]);
    return this.change(id, expectedVersion, async (training) => {
      const before = findSet(training.entries, setId);
      const exerciseId = given ?? before?.exerciseId;
      if (!exerciseId) throw invalid('exerciseId', 'expected the exercise of the new set');
      const now = new Date().toISOString();
      const byDefault = before ? before.set.completedAt : isNear(now, training.startedAt) ? now : null;
      const set = storedSet({ ...measures, id: setId, completedAt }, { completedAt: byDefault });
      if (set.completedAt !== null && set.completedAt > now) set.completedAt = byDefault;
      if (isDeepStrictEqual(before, { exerciseId, set })) return false;
      const entries = withSet(training.entries, exerciseId, set);
      await this.check(entries, training.entries, training.startedAt, true);
      training.entries = entries;
      return true;
    });
  }

  /** @throws NOT_FOUND also for a training of another user, or one that was deleted */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const training = await this.locked(id, expectedVersion);
      await this.unit.em.remove(training).flush();
      if (training.endedAt) await recordChangedTrainings(this.unit, [training.userId]);
    });
    this.byId.clear(id);
  }

  /** Writes a copy of a training, with the same sets. The copy begins at `startedAt` of the input; by default, it ends now. */
  async copy(id: string, input: unknown): Promise<TrainingShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { startedAt: wanted, timezone } = validated(CopyTrainingShape, input ?? {});
    const original = await this.get(id);
    const zone = timezone ?? (await this.zone());
    const began = Date.parse(original.startedAt);
    const lasted = original.endedAt ? Date.parse(original.endedAt) - began : null;
    const startedAt = wanted ? new Date(wanted) : new Date(Date.now() - (lasted ?? 0));
    return this.unit.transaction(() =>
      this.store({
        userId,
        ...checkedTimes(
          startedAt,
          lasted === null ? null : new Date(startedAt.getTime() + lasted),
          original.minutes,
        ),
        title: original.title,
        routineId: original.routineId,
        routineVersion: original.routineVersion,
        localDate: localDateOf(startedAt, zone),
        note: null,
        entries: copiedEntries(original.entries, startedAt.getTime() - began),
      }),
    );
  }

  private async store(
    fields: Pick<
      Training,
      | 'userId'
      | 'startedAt'
      | 'endedAt'
      | 'minutes'
      | 'title'
      | 'routineId'
      | 'routineVersion'
      | 'localDate'
      | 'note'
      | 'entries'
    >,
  ): Promise<TrainingShape> {
    const training = this.unit.em.create(Training, {
      id: uuidv7(),
      ...fields,
      ...computedOf(fields),
      version: 1,
    });
    await this.unit.em.flush();
    await storeFigures(this.unit, [training]);
    return presented(TrainingShape, training);
  }

  /** @param apply returns whether it has changed anything */
  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (training: Training) => Promise<boolean>,
  ): Promise<TrainingShape> {
    const changed = await this.unit.transaction(async () => {
      const training = await this.locked(id, expectedVersion);
      const hadEnded = Boolean(training.endedAt);
      if (await apply(training)) {
        Object.assign(training, computedOf(training));
        training.version += 1;
        training.updatedAt = new Date();
        await this.unit.em.flush();
        await storeFigures(this.unit, [training]);
        if (hadEnded && !training.endedAt) await recordChangedTrainings(this.unit, [training.userId]);
      }
      return presented(TrainingShape, training);
    });
    this.byId.clear(id);
    return changed;
  }

  private locked(id: string, expectedVersion: number | undefined): Promise<Training> {
    const { userId } = requireUser(this.unit.viewer);
    return lockedForChange(this.unit, Training, {
      what: 'training',
      id,
      expectedVersion,
      decide: (training) => {
        if (training.userId !== userId) throw notFound('training', id);
      },
    });
  }

  /** Decides before the transaction of a change which private exercises the training may get. */
  private async decidePrivate(id: string, exerciseIds: readonly string[]): Promise<void> {
    await this.exercises.decidePrivate(exerciseIds, async () =>
      exerciseIdsOf((isUuid(id) ? await this.byId.load(id) : null)?.entries ?? []),
    );
  }

  private async check(
    entries: readonly TrainingEntry[],
    before: readonly TrainingEntry[],
    startedAt: Date,
    isOneSet = false,
  ): Promise<void> {
    const modalities = await this.exercises.modalities(
      exerciseIdsOf(entries),
      new Set(exerciseIdsOf(before)),
    );
    checkEntries(entries, before, startedAt, (exerciseId) => modalities.get(exerciseId), isOneSet);
  }

  /** The version of the routine that the input names; null if it names none. @throws VALIDATION_FAILED for one that the viewer may not see */
  private async routineOf(
    routineId: string | null | undefined,
    version: number | null | undefined,
  ): Promise<{ id: string; version: number; title: string } | null> {
    if (!routineId) {
      if (version) throw invalid('routineVersion', 'expected no version without routineId');
      return null;
    }
    const routine = await this.workouts.find(routineId, version);
    if (!routine)
      throw invalid(
        version ? 'routineVersion' : 'routineId',
        `there is no ${version ? `version ${version} of the` : ''} routine "${routineId}" that you may see`,
      );
    return { id: routine.id, version: routine.version, title: routine.title };
  }

  private async zone(): Promise<string> {
    return (await this.profiles.of(this.unit)).timezone;
  }
}

const exerciseIdsOf = (entries: readonly Pick<TrainingEntry, 'exerciseId'>[]): string[] =>
  entries.map(({ exerciseId }) => exerciseId);
