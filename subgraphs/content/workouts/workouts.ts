import { LockMode } from '@mikro-orm/core';
import { requireRole, Role } from '#server/auth/viewer.ts';
import { invalid, notFound, PlatformError, versionConflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { MAX_INTEGER } from '#server/shapes.ts';
import { validated } from '#server/validate.ts';
import type { Removals } from '#server/references/removals.ts';
import { requireWriter, sees } from '../access.ts';
import type { Owners } from '../owners.ts';
import type { Exercises } from '../exercises/exercises.ts';
import type { ExerciseShape } from '../exercises/exercises.shapes.ts';
import { pageOfRows, shown, visibleConditions, type Order } from '../listing.ts';
import { withPublicImage, type Media } from '../media/media.ts';
import type { TextSearches } from '../search/text-search.ts';
import { estimatedMinutes, setErrors } from './set-fields.ts';
import { WorkoutRoutine, WorkoutRoutineVersion } from './workout-routine.entity.ts';
import {
  CreateWorkoutShape,
  UpdateWorkoutShape,
  type Block,
  type WorkoutFilter,
  type WorkoutRoutineShape,
  type WorkoutVersionShape,
} from './workouts.shapes.ts';

const time = (column: string, as: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${as}"`;
const COLUMNS = `id, title, description, difficulty, category, target_muscles as "targetMuscles", equipment, exercises, image, duration_minutes as "durationMinutes", gym_id as "gymId", version, ${time('created_at', 'createdAt')}, ${time('updated_at', 'updatedAt')}`;

const ORDERS = {
  title: { name: 'title', key: 'lower(title)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
  duration: { name: 'duration', key: 'duration_minutes', type: 'bigint' },
} as const satisfies Record<string, Order>;

type RoutineRow = WorkoutRoutineShape & { deleted?: boolean };

export interface WorkoutsOptions {
  searches: TextSearches;
  media: Media;
  owners: Owners;
  removals: Removals;
}

/** Workout routines: what everybody may train by, and what a gym made for its own people. Every write makes a version that stays. */
export class Workouts {
  private readonly unit: UnitOfWork;
  private readonly exercises: Exercises;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly removals: Removals;
  private readonly byId = loaderOf<RoutineRow>(
    async (ids) => {
      const rows = await this.unit.em.execute<RoutineRow[]>(
        `select ${COLUMNS}, deleted_at is not null as deleted from workout_routine where id in (?)`,
        [[...ids]],
      );
      return rows.map((row) => withPublicImage(this.unit, row));
    },
    (routine) => routine.id,
  );
  private readonly byVersion = loaderOf<{ key: string; content: WorkoutRoutineShape }>(
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
    { searches, media, owners, removals }: WorkoutsOptions,
  ) {
    this.unit = unit;
    this.exercises = exercises;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.removals = removals;
  }

  /** By title, or best match first where there is a search. An unknown category is an empty list. */
  async list(filter: WorkoutFilter, request: PageRequest): Promise<Page<WorkoutRoutineShape>> {
    const conditions = visibleConditions(this.unit, filter.gymId)
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
    const search = await this.searches.of('workout_routine', filter.search);
    if (search) conditions.add(search.condition, ...search.params);
    const order = filter.sort ? ORDERS[filter.sort] : (search?.order ?? ORDERS.title);
    const page = await pageOfRows<WorkoutRoutineShape>(
      this.unit,
      { table: 'workout_routine', columns: COLUMNS, conditions, order },
      request,
    );
    return mapPage(page, (row) => withPublicImage(this.unit, row));
  }

  /**
   * As it is now, or as it was at `version`, also after it was deleted: a past session keeps the version that it used.
   * @throws NOT_FOUND also for another gym's.
   */
  async get(id: string, version?: number | null): Promise<WorkoutRoutineShape> {
    const routine = await this.find(id, version);
    if (!routine) throw notFound('workout routine', version ? `${id}" of version "${version}` : id);
    return routine;
  }

  /** As `get`, batched; null where there is none. */
  async find(id: string, version?: number | null): Promise<WorkoutRoutineShape | null> {
    const current = await this.kept(id);
    if (!current) return null;
    if (version !== undefined && version !== null && version !== current.version)
      return this.shownContent((await this.byVersion.load(`${current.id}:${version}`))?.content);
    return current.deleted && !version ? null : shown(current);
  }

  /** The routine as it is now, also if it was deleted, because its versions stay; null if there is none to be seen. */
  private async kept(id: string): Promise<RoutineRow | null> {
    const routine = isUuid(id) ? await this.byId.load(id.toLowerCase()) : null;
    return routine && sees(this.unit.viewer, routine.gymId) ? routine : null;
  }

  /** As `find`, by `<id>:<version>`. */
  async findVersion(versionId: string): Promise<WorkoutRoutineShape | null> {
    const [id = '', version = ''] = versionId.split(':');
    const isVersion = /^[1-9]\d{0,9}$/.test(version) && Number(version) <= MAX_INTEGER;
    return isVersion ? this.find(id, Number(version)) : null;
  }

  private shownContent(content: WorkoutRoutineShape | undefined): WorkoutRoutineShape | null {
    return content ? withPublicImage(this.unit, content) : null;
  }

  /** Newest first, also after the routine was deleted. @throws NOT_FOUND also for another gym's. */
  async versions(id: string): Promise<WorkoutVersionShape[]> {
    if (!(await this.kept(id))) throw notFound('workout routine', id);
    return this.unit.em.execute(
      `select version, content->>'title' as title, ${time('created_at', 'createdAt')} from workout_routine_version where routine_id = ? order by version desc limit 200`,
      [id],
    );
  }

  /** The exercises of a routine, each once, in the order of its blocks; batched over routines. */
  async exercisesOf(routine: Pick<WorkoutRoutineShape, 'exercises'>): Promise<ExerciseShape[]> {
    const exercises = await this.exercises.findMany(
      routine.exercises.flatMap((block) => block.entries.map((entry) => entry.exerciseId)),
    );
    return exercises.map(shown);
  }

  /** A GYM_ADMIN's routine belongs to their gym; only a SUPER_ADMIN makes a global one (`gymId: null`). */
  async create(input: unknown): Promise<WorkoutRoutineShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId: wished, ...fields } = validated(CreateWorkoutShape, input);
    return this.owners.withOwner(wished, async (gymId) => {
      const used = await this.usedExercises(fields.exercises, gymId);
      const routine = this.unit.em.create(WorkoutRoutine, {
        ...fields,
        gymId,
        description: fields.description ?? null,
        targetMuscles: fields.targetMuscles ?? musclesOf(used),
        equipment: equipmentOf(used),
        durationMinutes: fields.durationMinutes ?? estimatedMinutes(fields.exercises),
        image: null,
        version: 1,
        deletedAt: null,
      });
      await this.unit.em.flush();
      this.keepVersion(routine);
      return withPublicImage(this.unit, present(routine));
    });
  }

  /** What is absent stays. @param expectedVersion undefined: last write wins. */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<WorkoutRoutineShape> {
    const change = validated(UpdateWorkoutShape, input);
    return this.write(id, expectedVersion ?? change.version ?? undefined, async (routine) => {
      if (change.exercises) {
        const used = await this.usedExercises(change.exercises, routine.gymId ?? null);
        routine.exercises = change.exercises;
        routine.equipment = equipmentOf(used);
        routine.durationMinutes = estimatedMinutes(change.exercises);
      }
      routine.title = change.title ?? routine.title;
      routine.difficulty = change.difficulty ?? routine.difficulty;
      routine.category = change.category ?? routine.category;
      routine.targetMuscles = change.targetMuscles ?? routine.targetMuscles;
      routine.durationMinutes = change.durationMinutes ?? routine.durationMinutes;
      if (change.description !== undefined) routine.description = change.description;
    });
  }

  /** It leaves the lists, also the programmes of gyms; its versions stay readable. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      await this.write(id, expectedVersion, async (routine) => {
        routine.deletedAt = new Date();
      });
      await this.removals.report(this.unit, 'WorkoutRoutine', id.toLowerCase());
    });
  }

  async setImage(id: string, picture: Buffer | undefined): Promise<WorkoutRoutineShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    requireWriter(this.unit.viewer, 'workout routine', await this.get(id));
    const image = await this.media.keep(picture);
    return this.write(id, undefined, async (routine) => {
      routine.image = image;
    });
  }

  private async write(
    id: string,
    expectedVersion: number | undefined,
    change: (routine: WorkoutRoutine) => Promise<void>,
  ): Promise<WorkoutRoutineShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const written = await this.unit.transaction(async () => {
      const routine = isUuid(id)
        ? await this.unit.em.findOne(
            WorkoutRoutine,
            { id, deletedAt: null },
            { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
          )
        : null;
      if (!routine) throw notFound('workout routine', id);
      requireWriter(this.unit.viewer, 'workout routine', routine);
      if (expectedVersion !== undefined && expectedVersion !== routine.version)
        throw versionConflict('workout routine', expectedVersion, routine.version);
      await change(routine);
      if (routine.deletedAt) return withPublicImage(this.unit, present(routine));
      routine.version += 1;
      routine.updatedAt = new Date();
      this.keepVersion(routine);
      return withPublicImage(this.unit, present(routine));
    });
    this.byId.clear(id.toLowerCase());
    return written;
  }

  private keepVersion(routine: WorkoutRoutine): void {
    this.unit.em.persist(
      this.unit.em.create(WorkoutRoutineVersion, {
        routineId: routine.id,
        version: routine.version,
        content: present(routine),
      }),
    );
  }

  /** @throws VALIDATION_FAILED naming every set that its exercise does not allow. */
  private async usedExercises(blocks: readonly Block[], gymId: string | null): Promise<ExerciseShape[]> {
    const found = await this.exercises.lockMany(
      blocks.flatMap((block) => block.entries.map((entry) => entry.exerciseId)),
    );
    // a global routine must not depend on what only one gym's people see
    const usable = found.filter(
      (exercise) => !exercise.deleted && (exercise.gymId === null || exercise.gymId === gymId),
    );
    const modalities = new Map(usable.map((exercise) => [exercise.id, exercise.modality]));
    const errors = setErrors(blocks, (id) => modalities.get(id.toLowerCase()));
    const [first] = errors;
    if (first)
      throw new PlatformError(
        'VALIDATION_FAILED',
        `${first.path}: ${first.message}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
        { errors: errors.slice(0, 50) },
      );
    return usable;
  }
}

const musclesOf = (exercises: readonly ExerciseShape[]): string[] =>
  [...new Set(exercises.flatMap((exercise) => exercise.primaryMuscles))].slice(0, 20);
const equipmentOf = (exercises: readonly ExerciseShape[]): string[] =>
  [...new Set(exercises.map((exercise) => exercise.equipment))].filter((name) => name !== 'none').toSorted();

const present = (routine: WorkoutRoutine): WorkoutRoutineShape => ({
  id: routine.id,
  title: routine.title,
  description: routine.description ?? null,
  difficulty: routine.difficulty,
  category: routine.category,
  targetMuscles: routine.targetMuscles,
  equipment: routine.equipment,
  exercises: routine.exercises,
  image: routine.image ?? null,
  durationMinutes: routine.durationMinutes,
  gymId: routine.gymId ?? null,
  version: routine.version,
  createdAt: routine.createdAt.toISOString(),
  updatedAt: routine.updatedAt.toISOString(),
});
