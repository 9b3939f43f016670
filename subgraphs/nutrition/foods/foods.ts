import { z } from 'zod';
import { requireUser } from '#server/auth/viewer.ts';
import { conflict, notFound } from '#server/errors.ts';
import { isUuid, uuidv7 } from '#server/ids.ts';
import { cursorsOf, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Profiles } from '#server/profiles/profiles.ts';
import type { BarcodeSource } from './barcode-source.ts';
import { barcode as barcodeShape } from './barcodes.ts';
import { nameDistanceOf, wordsOf } from './food-search.ts';
import { FOOD_TABLE, foodById } from './food-table.ts';
import type { Locale } from './food.ts';
import { FoodFilterShape, LocaleShape, type FoodShape } from './foods.shapes.ts';
import { acceptedLocale, localeOf } from './locales.ts';
import { lockFoodsOf } from './own-foods.ts';
import {
  namesOf,
  presentedRow,
  presentedTableFood,
  STORED_COLUMNS,
  type StoredRow,
} from './presented-food.ts';

const MAX_FAVOURITES = 1_000;
/** The number of latest entries among which recent foods are searched. */
const RECENT_ENTRIES = 2_000;
/** A product that was stored longer ago is requested again from its source. */
const PRODUCT_FRESH_DAYS = 30;
/** The source of a known product did not answer. */
const FAILED = Symbol('failed');

const cursors = cursorsOf('foods', z.tuple([z.number(), z.string(), z.string()]));
type Key = readonly [rank: number, name: string, id: string];

/**
 * Foods: those of the table, which is reference data in memory and in no database; users' own foods; and products of a
 * barcode source. A user sees the table, the products and their own foods.
 */
export class Foods {
  private readonly unit: UnitOfWork;
  private readonly profiles: Profiles;
  private readonly source: BarcodeSource | undefined;

  constructor(unit: UnitOfWork, profiles: Profiles, source: BarcodeSource | undefined) {
    this.unit = unit;
    this.profiles = profiles;
    this.source = source;
  }

  /**
   * The foods of the table and the caller's own by name, or the best match first if there is a search; with `recent` or
   * `favourite` only such foods of the caller. For an unknown category the list is empty.
   * @throws VALIDATION_FAILED for a search that is too long, UNAUTHENTICATED for `recent` and `favourite` without a user
   */
  async list(input: unknown, request: PageRequest): Promise<Page<FoodShape>> {
    const filter = validated(FoodFilterShape, input);
    const after = cursors.read(request.cursor);
    const size = pageSize(request);
    const locale = await this.localeFor(filter.locale);
    const words = wordsOf(filter.search ?? '');
    const ranks = filter.recent ? await this.recent() : undefined;
    const favourites = filter.favourite ? await this.favourites() : undefined;
    const isWanted = (id: string) => (ranks?.has(id) ?? true) && (favourites?.has(id) ?? true);
    const selectedIds =
      ranks || favourites ? [...(ranks?.keys() ?? favourites ?? [])].filter(isWanted) : undefined;
    const stored = selectedIds ? await this.stored(selectedIds.filter(isUuid)) : await this.own();
    const foods = [
      ...FOOD_TABLE.filter(({ id }) => isWanted(id)).map((food) => ({
        shape: presentedTableFood(food, locale),
        names: namesOf(food, locale),
      })),
      ...stored.map((row) => ({
        shape: presentedRow(row, locale),
        names: [row.names?.[locale] ?? row.name, row.name].flatMap((name) =>
          row.brand ? [`${name} ${row.brand}`, name] : [name],
        ),
      })),
    ];
    const category = filter.category?.toLowerCase();
    const found = foods
      .filter(({ shape }) => !category || shape.category === category)
      .flatMap(({ shape, names }) => {
        const distance = nameDistanceOf(names, words);
        const key: Key = [ranks?.get(shape.id) ?? distance ?? 0, shape.name, shape.id];
        return distance === undefined ? [] : [{ shape, key }];
      })
      .filter(({ key }) => !after || compare(key, after) > 0)
      .toSorted((one, other) => compare(one.key, other.key));
    const keys = new Map(found.map(({ shape, key }) => [shape, key]));
    return cursors.page(
      found.slice(0, size + 1).map(({ shape }) => shape),
      request,
      (shape) => [...(keys.get(shape) as Key)],
    );
  }

