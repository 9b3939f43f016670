import { wrap } from '@mikro-orm/core';
import { columnsOf, presented } from '#server/database/columns.ts';
import { requireUser } from '#server/auth/viewer.ts';
import { invalid, notFound } from '#server/errors.ts';
import { loaderOf } from '#server/loaders.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { Removals } from '#server/references/removals.ts';
import { MAX_INTEGER } from '#server/shapes.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields, validated } from '#server/validate.ts';
import {
  changedOwnership,
  mayUse,
  ofStaff,
  ownershipOf,
  requireFewerThanMaximum,
  visibilityOf,
  type Ownership,
} from './ownership.ts';
import { ContentTable, contentTable, countUp } from '../content-table.ts';
import type { Exercises } from '../exercises/exercises.ts';
import type { ExerciseShape } from '../exercises/exercises.shapes.ts';
import { ownedConditions, type Order } from '../listing.ts';
import { withPublicImage, type Media } from '../media/media.ts';
import type { Owners } from '../owners.ts';
import type { TextSearches } from '../search/text-search.ts';
import type { SquadRoutines } from './squad-routines.ts';
import { equipmentOf, exerciseIdsOf, musclesOf } from './used-exercises.ts';
import { estimatedMinutes, setErrors } from './set-fields.ts';
import { WorkoutRoutine, WorkoutRoutineVersion } from './workout-routine.entity.ts';
import {
  CopyWorkoutShape,
  CreateWorkoutShape,
  StoredVersionShape,
  UpdateWorkoutShape,
  WorkoutRoutineShape,
  WorkoutVersionShape,
  type Block,
  type NewWorkout,
  type WorkoutFilter,
} from './workouts.shapes.ts';

