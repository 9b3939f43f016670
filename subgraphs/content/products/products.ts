import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { requireRole, Role } from '#server/auth/viewer.ts';
import { conflict, invalid, notFound, versionConflict } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { loaderOf } from '#server/loaders.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import type { Removals } from '#server/references/removals.ts';
import { requireWriter, sees } from '../access.ts';
import type { Owners } from '../owners.ts';
import { type Order, pageOfRows, shown, visibleConditions } from '../listing.ts';
import type { Media } from '../media/media.ts';
import type { TextSearches } from '../search/text-search.ts';
import { Product, type Variant } from './product.entity.ts';
import {
  CreateProductShape,
  UpdateProductShape,
  type ProductFilter,
  type ProductShape,
} from './products.shapes.ts';

const time = (column: string, as: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${as}"`;
const AVAILABLE = `case when jsonb_array_length(variants) = 0 then stock is null or stock > 0 else exists (select 1 from jsonb_to_recordset(variants) as variant(stock int) where variant.stock is null or variant.stock > 0) end`;
const FEATURED =
  '(featured_priority is not null and (featured_from is null or featured_from <= now()) and (featured_until is null or featured_until > now()))';
const COLUMNS = `id, sku, name, description, kind, price, currency, images, variants, stock, featured_priority as "featuredPriority", ${time('featured_from', 'featuredFrom')}, ${time('featured_until', 'featuredUntil')}, gym_id as "gymId", version`;
const MOST_FEATURED = 100;

const ORDERS = {
  name: { name: 'name', key: 'lower(name)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
  price: { name: 'price', key: 'price', type: 'bigint' },
  '-price': { name: '-price', key: 'price', type: 'bigint', descending: true },
} as const satisfies Record<string, Order>;

type ProductRow = Omit<ProductShape, 'available' | 'featured'> & { deleted?: boolean };

export interface ProductsOptions {
  searches: TextSearches;
  media: Media;
  owners: Owners;
  removals: Removals;
}

/** What gym shops sell: supplements and merchandise, in every gym's shop or in one gym's. */
export class Products {
  private readonly unit: UnitOfWork;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly removals: Removals;
  private readonly byId = loaderOf<ProductRow>(
    (ids) =>
      this.unit.em.execute(
        `select ${COLUMNS}, deleted_at is not null as deleted from product where id in (?)`,
        [[...ids]],
      ),
    (product) => product.id,
  );

  constructor(unit: UnitOfWork, { searches, media, owners, removals }: ProductsOptions) {
    this.unit = unit;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.removals = removals;
  }

  /** By name, or best match first where there is a search. */
  async list(filter: ProductFilter, request: PageRequest): Promise<Page<ProductShape>> {
    const conditions = visibleConditions(this.unit, filter.gymId)
      .when(filter.kind, 'kind = upper(?)')
      .when(filter.minPrice, 'price >= ?::bigint')
      .when(filter.maxPrice, 'price <= ?::bigint');
    if (filter.inStock) conditions.add(AVAILABLE);
    const search = await this.searches.of('product', filter.search);
    if (search) conditions.add(search.condition, ...search.params);
    const order = filter.sort ? ORDERS[filter.sort] : (search?.order ?? ORDERS.name);
    const page = await pageOfRows<ProductRow>(
      this.unit,
      { table: 'product', columns: COLUMNS, conditions, order },
      request,
    );
    return mapPage(page, (row) => this.complete(row));
  }

  /** What is promoted now, the highest priority first; at most a hundred. */
  async featured(gymId?: string | null): Promise<ProductShape[]> {
    const conditions = visibleConditions(this.unit, gymId).add(FEATURED);
    const rows = await this.unit.em.execute<ProductRow[]>(
      `select ${COLUMNS} from product where ${conditions.sql.join(' and ')} order by featured_priority desc, lower(name), id limit ${MOST_FEATURED}`,
      conditions.params,
    );
    return rows.map((row) => this.complete(row));
  }

  /** @throws NOT_FOUND also for another gym's. */
  async get(id: string): Promise<ProductShape> {
    const product = await this.find(id);
    if (!product) throw notFound('product', id);
    return product;
  }

  /** Batched; null where there is none. */
  async find(id: string): Promise<ProductShape | null> {
    const row = isUuid(id) ? await this.byId.load(id.toLowerCase()) : null;
    return row && !row.deleted && sees(this.unit.viewer, row.gymId) ? this.complete(shown(row)) : null;
  }

  /** A GYM_ADMIN's product belongs to their gym; only a SUPER_ADMIN makes a global one (`gymId: null`). @throws CONFLICT where the shop has the SKU. */
  async create(input: unknown): Promise<ProductShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId, ...fields } = validated(CreateProductShape, input);
    checkWindow(instantOf(fields.featuredFrom), instantOf(fields.featuredUntil));
    const product = await skuConflict(fields.sku, () =>
      this.owners.withOwner(gymId, async (owner) => {
        const created = this.unit.em.create(Product, {
          ...fields,
          gymId: owner,
          description: fields.description ?? null,
          images: fields.images ?? [],
          variants: fields.variants ?? [],
          stock: fields.stock ?? null,
          featuredPriority: fields.featuredPriority ?? null,
          featuredFrom: instantOf(fields.featuredFrom),
          featuredUntil: instantOf(fields.featuredUntil),
          version: 1,
          deletedAt: null,
        });
        await this.unit.em.flush();
        return created;
      }),
    );
    return this.complete(present(product));
  }

  /** What is absent stays. @param expectedVersion undefined: last write wins. */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<ProductShape> {
    const change = validated(UpdateProductShape, input);
    return skuConflict(change.sku ?? '', () =>
      this.write(id, expectedVersion ?? change.version ?? undefined, (product) => {
        product.sku = change.sku ?? product.sku;
        product.name = change.name ?? product.name;
        product.kind = change.kind ?? product.kind;
        product.price = change.price ?? product.price;
        product.currency = change.currency ?? product.currency;
        product.images = change.images ?? product.images;
        product.variants = change.variants ?? product.variants;
        if (change.description !== undefined) product.description = change.description;
        if (change.stock !== undefined) product.stock = change.stock;
        if (change.featuredPriority !== undefined) product.featuredPriority = change.featuredPriority;
        if (change.featuredFrom !== undefined) product.featuredFrom = instantOf(change.featuredFrom);
        if (change.featuredUntil !== undefined) product.featuredUntil = instantOf(change.featuredUntil);
        checkWindow(product.featuredFrom, product.featuredUntil);
      }),
    );
  }

  /** Gyms that list it list it no more. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      await this.write(id, expectedVersion, (product) => {
        product.deletedAt = new Date();
      });
      await this.removals.report(this.unit, 'Product', id.toLowerCase());
    });
  }

  /** Puts the picture behind those that are there. */
  async addImage(id: string, picture: Buffer | undefined): Promise<ProductShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    requireWriter(this.unit.viewer, 'product', await this.get(id));
    const image = await this.media.keep(picture);
    return this.write(id, undefined, (product) => {
      if (product.images.length >= 20)
        throw invalid('image', 'a product has at most 20 pictures; take one out of its images first');
      product.images = [...product.images, image];
    });
  }

  /** A row with what follows from it, and with the paths of its pictures as the caller can fetch them. */
  private complete(row: ProductRow): ProductShape {
    return { ...row, ...standing(row), images: row.images.map((path) => this.unit.publicPath(path)) };
  }

  private async write(
    id: string,
    expectedVersion: number | undefined,
    change: (product: Product) => void,
  ): Promise<ProductShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const written = await this.unit.transaction(async () => {
      const product = isUuid(id)
        ? await this.unit.em.findOne(
            Product,
            { id, deletedAt: null },
            { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
          )
        : null;
      if (!product) throw notFound('product', id);
      requireWriter(this.unit.viewer, 'product', product);
      if (expectedVersion !== undefined && expectedVersion !== product.version)
        throw versionConflict('product', expectedVersion, product.version);
      change(product);
      product.version += 1;
      product.updatedAt = new Date();
      return product;
    });
    this.byId.clear(id.toLowerCase());
    return this.complete(present(written));
  }
}

const instantOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null);

function checkWindow(from: Date | null | undefined, until: Date | null | undefined): void {
  if (from && until && from >= until) throw invalid('featuredUntil', 'expected a time after featuredFrom');
}

async function skuConflict<Result>(sku: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw conflict(`The shop has a product with the SKU "${sku}" already; choose another one.`, {
        cause: error,
      });
    throw error;
  }
}

/** What follows from stock and window; where there are variants, their stock counts. */
function standing({
  stock,
  variants,
  featuredPriority,
  featuredFrom,
  featuredUntil,
}: Pick<ProductShape, 'stock' | 'featuredPriority' | 'featuredFrom' | 'featuredUntil'> & {
  variants: readonly Variant[];
}): { available: boolean; featured: boolean } {
  const now = new Date().toISOString();
  return {
    available: variants.length === 0 ? inStock(stock) : variants.some((variant) => inStock(variant.stock)),
    featured:
      featuredPriority !== null &&
      (featuredFrom === null || featuredFrom <= now) &&
      (featuredUntil === null || featuredUntil > now),
  };
}

const inStock = (stock: number | null): boolean => stock === null || stock > 0;

const present = (product: Product): ProductRow => ({
  id: product.id,
  sku: product.sku,
  name: product.name,
  description: product.description ?? null,
  kind: product.kind,
  price: product.price,
  currency: product.currency,
  images: product.images,
  variants: product.variants,
  stock: product.stock ?? null,
  featuredPriority: product.featuredPriority ?? null,
  featuredFrom: product.featuredFrom?.toISOString() ?? null,
  featuredUntil: product.featuredUntil?.toISOString() ?? null,
  gymId: product.gymId ?? null,
  version: product.version,
});
