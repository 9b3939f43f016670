import { UniqueConstraintViolationException, wrap } from '@mikro-orm/core';
import type { z } from 'zod';
import { presented } from '#server/database/columns.ts';
import { conflict, invalid } from '#server/errors.ts';
import { mapPage, type Page, type PageRequest } from '#server/paging.ts';
import type { Removals } from '#server/references/removals.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { requireAdmin } from '../access.ts';
import { ContentTable, contentTable } from '../content-table.ts';
import { visibleConditions, type Order } from '../listing.ts';
import type { Media } from '../media/media.ts';
import type { Owners } from '../owners.ts';
import type { TextSearches } from '../search/text-search.ts';
import { recordProductChange } from './product-events.ts';
import { Product } from './product.entity.ts';
import {
  CreateProductShape,
  ProductShape,
  UpdateProductShape,
  type ProductFilter,
} from './products.shapes.ts';

const AVAILABLE = `case when jsonb_array_length(variants) = 0 then stock is null or stock > 0 else exists (select 1 from jsonb_to_recordset(variants) as variant(stock int) where variant.stock is null or variant.stock > 0) end`;
const FEATURED =
  '(featured_priority is not null and (featured_from is null or featured_from <= now()) and (featured_until is null or featured_until > now()))';
const MAX_FEATURED = 100;
const MAX_IMAGES = 20;

const ORDERS = {
  name: { name: 'name', key: 'lower(name)', type: 'text' },
  newest: { name: 'newest', key: 'created_at', type: 'timestamptz', descending: true },
  price: { name: 'price', key: 'price', type: 'bigint' },
  '-price': { name: '-price', key: 'price', type: 'bigint', descending: true },
} as const satisfies Record<string, Order>;

/** The stored fields of a product. The other fields of `ProductShape` are computed from them. */
const StoredShape = ProductShape.omit({ available: true, featured: true });
type StoredProduct = z.infer<typeof StoredShape>;

interface ProductsOptions {
  searches: TextSearches;
  media: Media;
  owners: Owners;
  removals: Removals;
}

const TABLE = contentTable({
  what: 'product',
  table: 'product',
  entity: Product,
  shape: StoredShape,
});

/** What gyms sell: supplements and merchandise. A product is global, so that every gym sells it, or belongs to one gym. */
export class Products {
  private readonly unit: UnitOfWork;
  private readonly searches: TextSearches;
  private readonly media: Media;
  private readonly owners: Owners;
  private readonly removals: Removals;
  private readonly table;

  constructor(unit: UnitOfWork, { searches, media, owners, removals }: ProductsOptions) {
    this.unit = unit;
    this.searches = searches;
    this.media = media;
    this.owners = owners;
    this.removals = removals;
    this.table = new ContentTable(unit, TABLE);
  }

  /** The products by name, or the best match first if there is a search. For an unknown value of a filter the list is empty. */
  async list(filter: ProductFilter, request: PageRequest): Promise<Page<ProductShape>> {
    const conditions = visibleConditions(this.unit, filter.gymId)
      .when(filter.kind, 'kind = upper(?)')
      .when(filter.minPrice, 'price >= ?::bigint')
      .when(filter.maxPrice, 'price <= ?::bigint');
    if (filter.inStock) conditions.add(AVAILABLE);
    const search = await this.searches.of('product', filter.search);
    const orders = { wanted: filter.sort && ORDERS[filter.sort], fallback: ORDERS.name };
    return mapPage(await this.table.page(conditions, search, orders, request), (row) => this.shown(row));
  }

  /** The products that are promoted now, at most 100; the highest priority comes first. */
  async featured(gymId?: string | null): Promise<ProductShape[]> {
    const conditions = visibleConditions(this.unit, gymId).add(FEATURED);
    const rows = await this.unit.em.execute<StoredProduct[]>(
      `select ${this.table.columns} from product where ${conditions.sql.join(' and ')} order by featured_priority desc, lower(name), id limit ${MAX_FEATURED}`,
      conditions.params,
    );
    return rows.map((row) => this.shown(row));
  }

  /** @throws NOT_FOUND also for a product of another gym */
  async get(id: string): Promise<ProductShape> {
    return this.shown(await this.table.get(id));
  }

  /** A product; null if it does not exist or is deleted, or if the viewer may not see it. Batched. */
  async find(id: string): Promise<ProductShape | null> {
    const row = await this.table.findCurrent(id);
    return row && this.shown(row);
  }