const ORDERS = {
  title: { name: 'title', key: 'lower(title)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
  duration: { name: 'duration', key: 'duration_minutes', type: 'bigint' },
} as const satisfies Record<string, Order>;

const VERSION_COLUMNS = columnsOf(WorkoutVersionShape, { title: "content->>'title'" });
const MAX_VERSIONS = 200;
/** The fields that are columns. */
const STORED = WorkoutRoutineShape.omit({ visibility: true });

interface WorkoutsOptions {
  searches: TextSearches;
  media: Media;
  owners: Owners;
  removals: Removals;
  squadRoutines: SquadRoutines;
}

const TABLE = contentTable({
  what: 'workout routine',
  table: 'workout_routine',
  entity: WorkoutRoutine,
  shape: WorkoutRoutineShape,
  expressions: {
    visibility: `case when is_private then 'PRIVATE' when gym_id is null then 'PUBLIC' else 'GYM' end`,
  },
  isOwned: true,
});

/** The select list of routines. */
export const WORKOUT_COLUMNS = TABLE.columns;

/** Workout routines: global ones, those of gyms, and users' own. Every change stores a version that stays readable. */
export class Workouts {
  private readonly unit: UnitOfWork;
  private readonly exercises: Exercises;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly removals: Removals;
  private readonly squadRoutines: SquadRoutines;
  private readonly table;
  private readonly byVersion = loaderOf<{ key: string; content: StoredVersionShape }>(
    (keys) =>
      this.unit.em.execute(
        `select routine_id || ':' || version as key, content from workout_routine_version where routine_id || ':' || version in (?) and routine_id in (?)`,
        [[...keys], keys.map((key) => key.slice(0, 36))],
      ),
    (row) => row.key,
  );

  constructor(
    unit: UnitOfWork,
    exercises: Exercises,
    { searches, media, owners, removals, squadRoutines }: WorkoutsOptions,
  ) {
    this.unit = unit;
    this.exercises = exercises;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.removals = removals;
    this.squadRoutines = squadRoutines;
    this.table = new ContentTable(unit, TABLE);
  }

  /** The routines by title, or the best match first if there is a search. For an unknown value of a filter the list is empty. */
  async list(filter: WorkoutFilter, request: PageRequest): Promise<Page<WorkoutRoutineShape>> {
    const conditions = ownedConditions(this.unit, filter)
      .when(filter.muscle, 'target_muscles @> ?::jsonb', (muscle) => [JSON.stringify([muscle.toLowerCase()])])
      .when(filter.equipment, 'equipment @> ?::jsonb', (equipment) => [
        JSON.stringify([equipment.toLowerCase()]),
      ])
      .when(filter.difficulty, 'lower(difficulty) = lower(?)')
      .when(filter.category, 'lower(category) = lower(?)')
      .when(filter.exerciseId, 'exercises @> ?::jsonb', (exerciseId) => [
        JSON.stringify([{ entries: [{ exerciseId }] }]),
      ])
      .when(filter.maxMinutes, 'duration_minutes <= ?::bigint');
    if (filter.favourite)
      conditions.add(
        'workout_routine.id in (select routine_id from workout_favourite where user_id = ?)',
        requireUser(this.unit.viewer).userId,
      );
    const search = await this.searches.of('workout_routine', filter.search);
    const orders = { wanted: filter.sort && ORDERS[filter.sort], fallback: ORDERS.title };
    return mapPage(await this.table.page(conditions, search, orders, request), (row) => this.shown(row));
  }

  /**
   * The current version, or the given one, also after the routine was deleted: past squads and trainings refer to the
   * version that they used. @throws NOT_FOUND also for a routine of another gym
   */
  async get(id: string, version?: number | null): Promise<WorkoutRoutineShape> {
    const routine = await this.find(id, version);
    if (!routine)
      throw notFound(version ? `version ${version} of the workout routine` : 'workout routine', id);
    return routine;
  }

  /** The same as `get`, but null instead of an error. Batched. */
  async find(id: string, version?: number | null): Promise<WorkoutRoutineShape | null> {
    const found = (await this.table.find(id)) ?? (await this.trained(id, version));
    if (!found) return null;
    const { row: current, isDeleted } = found;
    if (!version || version === current.version) return isDeleted && !version ? null : this.shown(current);
    const older = await this.byVersion.load(`${current.id}:${version}`);
    const { visibility, ownerId, gymId } = current; // the current values decide who sees an older version
    return older && this.shown({ ...older.content, visibility, ownerId, gymId });
  }

  /** The private routine of another user, if an open squad trains this version with the viewer; see `SquadRoutines`. */
  private async trained(id: string, version: number | null | undefined) {
    const found = version ? await this.table.load(id) : null;
    return version && found?.content.isPrivate && (await this.squadRoutines.trains(id, version))
      ? found
      : null;
  }

  /** The version of a routine with the id `<routine id>:<version>`; null if there is none that the viewer may see. */
  async findVersion(versionId: string): Promise<WorkoutRoutineShape | null> {
    const [id = '', version = ''] = versionId.split(':');
    const isVersion = /^[1-9]\d{0,9}$/.test(version) && Number(version) <= MAX_INTEGER;
    return isVersion ? this.find(id, Number(version)) : null;
  }

  /** The versions of a routine, the latest first, also of a deleted routine. @throws NOT_FOUND also for a routine of another gym */
  async versions(id: string): Promise<WorkoutVersionShape[]> {
    if (!(await this.table.find(id))) throw notFound('workout routine', id);
    return this.unit.em.execute(
      `select ${VERSION_COLUMNS} from workout_routine_version where routine_id = ? order by version desc limit ${MAX_VERSIONS}`,
      [id],
    );
  }

  /** The exercises of a routine, each once, in the order of its blocks; batched over routines. */
  async exercisesOf({ exercises }: Pick<WorkoutRoutineShape, 'exercises'>): Promise<ExerciseShape[]> {
    return this.exercises.findMany(exerciseIdsOf(exercises));
  }

  /**
   * A member adds a private routine, or one for their gym; a GYM_ADMIN one for their gym, or a private one; only a SUPER_ADMIN
   * adds a global one. See `ownershipOf`.
   */
  async create(input: unknown): Promise<WorkoutRoutineShape> {
    const { gymId, visibility, ...fields } = validated(CreateWorkoutShape, input);
    const owned = ownershipOf(this.unit.viewer, { gymId, visibility });
    await this.exercises.decidePrivate(exerciseIdsOf(fields.exercises), async () => []);
    if (owned) return this.unit.transaction(() => this.add(fields, owned));
    return this.owners.withOwner(gymId, (owner) => this.add(fields, ofStaff(owner)));
  }

  /** A private copy of a routine that the caller may see. Later changes of the original do not change it. */
  async copy(id: string, input: unknown): Promise<WorkoutRoutineShape> {
    const { userId } = requireUser(this.unit.viewer);
    const { title } = validated(CopyWorkoutShape, input ?? {});
    const original = await this.get(id);
    return this.unit.transaction(() =>
      this.add(
        { ...original, title: title ?? original.title },
        { gymId: null, ownerId: userId, isPrivate: true },
        true,
      ),
    );
  }

  /** @param isCopy whether the blocks are those of a routine that exists: they were checked when that one was written */
  private async add(fields: NewWorkout, ownership: Ownership, isCopy = false): Promise<WorkoutRoutineShape> {
    const { title, difficulty, category, exercises, description, targetMuscles, durationMinutes } = fields;
    if (ownership.ownerId) await requireFewerThanMaximum(this.unit, ownership.ownerId);
    const ids = exerciseIdsOf(exercises);
    const used = isCopy
      ? await this.exercises.lockMany(ids, new Set(ids))
      : await this.usedExercises(exercises, ownership);
    const routine = this.unit.em.create(WorkoutRoutine, {
      title,
      difficulty,
      category,
      exercises,
      description: description ?? null,
      ...ownership,
      targetMuscles: targetMuscles ?? musclesOf(used),
      equipment: equipmentOf(used),
      durationMinutes: durationMinutes ?? estimatedMinutes(exercises),
      version: 1,
    });
    await this.unit.em.flush();
    this.storeVersion(routine);
    return this.present(routine);
  }

  /**
   * Changes a routine. Absent fields are unchanged.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<WorkoutRoutineShape> {
    const { version, visibility, ...change } = validated(UpdateWorkoutShape, input);
    if (change.exercises)
      await this.exercises.decidePrivate(exerciseIdsOf(change.exercises), async () =>
        exerciseIdsOf((await this.table.load(id))?.row.exercises ?? []),
      );
    return this.change(id, expectedVersion ?? version ?? undefined, async (routine) => {
      const isMoved = Boolean(visibility) && visibility !== visibilityOf(routine);
      if (visibility && isMoved) {
        // The gym can no longer list it. The version makes the report unique, because the routine can be hidden again.
        if (routine.gymId) await this.removals.report(this.unit, 'HiddenWorkoutRoutine', id, routine.version);
        Object.assign(routine, changedOwnership(this.unit.viewer, routine, visibility));
        if (!change.exercises && !routine.isPrivate)
          await this.usedExercises(routine.exercises, routine, routine.exercises, isMoved);
      }
      if (change.exercises) {
        const used = await this.usedExercises(change.exercises, routine, routine.exercises, isMoved);
        routine.equipment = equipmentOf(used);
        routine.durationMinutes = estimatedMinutes(change.exercises);
      }
      wrap(routine).assign(change, { ignoreUndefined: true });
    });
  }

  /** Deletes a routine: lists, and the programmes of gyms, no longer contain it; its versions stay readable. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const routine = await this.table.lock(id, expectedVersion);
      // The version does not change, because no content is stored for a new one.
      routine.deletedAt = new Date();
      await this.removals.report(this.unit, 'WorkoutRoutine', id);
    });
  }

  async setImage(id: string, picture: Buffer | undefined): Promise<WorkoutRoutineShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    await this.table.requirePicture(id);
    const image = await this.media.store(picture);
    return this.change(id, undefined, (routine) => {
      routine.image = image;
    });
  }

  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (routine: WorkoutRoutine) => void | Promise<void>,
  ): Promise<WorkoutRoutineShape> {
    this.table.requireAuthor();
    return this.unit.transaction(async () => {
      const routine = await this.table.lock(id, expectedVersion);
      await apply(routine);
      countUp(routine);
      this.storeVersion(routine);
      return this.present(routine);
    });
  }

  private storeVersion(routine: WorkoutRoutine): void {
    this.unit.em.persist(
      this.unit.em.create(WorkoutRoutineVersion, {
        routineId: routine.id,
        version: routine.version,
        content: presented(StoredVersionShape, this.fieldsOf(routine)),
      }),
    );
  }

  /**
   * @param before the blocks that the routine has already: their exercises may stay if they are deleted, or if the viewer may
   * no longer see them
   * @param isMoved whether others than before will see the routine; they must see its exercises
   * @throws VALIDATION_FAILED with every set that its exercise does not allow
   */
  private async usedExercises(
    blocks: readonly Block[],
    routine: Pick<WorkoutRoutine, 'gymId' | 'isPrivate'>,
    before: readonly Block[] = [],
    isMoved = false,
  ): Promise<ExerciseShape[]> {
    const kept = new Set(exerciseIdsOf(before));
    const found = await this.exercises.lockMany(exerciseIdsOf(blocks), kept);
    const usable = found.filter(
      (exercise) => mayUse(routine, exercise) || (!isMoved && kept.has(exercise.id)),
    );
    const modalities = new Map(usable.map((exercise) => [exercise.id, exercise.modality]));
    const errors = setErrors(blocks, (id) => modalities.get(id));
    if (errors.length > 0) throw invalidFields(errors);
    return usable;
  }

  private present(routine: WorkoutRoutine): WorkoutRoutineShape {
    return this.shown(this.fieldsOf(routine));
  }

  private fieldsOf(routine: WorkoutRoutine): WorkoutRoutineShape {
    return { ...presented(STORED, routine), visibility: visibilityOf(routine) };
  }

  private shown(row: WorkoutRoutineShape): WorkoutRoutineShape {
    return withPublicImage(this.unit, row);
  }
}
