import { wrap } from '@mikro-orm/core';
import type { z } from 'zod';
import { isAdmin, requireUser } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { maySee } from '../access.ts';
import { ContentTable, contentTable } from '../content-table.ts';
import { ownedConditions, visibleConditions, type Order } from '../listing.ts';
import { withPublicImage, type Media } from '../media/media.ts';
import type { Owners } from '../owners.ts';
import type { TextSearches } from '../search/text-search.ts';
import type { SquadRoutines } from '../workouts/squad-routines.ts';
import { Exercise } from './exercise.entity.ts';
import { muscleMap } from './muscle-map.ts';
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
  expressions: { custom: 'is_private' },
  isOwned: true,
});

/** The fields that are columns. */
const STORED = ExerciseShape.omit({ custom: true });

/** The maximum number of custom exercises of one user. */
const MAX_CUSTOM = 500;

/** SQL of whether an entry of a routine has the exercise `wanted.id`. It can use the index of `workout_routine.exercises`. */
const USES = `exercises @> jsonb_build_array(jsonb_build_object('entries', jsonb_build_array(jsonb_build_object('exerciseId', wanted.id::text))))`;

type NewExercise = Omit<z.infer<typeof CreateExerciseShape>, 'gymId' | 'custom'>;

/** The exercise library, and the exercises that gyms and users add to it. */
export class Exercises {
  private readonly unit: UnitOfWork;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly table;
  private readonly inVisibleRoutine = loaderOf<{ id: string }>(
    (ids) => {
      const { sql, params } = ownedConditions(this.unit, {});
      return this.unit.read(
        `select wanted.id from unnest(?::uuid[]) as wanted(id) where exists (select 1 from workout_routine where ${USES} and ${sql.join(' and ')})`,
        [ids, ...params],
      );
    },
    ({ id }) => id,
  );

  private readonly squadRoutines: SquadRoutines;
  private readonly inTrainedRoutine = loaderOf<{ id: string }>(
    async (ids) => {
      const trained = await this.squadRoutines.trained();
      if (trained.length === 0) return [];
      return this.unit.read(
        `select wanted.id from unnest(?::uuid[]) as wanted(id) where exists (
           select 1 from unnest(?::uuid[], ?::int[]) as trained (id, version)
           join workout_routine_version as used on used.routine_id = trained.id and used.version = trained.version
           cross join lateral (select used.content->'exercises' as exercises) as content where ${USES})`,
        [ids, trained.map(({ routineId }) => routineId), trained.map(({ version }) => version)],
      );
    },
    ({ id }) => id,
  );
  private readonly inOwnTraining = loaderOf<{ id: string }>(
    async (ids) => {
      const { viewer } = this.unit;
      if (viewer.kind !== 'user') return [];
      return this.unit.read(
        'select distinct exercise_id as id from training_exercise where user_id = ? and exercise_id = any(?::uuid[])',
        [viewer.userId, ids],
      );
    },
    ({ id }) => id,
  );

  constructor(
    unit: UnitOfWork,
    searches: TextSearches,
    media: Media,
    owners: Owners,
    squadRoutines: SquadRoutines,
  ) {
    this.squadRoutines = squadRoutines;
    this.unit = unit;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.table = new ContentTable(unit, TABLE);
  }

  /** The exercises by name, or the best match first if there is a search. For an unknown value of a filter the list is empty. */
  async list(filter: ExerciseFilter, request: PageRequest): Promise<Page<ExerciseShape>> {
    const conditions = ownedConditions(this.unit, filter)
      .when(filter.muscle, 'primary_muscles @> ?::jsonb or secondary_muscles @> ?::jsonb', (muscle) => [
        JSON.stringify([muscle.toLowerCase()]),
        JSON.stringify([muscle.toLowerCase()]),
      ])
      .when(filter.equipment, 'equipment = ?', (equipment) => [equipment.toLowerCase()])
      .when(filter.difficulty, 'lower(level) = lower(?)')
      .when(filter.category, 'category = ?', (category) => [category.toLowerCase()])
      .when(filter.modality, 'modality = upper(?)');
    const search = await this.searches.of('exercise', filter.search);
    const orders = { wanted: filter.sort && ORDERS[filter.sort], fallback: ORDERS.name };
    return mapPage(await this.table.page(conditions, search, orders, request), (row) => this.shown(row));
  }

  /** @throws NOT_FOUND also for an exercise of another gym */
  async get(id: string): Promise<ExerciseShape> {
    const found = await this.readable(id);
    if (!found || found.isDeleted) throw notFound('exercise', id);
    return this.shown(found.row);
  }

  /** The muscles of an exercise as an SVG picture. @throws NOT_FOUND */
  async muscleMap(id: string): Promise<string> {
    return muscleMap(await this.get(id));
  }

  /**
   * An exercise, also if it is deleted, so that an old routine can still name it. Null if there is none that the viewer may
   * see. Batched.
   */
  async find(id: string): Promise<ExerciseShape | null> {
    const found = await this.readable(id);
    return found && this.shown(found.row);
  }

  /**
   * A custom exercise is also readable for those who may read a routine that uses it; and, if its owner has deleted their
   * account, for those who have trained it.
   */
  private async readable(id: string) {
    const found = await this.table.load(id);
    if (!found) return null;
    const { row, content } = found;
    const maySeeIt =
      maySee(this.unit.viewer, content) ||
      (content.isPrivate &&
        ((await this.inVisibleRoutine.load(row.id)) ||
          (content.ownerId === null && (await this.inOwnTraining.load(row.id))) ||
          (await this.inTrainedRoutine.load(row.id))));
    return maySeeIt ? found : null;
  }

