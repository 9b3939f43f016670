import { LockMode } from '@mikro-orm/core';
import { requireRole, Role } from '#server/auth/viewer.ts';
import { invalid, notFound, versionConflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireWriter, sees } from '../access.ts';
import type { Owners } from '../owners.ts';
import { type Order, pageOfRows, shown, visibleConditions } from '../listing.ts';
import { withPublicImage, type Media } from '../media/media.ts';
import type { TextSearches } from '../search/text-search.ts';
import { Exercise } from './exercise.entity.ts';
import {
  CreateExerciseShape,
  UpdateExerciseShape,
  type ExerciseFilter,
  type ExerciseShape,
  type FacetShape,
} from './exercises.shapes.ts';

const COLUMNS = `id, name, aliases, description, instructions, primary_muscles as "primaryMuscles", secondary_muscles as "secondaryMuscles", equipment, level, force, mechanic, category, modality, image, gym_id as "gymId", version`;

const ORDERS = {
  name: { name: 'name', key: 'lower(name)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
} as const satisfies Record<string, Order>;

type ExerciseRow = ExerciseShape & { deleted?: boolean };

/** The exercise library, and what gyms add to it. */
export class Exercises {
  private readonly unit: UnitOfWork;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly byId = loaderOf<ExerciseRow>(
    async (ids) => {
      const rows = await this.unit.em.execute<ExerciseRow[]>(
        `select ${COLUMNS}, deleted_at is not null as deleted from exercise where id in (?)`,
        [[...ids]],
      );
      return rows.map((row) => withPublicImage(this.unit, row));
    },
    (exercise) => exercise.id,
  );

  constructor(unit: UnitOfWork, searches: TextSearches, media: Media, owners: Owners) {
    this.unit = unit;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
  }

  /** By name, or best match first where there is a search. */
  async list(filter: ExerciseFilter, request: PageRequest): Promise<Page<ExerciseShape>> {
    const conditions = visibleConditions(this.unit, filter.gymId)
      .when(filter.muscle, 'primary_muscles @> ?::jsonb or secondary_muscles @> ?::jsonb', (muscle) => [
        JSON.stringify([muscle.toLowerCase()]),
        JSON.stringify([muscle.toLowerCase()]),
      ])
      .when(filter.equipment, 'equipment = lower(?)')
      .when(filter.difficulty, 'lower(level) = lower(?)')
      .when(filter.category, 'category = lower(?)')
      .when(filter.modality, 'modality = upper(?)');
    const search = await this.searches.of('exercise', filter.search);
    if (search) conditions.add(search.condition, ...search.params);
    const order = filter.sort ? ORDERS[filter.sort] : (search?.order ?? ORDERS.name);
    const page = await pageOfRows<ExerciseShape>(
      this.unit,
      { table: 'exercise', columns: COLUMNS, conditions, order },
      request,
    );
    return mapPage(page, (row) => withPublicImage(this.unit, row));
  }

  /** @throws NOT_FOUND also for another gym's. */
  async get(id: string): Promise<ExerciseShape> {
    const exercise = await this.find(id);
    if (!exercise || exercise.deleted) throw notFound('exercise', id);
    return shown(exercise);
  }

  /** One among many, batched: also those that were deleted since, so that an old routine can name them. Null where there is none. */
  async find(id: string): Promise<ExerciseRow | null> {
    const exercise = isUuid(id) ? await this.byId.load(id.toLowerCase()) : null;
    return exercise && sees(this.unit.viewer, exercise.gymId) ? exercise : null;
  }

  /** Many at once, in their order, each once; what is not there or not to be seen is left out. */
  async findMany(ids: readonly string[]): Promise<ExerciseRow[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.find(id)));
    return found.filter((exercise) => exercise !== null);
  }

  /**
   * As `findMany`, for a routine that is to use them: until the end of the transaction nobody changes what they count, or
   * deletes them.
   */
  async lockMany(ids: readonly string[]): Promise<ExerciseRow[]> {
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].filter(isUuid);
    if (wanted.length === 0) return [];
    const rows = await this.unit.em.execute<ExerciseRow[]>(
      `select ${COLUMNS}, deleted_at is not null as deleted from exercise where id in (?) order by exercise.id for share`,
      [wanted],
    );
    const byId = new Map(rows.map((row) => [row.id, withPublicImage(this.unit, row)]));
    return wanted
      .flatMap((id) => byId.get(id) ?? [])
      .filter((exercise) => sees(this.unit.viewer, exercise.gymId));
  }

  /** Muscles by name, with how many exercises train each as a primary one. */
  muscles(): Promise<FacetShape[]> {
    return this.facet('exercise, jsonb_array_elements_text(primary_muscles) as muscle(name)', 'muscle.name');
  }

  equipment(): Promise<FacetShape[]> {
    return this.facet('exercise', 'equipment');
  }

  categories(): Promise<FacetShape[]> {
    return this.facet('exercise', 'category');
  }

  private facet(from: string, column: string): Promise<FacetShape[]> {
    const conditions = visibleConditions(this.unit);
    return this.unit.em.execute(
      `select ${column} as name, count(*)::int as exercises from ${from} where ${conditions.sql.join(' and ')} group by 1 order by 1`,
      conditions.params,
    );
  }

  /** A GYM_ADMIN adds to their gym's own, a SUPER_ADMIN to the common library or to any gym's. */
  async create(input: unknown): Promise<ExerciseShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId, ...fields } = validated(CreateExerciseShape, input);
    return this.owners.withOwner(gymId, async (owner) => {
      const exercise = this.unit.em.create(Exercise, {
        ...fields,
        gymId: owner,
        aliases: fields.aliases ?? [],
        description: fields.description ?? null,
        instructions: fields.instructions ?? [],
        secondaryMuscles: fields.secondaryMuscles ?? [],
        equipment: fields.equipment ?? 'none',
        level: fields.level ?? 'Beginner',
        force: fields.force ?? null,
        mechanic: fields.mechanic ?? null,
        category: fields.category ?? 'strength',
        image: null,
        version: 1,
        deletedAt: null,
      });
      await this.unit.em.flush();
      return withPublicImage(this.unit, present(exercise));
    });
  }

  /** What is absent stays. @param expectedVersion undefined: last write wins. */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<ExerciseShape> {
    const change = validated(UpdateExerciseShape, input);
    return this.write(id, expectedVersion ?? change.version ?? undefined, (exercise) => {
      exercise.name = change.name ?? exercise.name;
      exercise.aliases = change.aliases ?? exercise.aliases;
      exercise.instructions = change.instructions ?? exercise.instructions;
      exercise.primaryMuscles = change.primaryMuscles ?? exercise.primaryMuscles;
      exercise.secondaryMuscles = change.secondaryMuscles ?? exercise.secondaryMuscles;
      exercise.equipment = change.equipment ?? exercise.equipment;
      exercise.level = change.level ?? exercise.level;
      exercise.category = change.category ?? exercise.category;
      exercise.modality = change.modality ?? exercise.modality;
      if (change.description !== undefined) exercise.description = change.description;
      if (change.force !== undefined) exercise.force = change.force;
      if (change.mechanic !== undefined) exercise.mechanic = change.mechanic;
    });
  }

  /** It leaves lists and search; routines that use it keep naming it. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.write(id, expectedVersion, (exercise) => {
      exercise.deletedAt = new Date();
    });
  }

  async setImage(id: string, picture: Buffer | undefined): Promise<ExerciseShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    requireWriter(this.unit.viewer, 'exercise', await this.get(id));
    const image = await this.media.keep(picture);
    return this.write(id, undefined, (exercise) => {
      exercise.image = image;
    });
  }

  private async write(
    id: string,
    expectedVersion: number | undefined,
    change: (exercise: Exercise) => void,
  ): Promise<ExerciseShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const written = await this.unit.transaction(async () => {
      const exercise = isUuid(id)
        ? await this.unit.em.findOne(
            Exercise,
            { id, deletedAt: null },
            { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
          )
        : null;
      if (!exercise) throw notFound('exercise', id);
      requireWriter(this.unit.viewer, 'exercise', exercise);
      if (expectedVersion !== undefined && expectedVersion !== exercise.version)
        throw versionConflict('exercise', expectedVersion, exercise.version);
      change(exercise);
      exercise.version += 1;
      exercise.updatedAt = new Date();
      return withPublicImage(this.unit, present(exercise));
    });
    this.byId.clear(id);
    return written;
  }
}

const present = (exercise: Exercise): ExerciseShape => ({
  id: exercise.id,
  name: exercise.name,
  aliases: exercise.aliases,
  description: exercise.description ?? null,
  instructions: exercise.instructions,
  primaryMuscles: exercise.primaryMuscles,
  secondaryMuscles: exercise.secondaryMuscles,
  equipment: exercise.equipment,
  level: exercise.level,
  force: exercise.force ?? null,
  mechanic: exercise.mechanic ?? null,
  category: exercise.category,
  modality: exercise.modality,
  image: exercise.image ?? null,
  gymId: exercise.gymId ?? null,
  version: exercise.version,
});
