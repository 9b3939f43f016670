import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

export const PRODUCT_KINDS = ['SUPPLEMENT', 'MERCHANDISE'] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

/** A flavour, a size. */
export interface Variant {
  sku: string;
  name: string;
  /** In minor units; null: the product's. */
  price: number | null;
  /** Null: not counted. */
  stock: number | null;
}

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'product',
  indexes: [
    {
      name: 'product_name',
      expression: 'create index "product_name" on "product" (lower("name"), "id") where "deleted_at" is null',
    },
    {
      name: 'product_price',
      expression: 'create index "product_price" on "product" ("price", "id") where "deleted_at" is null',
    },
    {
      name: 'product_featured',
      expression:
        'create index "product_featured" on "product" ("featured_priority", "id") where "featured_priority" is not null and "deleted_at" is null',
    },
    { name: 'product_search', expression: 'create index "product_search" on "product" using gin ("search")' },
    {
      name: 'product_newest',
      expression:
        'create index "product_newest" on "product" ("created_at", "id") where "deleted_at" is null',
    },
    {
      name: 'product_kind',
      expression:
        'create index "product_kind" on "product" ("kind", lower("name"), "id") where "deleted_at" is null',
    },
    { properties: ['gymId'] },
  ],
  uniques: [
    // one SKU a shop: the global one's, and each gym's own
    {
      name: 'product_sku',
      expression: `create unique index "product_sku" on "product" (coalesce("gym_id", '00000000-0000-0000-0000-000000000000'::uuid), lower("sku")) where "deleted_at" is null`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    /** Null: in every gym's shop. */
    gymId: p.uuid().nullable(),
    sku: p.string().length(64),
    name: p.string().length(120),
    description: p.text().nullable(),
    kind: p.string().$type<ProductKind>().length(20),
    /** In minor units of `currency`. */
    price: p.integer(),
    currency: p.string().length(3),
    images: p.json<string[]>(),
    variants: p.json<Variant[]>(),
    /** Null: not counted. */
    stock: p.integer().nullable(),
    /** Null: not featured; the higher, the earlier. */
    featuredPriority: p.integer().nullable(),
    featuredFrom: p.datetime().nullable(),
    featuredUntil: p.datetime().nullable(),
    version: p.integer().default(1),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p.datetime().onCreate(() => new Date()),
    deletedAt: p.datetime().nullable(),
    search: p
      .text()
      .columnType('tsvector')
      .generated(
        `(setweight(to_tsvector('english'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "name"), 'A') || setweight(to_tsvector('simple'::regconfig, "sku"), 'B') || setweight(to_tsvector('simple'::regconfig, "kind"), 'C') || setweight(to_tsvector('english'::regconfig, coalesce("description", '')), 'D')) stored`,
      )
      .nullable()
      .lazy(),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);