  /**
   * Decides whether the viewer may see private exercises of other users, for which squad may have to be asked. The decision is
   * kept. It is called before a transaction, because no transaction should wait for a service.
   * @param kept reads the exercises that may stay although the viewer may not see them; called only if there are private ones
   */
  async decidePrivate(ids: Iterable<string>, kept: () => Promise<Iterable<string>>): Promise<void> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.table.load(id)));
    const hidden = found.flatMap((exercise) =>
      exercise?.content.isPrivate && !maySee(this.unit.viewer, exercise.content) ? exercise.row.id : [],
    );
    if (hidden.length === 0) return;
    const decided = new Set(await kept());
    await Promise.all(hidden.filter((id) => !decided.has(id)).map((id) => this.readable(id)));
  }

  /** The exercises with these ids, in this order, each once; those that the viewer may not see are left out. */
  async findMany(ids: readonly string[]): Promise<ExerciseShape[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.find(id)));
    return found.filter((exercise) => exercise !== null);
  }

  /**
   * The same as `findMany`, without deleted exercises. Until the end of the transaction, nobody can change or delete them.
   * @param kept the exercises that a routine has already: they are found also if they are deleted, or if the viewer may not
   * see them
   */
  async lockMany(ids: readonly string[], kept: ReadonlySet<string>): Promise<ExerciseShape[]> {
    const wanted = [...new Set(ids)].filter(isUuid);
    if (wanted.length === 0) return [];
    const rows = await this.unit.read<ExerciseShape>(
      `select ${this.table.columns} from exercise where id = any(?::uuid[]) and (deleted_at is null or id = any(?::uuid[]))
       order by exercise.id for share`,
      [wanted, wanted.filter((id) => kept.has(id))],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const found = await Promise.all(
      wanted.map(async (id) => byId.has(id) && (kept.has(id) || (await this.readable(id))) && byId.get(id)),
    );
    return found.flatMap((row) => (row ? this.shown(row) : []));
  }

  /**
   * The modalities of those exercises that the viewer may use, or that are in `kept`.
   * @param kept the exercises that a training has already: it may keep them if they are deleted, or if its user moves to
   * another gym
   */
  async modalities(ids: Iterable<string>, kept: ReadonlySet<string>): Promise<ReadonlyMap<string, Modality>> {
    const found = await Promise.all(
      [...new Set(ids)].map(async (id) => {
        const exercise = kept.has(id) ? await this.table.load(id) : await this.readable(id);
        return exercise && (kept.has(id) || !exercise.isDeleted) ? [exercise.row] : [];
      }),
    );
    return new Map(found.flat().map(({ id, modality }) => [id, modality]));
  }

  /** Those of the exercises that the viewer has done in a training, also in one that is running. */
  async trained(ids: Iterable<string>): Promise<string[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.inOwnTraining.load(id)));
    return found.flatMap((exercise) => exercise?.id ?? []);
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
    // Without custom exercises: a gateway may send the same answer to all users of a gym.
    const conditions = visibleConditions(this.unit).add('not is_private');
    return this.unit.em.execute(
      `select ${column} as name, count(*)::int as exercises from ${from} where ${conditions.sql.join(' and ')} group by 1 order by 1`,
      conditions.params,
    );
  }

  /**
   * A GYM_ADMIN adds an exercise to their own gym, a SUPER_ADMIN to the library or to any gym. With `custom: true` they add it
   * for themselves, as members always do.
   */
  async create(input: unknown): Promise<ExerciseShape> {
    const { gymId, custom, ...fields } = validated(CreateExerciseShape, input);
    const { userId } = requireUser(this.unit.viewer);
    if (custom ?? (!isAdmin(this.unit.viewer) && !gymId)) {
      if (gymId)
        throw invalid('gymId', 'expected no gym, because a custom exercise belongs to the user who adds it');
      const [exercise] = await this.unit.transaction(() => this.addCustom(userId, [fields]));
      return exercise as ExerciseShape; // `addCustom` returns an exercise for each one that it gets
    }
    return this.owners.withOwner(gymId, async (owner) => {
      const exercise = this.unit.em.create(Exercise, { ...fields, gymId: owner, version: 1 });
      await this.unit.em.flush();
      return this.present(exercise);
    });
  }

  /** Until the end of the open transaction, no other transaction adds custom exercises of the user. */
  async lockCustom(userId: string): Promise<void> {
    await this.unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
      `exercises:${userId}`,
    ]);
  }

  /** Adds custom exercises of a user, in the open transaction. @throws CONFLICT beyond 500 */
  async addCustom(userId: string, exercises: readonly NewExercise[]): Promise<ExerciseShape[]> {
    const { em } = this.unit;
    await this.lockCustom(userId);
    const count = await em.count(Exercise, { ownerId: userId, deletedAt: null });
    if (count + exercises.length > MAX_CUSTOM)
      throw conflict(`You may have at most ${MAX_CUSTOM} custom exercises; delete some first.`);
    const added = exercises.map((fields) =>
      em.create(Exercise, {
        ...fields,
        id: uuidv7(),
        gymId: null,
        ownerId: userId,
        isPrivate: true,
        version: 1,
      }),
    );
    await em.flush();
    return added.map((exercise) => this.present(exercise));
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
    await this.table.requirePicture(id);
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
    return this.shown({ ...presented(STORED, exercise), custom: exercise.isPrivate });
  }

  private shown(row: ExerciseShape): ExerciseShape {
    return withPublicImage(this.unit, row);
  }
}