  /** A GYM_ADMIN's product belongs to their gym; only a SUPER_ADMIN adds a global one. @throws CONFLICT for a SKU that the shop has */
  async create(input: unknown): Promise<ProductShape> {
    requireAdmin(this.unit.viewer);
    const { gymId, ...fields } = validated(CreateProductShape, input);
    const times = featuredTimes(fields);
    checkFeaturedTimes(times);
    return refusingSkuOfAnother(fields.sku, () =>
      this.owners.withOwner(gymId, async (owner) => {
        const product = this.unit.em.create(Product, { ...fields, ...times, gymId: owner, version: 1 });
        await this.unit.em.flush();
        const created = this.present(product);
        await recordProductChange(this.unit, created);
        return created;
      }),
    );
  }

  /**
   * Changes a product. Absent fields are unchanged.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<ProductShape> {
    const { version, ...change } = validated(UpdateProductShape, input);
    return refusingSkuOfAnother(change.sku ?? '', () =>
      this.change(id, expectedVersion ?? version ?? undefined, (product) => {
        wrap(product).assign({ ...change, ...featuredTimes(change) }, { ignoreUndefined: true });
        checkFeaturedTimes(product);
      }),
    );
  }

  /** Deletes a product. Gyms that list it in their shop stop listing it. */
  async delete(id: string, expectedVersion?: number): Promise<void> {
    await this.unit.transaction(async () => {
      const { gymId } = await this.table.change(id, expectedVersion, (product) => {
        product.deletedAt = new Date();
      });
      await recordProductChange(this.unit, { id, gymId: gymId ?? null });
      await this.removals.report(this.unit, 'Product', id);
    });
  }

  /** Adds the picture after those that the product has. */
  async addImage(id: string, picture: Buffer | undefined): Promise<ProductShape> {
    if (!picture) throw invalid('image', 'expected a picture');
    await this.table.requirePicture(id);
    checkImages(await this.table.get(id)); // before the picture is encoded and stored
    const image = await this.media.store(picture);
    return this.change(id, undefined, (product) => {
      checkImages(product);
      product.images = [...product.images, image];
    });
  }

  private async change(
    id: string,
    expectedVersion: number | undefined,
    apply: (product: Product) => void,
  ): Promise<ProductShape> {
    requireAdmin(this.unit.viewer); // before a transaction takes a connection
    return this.unit.transaction(async () => {
      const changed = this.present(await this.table.change(id, expectedVersion, apply));
      await recordProductChange(this.unit, changed);
      return changed;
    });
  }

  private present(product: Product): ProductShape {
    return this.shown(presented(StoredShape, product));
  }

  /** Adds the computed fields, and makes the paths of pictures such that the caller can request them. */
  private shown(row: StoredProduct): ProductShape {
    return {
      ...row,
      available: isAvailable(row),
      featured: isFeatured(row),
      images: row.images.map((path) => this.unit.publicPath(path)),
    };
  }
}

type Featured<Time> = { featuredFrom?: Time | null | undefined; featuredUntil?: Time | null | undefined };

function featuredTimes({ featuredFrom, featuredUntil }: Featured<string>): Featured<Date> {
  const instant = (text: string | null | undefined) => (text ? new Date(text) : null);
  return {
    ...(featuredFrom !== undefined && { featuredFrom: instant(featuredFrom) }),
    ...(featuredUntil !== undefined && { featuredUntil: instant(featuredUntil) }),
  };
}

function checkFeaturedTimes({ featuredFrom: from, featuredUntil: until }: Featured<Date>): void {
  if (from && until && from >= until) throw invalid('featuredUntil', 'expected a time after featuredFrom');
}

/** @throws VALIDATION_FAILED if the product cannot get another picture */
function checkImages({ images }: Pick<Product, 'images'>): void {
  if (images.length >= MAX_IMAGES)
    throw invalid('image', `a product has at most ${MAX_IMAGES} pictures; remove one from its images first`);
}

async function refusingSkuOfAnother<Result>(sku: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw conflict(`The shop already has a product with the SKU "${sku}"; choose another one.`, {
        cause: error,
      });
    throw error;
  }
}

/** If there are variants, only their stock counts. */
const isAvailable = ({ stock, variants }: StoredProduct): boolean =>
  variants.length === 0 ? isInStock({ stock }) : variants.some(isInStock);

const isInStock = ({ stock }: { stock: number | null }): boolean => stock === null || stock > 0;

function isFeatured({ featuredPriority, featuredFrom, featuredUntil }: StoredProduct): boolean {
  const now = new Date().toISOString();
  return (
    featuredPriority !== null &&
    (featuredFrom === null || featuredFrom <= now) &&
    (featuredUntil === null || featuredUntil > now)
  );
}
