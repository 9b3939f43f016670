import { wrap } from '@mikro-orm/core';
import { presented } from '#server/database/columns.ts';
import { invalid } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { maySee, requireAdmin } from '../access.ts';
import { ContentTable, contentTable } from '../content-table.ts';
import { visibleConditions, type Order } from '../listing.ts';
import { withPublicImage, type Media } from '../media/media.ts';
import type { Owners } from '../owners.ts';
import type { TextSearches } from '../search/text-search.ts';
import { Exercise } from './exercise.entity.ts';
import {
  CreateExerciseShape,
  ExerciseShape,
  UpdateExerciseShape,
  type ExerciseFilter,
  type FacetShape,
  type Modality,
} from './exercises.shapes.ts';

const ORDERS = {
  name: { name: 'name', key: 'lower(name)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
} as const satisfies Record<string, Order>;

const TABLE = contentTable({
  what: 'exercise',
  table: 'exercise',
  entity: Exercise,
  shape: ExerciseShape,
});

/** The exercise library, and the exercises that gyms add to it. */
export class Exercises {
  private readonly unit: UnitOfWork;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly table;

  constructor(unit: UnitOfWork, searches: TextSearches, media: Media, owners: Owners) {
    this.unit = unit;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.table = new ContentTable(unit, TABLE);
  }

  /** The exercises by name, or the best match first if there is a search. For an unknown value of a filter the list is empty. */
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
    const orders = { wanted: filter.sort && ORDERS[filter.sort], fallback: ORDERS.name };
    return mapPage(await this.table.page(conditions, search, orders, request), (row) => this.shown(row));
  }

  /** @throws NOT_FOUND also for an exercise of another gym */
  async get(id: string): Promise<ExerciseShape> {
    return this.shown(await this.table.get(id));
  }

  /** Batched; also a deleted exercise, so that an old routine can still name it. Null if there is none. */
  async find(id: string): Promise<ExerciseShape | null> {
    const found = await this.table.find(id);
    return found && this.shown(found.row);
  }

  /** The exercises with these ids, in this order, each once; those that the viewer may not see are left out. */
  async findMany(ids: readonly string[]): Promise<ExerciseShape[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.find(id)));
    return found.filter((exercise) => exercise !== null);
  }

  /** The same as `findMany`, without deleted exercises. Until the end of the transaction, nobody can change or delete them. */
  async lockMany(ids: readonly string[]): Promise<ExerciseShape[]> {
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))].filter(isUuid);
    if (wanted.length === 0) return [];
    const rows = await this.unit.read<ExerciseShape>(
      `select ${this.table.columns} from exercise where id = any(?::uuid[]) and deleted_at is null order by exercise.id for share`,
      [wanted],
    );
    const byId = new Map(rows.map((row) => [row.id, this.shown(row)]));
    return wanted
      .flatMap((id) => byId.get(id) ?? [])
      .filter((exercise) => maySee(this.unit.viewer, exercise));
  }

  /**
   * The modalities of the exercises that the viewer may use, and of the exercises `kept`, which a training of the viewer
   * has already: it stays as it is if an exercise is deleted, or if the viewer moves to another gym.
   */
  async modalities(ids: Iterable<string>, kept: ReadonlySet<string>): Promise<ReadonlyMap<string, Modality>> {
    const rows = await this.unit.read<
      Pick<ExerciseShape, 'id' | 'gymId' | 'modality'> & { isDeleted: boolean }
    >(
      `select id, gym_id as "gymId", modality, deleted_at is not null as "isDeleted" from exercise where id = any(?::uuid[])`,
      [[...new Set(ids)]],
    );
    return new Map(
      rows
        .filter((row) => kept.has(row.id) || (!row.isDeleted && maySee(this.unit.viewer, row)))
        .map(({ id, modality }) => [id, modality]),
    );
  }

  /** Muscles by name, with the number of exercises that train each as a primary muscle. */
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

  /** A GYM_ADMIN adds to their own gym, a SUPER_ADMIN to the common library or to any gym. */
  async create(input: unknown): Promise<ExerciseShape> {
    requireAdmin(this.unit.viewer);
    const { gymId, ...fields } = validated(CreateExerciseShape, input);
    return this.owners.withOwner(gymId, async (owner) => {
      const exercise = this.unit.em.create(Exercise, { ...fields, gymId: owner, version: 1 });
      await this.unit.em.flush();
      return this.present(exercise);
    });
  }

  /**
   * Changes an exercise. Absent fields are unchanged.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<ExerciseShape> {
    const { version, ...change } = validated(UpdateExerciseShape, input);
    return this.change(id, expectedVersion ?? version ?? undefined, (exercise) => {
      wrap(exercise).assign(change, { ignoreUndefined: true });
    });
  }

  /** Deletes an exercise: lists and searches no longer contain it; routines that use it can still name it. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.change(id, expectedVersion, (exercise) => {
      exercise.deletedAt = new Date();
    });
  }

  async setImage(id: string, picture: Buffer | undefined): Promise<ExerciseShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    await this.table.requireChange(id);
    const image = await this.media.store(picture);
    return this.change(id, undefined, (exercise) => {
      exercise.image = image;
    });
  }

  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (exercise: Exercise) => void,
  ): Promise<ExerciseShape> {
    return this.present(await this.table.change(id, expectedVersion, apply));
  }

  private present(exercise: Exercise): ExerciseShape {
    return this.shown(presented(ExerciseShape, exercise));
  }

  private shown(row: ExerciseShape): ExerciseShape {
    return withPublicImage(this.unit, row);
  }
}
