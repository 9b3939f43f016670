import { z } from 'zod';
import { changeOf, orDefault } from '#server/input-shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { currencyCode, flag, instant, uuid, versionNumber } from '#server/shapes.ts';
import { listFilters, type FiltersOf } from '../listing.shapes.ts';
import { PRODUCT_KINDS } from './product.entity.ts';

const sku = z.string().trim().min(1).max(64);
const minorUnits = z
  .int('expected a whole number of minor units, e.g. cents, from 0 to 100000000')
  .min(0)
  .max(100_000_000);
const stock = z.int().min(0).max(10_000_000).nullable();
const image = z
  .string()
  .max(500)
  .regex(
    /^(https?:\/\/|(\/[\w.~-]+)*\/media\/)\S+$/,
    'expected an http(s) URL or a path under /media/, with or without the prefix of the gateway',
  )
  // Stored without the prefix, because the same picture is also read without the gateway.
  .transform((path) => (path.startsWith('/') ? path.slice(path.lastIndexOf('/media/')) : path));

const VariantShape = z
  .object({
    sku,
    name: z.string().trim().min(1).max(80),
    price: minorUnits.nullable().default(null),
    stock: stock.default(null),
  })
  .meta({ id: 'ProductVariant' });

export const ProductShape = z
  .object({
    id: uuid(),
    sku: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    kind: z.enum(PRODUCT_KINDS),
    price: z.int(),
    currency: z.string(),
    images: z.array(z.string()),
    variants: z.array(VariantShape),
    stock,
    available: z.boolean(),
    featured: z.boolean(),
    featuredPriority: z.int().nullable(),
    featuredFrom: z.iso.datetime().nullable(),
    featuredUntil: z.iso.datetime().nullable(),
    gymId: uuid().nullable(),
    version: z.int(),
  })
  .meta({ id: 'Product' });
export type ProductShape = z.infer<typeof ProductShape>;

/** The fields that are written, also in the demo data. */
export const productFields = {
  sku,
  name: z.string().trim().min(1).max(120),
  description: z.string().trim().max(5_000).nullable(),
  kind: z.enum(PRODUCT_KINDS, `expected ${PRODUCT_KINDS.join(' or ')}`),
  price: minorUnits,
  currency: currencyCode,
  images: z.array(image).max(20),
  variants: z
    .array(VariantShape)
    .max(100)
    .refine(
      (list) => new Set(list.map((variant) => variant.sku.toLowerCase())).size === list.length,
      'expected a SKU of its own for each variant',
    ),
  stock,
  featuredPriority: z.int().min(0).max(1_000_000).nullable(),
  featuredFrom: instant.nullable(),
  featuredUntil: instant.nullable(),
};

export const CreateProductShape = z
  .object({
    gymId: uuid().nullish(),
    ...productFields,
    description: productFields.description.optional(),
    images: orDefault(productFields.images, []),
    variants: orDefault(productFields.variants, []),
    stock: stock.optional(),
    featuredPriority: productFields.featuredPriority.optional(),
    featuredFrom: productFields.featuredFrom.optional(),
    featuredUntil: productFields.featuredUntil.optional(),
  })
  .meta({ graphType: 'CreateProductInput' });

export const UpdateProductShape = z
  .object({ ...changeOf(productFields), version: versionNumber.nullish() })
  .meta({ graphType: 'UpdateProductInput' });

export const ProductQuery = pageQuery.extend({
  ...listFilters,
  kind: z.string().max(20).optional().meta({ description: 'SUPPLEMENT or MERCHANDISE.' }),
  minPrice: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The lowest price, in minor units.' }),
  maxPrice: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The highest price, in minor units.' }),
  inStock: flag.optional().meta({ description: 'true: only products that are available.' }),
  sort: z
    .enum(['name', 'newest', 'price', '-price'], 'expected name, newest, price or -price')
    .optional()
    .meta({
      description:
        'Default: the best match first if there is a search, else by name; -price: the most expensive first.',
    }),
});
export type ProductFilter = FiltersOf<typeof ProductQuery>;
