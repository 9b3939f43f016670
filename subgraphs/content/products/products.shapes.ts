import { z } from 'zod';
import { currencyCode, instant, versionNumber } from '#server/shapes.ts';
import { pageQuery } from '#server/paging.ts';
import { PRODUCT_KINDS } from './product.entity.ts';
import { search } from '../exercises/exercises.shapes.ts';

const sku = z.string().trim().min(1).max(64);
const minorUnits = z.int('expected a whole number of minor units, e.g. cents').min(0).max(100_000_000);
const stock = z
  .int()
  .min(0)
  .max(10_000_000)
  .nullable()
  .meta({ description: 'Pieces there are; null: not counted.' });
const image = z
  .string()
  .max(500)
  .regex(
    /^(https?:\/\/|(\/[\w.~-]+)*\/media\/)\S+$/,
    'expected an http(s) URL or a path under /media/, with or without the prefix of the gateway',
  )
  // Stored without the prefix, because the same picture is also read without the gateway.
  .transform((path) => (path.startsWith('/') ? path.slice(path.lastIndexOf('/media/')) : path));

export const VariantShape = z
  .object({
    sku,
    name: z.string().trim().min(1).max(80).meta({ description: 'For example Chocolate, or L.' }),
    price: minorUnits.nullable().default(null).meta({ description: "Null: the product's." }),
    stock: stock.default(null),
  })
  .meta({ id: 'ProductVariant' });

export const ProductShape = z
  .object({
    id: z.uuid(),
    sku: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    kind: z.enum(PRODUCT_KINDS),
    price: z.int().meta({ description: 'In minor units of the currency: 2999 EUR is 29.99 €.' }),
    currency: z.string().meta({ description: 'ISO 4217.' }),
    images: z.array(z.string()).meta({
      description:
        'Paths of pictures at the server that you ask, `/media/...` or, through the gateway, `/content/media/...` (`?size=` chooses a size); or URLs.',
    }),
    variants: z.array(VariantShape),
    stock,
    available: z.boolean().meta({ description: 'Whether any of it is in stock.' }),
    featured: z.boolean().meta({ description: 'Whether it is promoted now.' }),
    featuredPriority: z
      .int()
      .nullable()
      .meta({ description: 'The higher, the earlier; null: not featured.' }),
    featuredFrom: z.iso.datetime().nullable(),
    featuredUntil: z.iso.datetime().nullable(),
    gymId: z.uuid().nullable().meta({ description: "Null: in every gym's shop." }),
    version: z.int(),
  })
  .meta({ id: 'Product' });
export type ProductShape = z.infer<typeof ProductShape>;

const fields = {
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
  featuredPriority: z.int().min(0).max(1_000_000).nullable(),
  featuredFrom: instant.nullable(),
  featuredUntil: instant.nullable(),
};

export const CreateProductShape = z.object({
  gymId: z.uuid().nullish().meta({
    description:
      "For a SUPER_ADMIN: whose it is; null for every shop. A GYM_ADMIN's belongs to their gym, which they may name.",
  }),
  sku: fields.sku,
  name: fields.name,
  description: fields.description.optional(),
  kind: fields.kind,
  price: fields.price,
  currency: fields.currency,
  images: fields.images.nullish(),
  variants: fields.variants.nullish(),
  stock: stock.optional(),
  featuredPriority: fields.featuredPriority.optional(),
  featuredFrom: fields.featuredFrom.optional(),
  featuredUntil: fields.featuredUntil.optional(),
});

/** What is absent stays; null empties a field that may be empty. */
export const UpdateProductShape = z.object({
  sku: fields.sku.nullish(),
  name: fields.name.nullish(),
  description: fields.description.optional(),
  kind: fields.kind.nullish(),
  price: fields.price.nullish(),
  currency: fields.currency.nullish(),
  images: fields.images.nullish(),
  variants: fields.variants.nullish(),
  stock: stock.optional(),
  featuredPriority: fields.featuredPriority.optional(),
  featuredFrom: fields.featuredFrom.optional(),
  featuredUntil: fields.featuredUntil.optional(),
  version: versionNumber.nullish(),
});

const flag = z.enum(['true', 'false'], 'expected true or false').transform((text) => text === 'true');
export const ProductQuery = pageQuery.extend({
  search,
  kind: z.string().max(20).optional().meta({ description: 'SUPPLEMENT or MERCHANDISE.' }),
  minPrice: z.coerce.number().int().min(0).optional(),
  maxPrice: z.coerce.number().int().min(0).optional(),
  inStock: flag.optional().meta({ description: 'true: only what is available.' }),
  gymId: z.uuid().optional().meta({ description: 'Only what this gym added, as far as you may see it.' }),
  sort: z
    .enum(['name', 'newest', 'price', '-price'], 'expected name, newest, price or -price')
    .optional()
    .meta({
      description: 'Default: best match where there is a search, else by name; -price: dearest first.',
    }),
});
export type ProductFilter = {
  [Field in keyof Omit<z.infer<typeof ProductQuery>, 'limit' | 'cursor'>]?:
    | z.infer<typeof ProductQuery>[Field]
    | null;
};