  /** @throws NOT_FOUND also for a food of another user */
  async get(id: string, locale?: string | null): Promise<FoodShape> {
    const [food] = await this.readable([id], locale);
    if (!food) throw notFound('food', id);
    return food;
  }

  /**
   * The foods with these ids that the caller may read; other ids are omitted. Inside a transaction, nobody can delete them
   * until its end.
   */
  async readable(ids: readonly string[], locale?: string | null): Promise<FoodShape[]> {
    if (ids.length === 0) return [];
    const language = await this.localeFor(locale);
    const stored = await this.stored(ids.filter(isUuid));
    const table = ids.flatMap((id) => foodById(id) ?? []);
    return [
      ...table.map((food) => presentedTableFood(food, language)),
      ...stored.map((row) => presentedRow(row, language)),
    ];
  }

  /**
   * The food with a barcode: the caller's own, else a product of the barcode source, which is stored so that entries can
   * refer to it. It is stored with its names in all languages, because the next caller may use another one.
   * @throws VALIDATION_FAILED for a text that is no barcode; NOT_FOUND, UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT
   */
  async byBarcode(code: string, locale?: string | null): Promise<FoodShape> {
    const { code: digits } = validated(z.object({ code: barcodeShape }), { code });
    const { userId } = requireUser(this.unit.viewer);
    const language = await this.localeFor(locale);
    // A product without `names` was stored before products had names by language, so it is requested again.
    const rows = await this.unit.em.execute<(StoredRow & { isFresh: boolean })[]>(
      `select ${STORED_COLUMNS}, names is not null and updated_at > now() - make_interval(days => ${PRODUCT_FRESH_DAYS}) as "isFresh" from food
       where barcode = ? and (user_id = ? or user_id is null) order by user_id nulls last`,
      [digits, userId],
    );
    const [known] = rows;
    if (known && (known.userId !== null || known.isFresh || !this.source))
      return presentedRow(known, language);
    const product = await this.source
      ?.find(digits, this.unit.origin.clientLeft?.())
      .catch((error: unknown): typeof FAILED => {
        if (known) return FAILED; // an old product is better than none
        throw error;
      });
    if (!product || product === FAILED) {
      if (!known) throw notFound('food with the barcode', digits);
      // The source has answered that it no longer has the product, so it is asked again in a month.
      if (!product)
        await this.unit.em.execute(
          `update food set updated_at = now(), names = coalesce(names, '{}') where id = ?`,
          [known.id],
        );
      return presentedRow(known, language);
    }
    const { per100g } = product;
    const [row] = await this.unit.em.execute<StoredRow[]>(
      `insert into food (id, user_id, name, names, brand, barcode, calories, protein, carbs, fats, fibre, sugars, salt, measures, created_at, updated_at, version)
       values (?, null, ?, ?::jsonb, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, now(), now(), 1)
       on conflict (barcode) where user_id is null
       do update set name = excluded.name, names = excluded.names, brand = excluded.brand, calories = excluded.calories, protein = excluded.protein, carbs = excluded.carbs, fats = excluded.fats,
         fibre = excluded.fibre, sugars = excluded.sugars, salt = excluded.salt, measures = excluded.measures, updated_at = now(), version = food.version + 1
       returning ${STORED_COLUMNS}`,
      [
        uuidv7(),
        product.name,
        JSON.stringify(product.names),
        product.brand,
        digits,
        per100g.calories,
        per100g.protein,
        per100g.carbs,
        per100g.fats,
        per100g.fibre,
        per100g.sugars,
        per100g.salt,
        JSON.stringify(product.measures),
      ],
    );
    return presentedRow(row as StoredRow, language);
  }

