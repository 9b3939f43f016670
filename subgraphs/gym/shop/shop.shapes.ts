import { z } from 'zod';
import { pageQuery } from '#server/paging.ts';
import { currencyCode, MAX_INTEGER, uuid, versionNumber, visibleText } from '#server/shapes.ts';
import { StockMovementKind } from './stock.entity.ts';

export const MAX_STOCK = 1_000_000;

export const GymProductShape = z
  .object({
    gymId: uuid().meta({ description: 'The id of the gym that sells the product.' }),
    productId: uuid().meta({ description: 'A product of the content service.' }),
    price: z.int().nullable(),
    currency: z.string().nullable(),
    stock: z.int().nullable(),
  })
  .meta({ id: 'GymProduct' });
export type GymProductShape = z.infer<typeof GymProductShape>;

export const GymProgramShape = z
  .object({
    gymId: uuid().meta({ description: 'The id of the gym that recommends the routine.' }),
    routineId: uuid().meta({ description: 'A workout routine of the content service.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'GymProgram' });
export type GymProgramShape = z.infer<typeof GymProgramShape>;

const once = (key: string) => ({ message: `expected each ${key} once` });
const isEachOnce = (ids: readonly string[]) => new Set(ids).size === ids.length;

const productInput = z
  .object({
    productId: uuid(),
    price: z.int().min(0).max(100_000_000).nullish(),
    currency: currencyCode.nullish(),
    stock: z.int().min(0).max(MAX_STOCK).nullish(),
  })
  .refine(({ price, currency }) => (price ?? null) === null || Boolean(currency), {
    path: ['currency'],
    message: 'expected a currency with the price',
  });

/** The whole list, in its order. */
export const ProductsInput = z
  .object({
    products: z
      .array(productInput)
      .max(500)
      .refine((products) => isEachOnce(products.map(({ productId }) => productId)), once('productId')),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'SetGymProductsInput' });

/** The whole list, in its order. */
export const ProgramsInput = z
  .object({
    programs: z
      .array(z.object({ routineId: uuid(), note: z.string().trim().max(500).nullish() }))
      .max(500)
      .refine((programs) => isEachOnce(programs.map(({ routineId }) => routineId)), once('routineId')),
  })
  .meta({ graphType: 'SetGymProgramsInput' });

export const StockMovementShape = z
  .object({
    id: uuid(),
    gymId: uuid(),
    productId: uuid(),
    kind: z.enum(StockMovementKind),
    delta: z.int(),
    stock: z.int(),
    reason: z.string(),
    orderId: uuid().nullable(),
    actorId: uuid()
      .nullable()
      .meta({ description: 'The user who caused it; null if a job did, or if the account is deleted.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'StockMovement' });
export type StockMovementShape = z.infer<typeof StockMovementShape>;

/** The kinds of movements that staff enter; the others are caused by orders. */
const ENTERED = [
  StockMovementKind.CORRECTED,
  StockMovementKind.RECEIVED,
  StockMovementKind.RETURNED,
] as const;

export const AdjustStockInput = z
  .object({
    delta: z
      .int('expected a whole number other than 0')
      .min(-MAX_STOCK)
      .max(MAX_STOCK)
      .refine((delta) => delta !== 0, 'expected a whole number other than 0'),
    reason: visibleText(200),
    kind: z.enum(ENTERED, `expected one of ${ENTERED.join(', ')}`).nullish(),
  })
  .refine(({ delta, kind }) => delta > 0 || !kind || kind === StockMovementKind.CORRECTED, {
    path: ['delta'],
    message: 'expected a number above 0: only a correction can make the stock smaller',
  })
  .meta({ graphType: 'AdjustStockInput' });

const below = z.coerce
  .number('expected a whole number of at least 1')
  .int('expected a whole number of at least 1')
  .min(1, 'expected a whole number of at least 1')
  .max(MAX_INTEGER, `expected at most ${MAX_INTEGER}`);

const LOW_STOCK = 5;

export const LowStockQuery = pageQuery.extend({
  below: below
    .default(LOW_STOCK)
    .meta({ description: `Only products of which fewer pieces are free. Default: ${LOW_STOCK}.` }),
});

/** The rule checks `below`, for every door. The default also replaces null, which the graph may send. */
export const LowStockFilter = z.object({ below: below.nullish().transform((given) => given ?? LOW_STOCK) });
