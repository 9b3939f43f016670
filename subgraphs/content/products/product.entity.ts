import { defineEntity, p } from '@mikro-orm/core';
import { contentIndexes, contentProperties, searchColumn, wordsOf } from '../content.entity.ts';

export const PRODUCT_KINDS = ['SUPPLEMENT', 'MERCHANDISE'] as const;
type ProductKind = (typeof PRODUCT_KINDS)[number];

/** One flavour or size of a product. */
interface Variant {
  sku: string;
  name: string;
  /** In minor units; null: the price of the product. */
  price: number | null;
  /** Null: the stock is not counted. */
  stock: number | null;
}

const ProductSchema = defineEntity({
  name: 'Product',
  tableName: 'product',
  indexes: [
    {
      name: 'product_featured',
      expression:
        'create index "product_featured" on "product" ("featured_priority", "id") where "featured_priority" is not null and "deleted_at" is null',
    },
    ...contentIndexes(
      'product',
      {
        name: 'lower("name")',
        price: '"price"',
        newest: '"created_at"',
        kind: '"kind", lower("name")',
      },
      { search: '"search"', images: '"images" jsonb_path_ops' },
    ),
  ],
  uniques: [
    // A SKU is unique in the global shop, and in the shop of each gym.
    {
      name: 'product_sku',
      expression: `create unique index "product_sku" on "product" (coalesce("gym_id", '00000000-0000-0000-0000-000000000000'::uuid), lower("sku")) where "deleted_at" is null`,
    },
  ],
  properties: {
    ...contentProperties(),
    sku: p.string().length(64),
    name: p.string().length(120),
    description: p.text().nullable(),
    kind: p.string().$type<ProductKind>().length(20),
    /** In minor units of `currency`. */
    price: p.integer(),
    currency: p.string().length(3),
    images: p.json<string[]>(),
    variants: p.json<Variant[]>(),
    /** Null: the stock is not counted. */
    stock: p.integer().nullable(),
    /** Null: not featured. The highest priority comes first. */
    featuredPriority: p.integer().nullable(),
    featuredFrom: p.datetime().nullable(),
    featuredUntil: p.datetime().nullable(),
    search: searchColumn([
      wordsOf('english', '"name"', 'A'),
      wordsOf('simple', '"name"', 'A'),
      wordsOf('simple', '"sku"', 'B'),
      wordsOf('simple', '"kind"', 'C'),
      wordsOf('english', `coalesce("description", '')`, 'D'),
    ]),
  },
});

export class Product extends ProductSchema.class {}
ProductSchema.setClass(Product);