  /**
   * Adds a food to the caller's favourites, or removes it. A repetition has no further effect.
   * @throws NOT_FOUND; CONFLICT beyond 1,000 favourites
   */
  async setFavourite(id: string, favourite: boolean): Promise<FoodShape> {
    const { userId } = requireUser(this.unit.viewer);
    const locale = await this.localeFor(); // before the transaction, because identity may be asked for the language
    return this.unit.transaction(async () => {
      const food = await this.get(id, locale);
      const storedId = isUuid(id) ? food.id : null;
      const tableId = storedId ? null : food.id;
      if (!favourite) {
        await this.unit.em.execute(
          'delete from food_favourite where user_id = ? and coalesce(food_id::text, table_food_id) = ?',
          [userId, food.id],
        );
        return food;
      }
      await lockFoodsOf(this.unit, userId);
      const favourites = await this.favourites();
      if (!favourites.has(food.id) && favourites.size >= MAX_FAVOURITES)
        throw conflict(`You have ${MAX_FAVOURITES} favourites, which is the maximum; remove one first.`);
      await this.unit.em.execute(
        'insert into food_favourite (id, user_id, food_id, table_food_id, created_at) values (?, ?, ?, ?, now()) on conflict do nothing',
        [uuidv7(), userId, storedId, tableId],
      );
      return food;
    });
  }

  private async favourites(): Promise<Set<string>> {
    const { userId } = requireUser(this.unit.viewer);
    const rows = await this.unit.em.execute<{ id: string }[]>(
      `select coalesce(food_id::text, table_food_id) as id from food_favourite where user_id = ? limit ${MAX_FAVOURITES}`,
      [userId],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The foods of the caller's latest entries with their ranks; the food that was logged last has the lowest rank. */
  private async recent(): Promise<Map<string, number>> {
    const { userId } = requireUser(this.unit.viewer);
    const rows = await this.unit.em.execute<{ id: string; at: number }[]>(
      `select id, max(at) as at from (
         select coalesce(food_id::text, table_food_id) as id, extract(epoch from logged_at)::float8 as at
         from food_log where user_id = ? order by local_date desc, logged_at desc, food_log.id desc limit ${RECENT_ENTRIES}
       ) as entry where id is not null group by id`,
      [userId],
    );
    return new Map(rows.map(({ id, at }) => [id, -at]));
  }

  private async own(): Promise<StoredRow[]> {
    const { viewer } = this.unit;
    if (viewer.kind !== 'user') return [];
    return this.unit.em.execute(`select ${STORED_COLUMNS} from food where user_id = ?`, [viewer.userId]);
  }

  private async stored(ids: readonly string[]): Promise<StoredRow[]> {
    const { viewer } = this.unit;
    if (ids.length === 0 || viewer.kind !== 'user') return [];
    return this.unit.em.execute(
      `select ${STORED_COLUMNS} from food where id in (?) and (user_id = ? or user_id is null) ${this.unit.em.isInTransaction() ? 'for key share' : ''}`,
      [[...ids], viewer.userId],
    );
  }

  /** @throws VALIDATION_FAILED for a text that is no language tag */
  private async localeFor(wanted?: string | null): Promise<Locale> {
    const { locale } = validated(LocaleShape, { locale: wanted });
    if (locale) return localeOf(locale);
    const { viewer, origin } = this.unit;
    if (viewer.kind === 'user') return localeOf((await this.profiles.of(this.unit)).locale);
    return acceptedLocale(origin.acceptLanguage ?? '');
  }
}

const compare = (one: Key, other: Key): number =>
  one[0] - other[0] || order(one[1], other[1]) || order(one[2], other[2]);
const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
