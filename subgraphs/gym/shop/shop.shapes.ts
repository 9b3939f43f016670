import { z } from 'zod';
import { currencyCode } from '#server/shapes.ts';

export const GymProductShape = z
  .object({
    gymId: z.uuid().meta({ description: 'The id of the gym that sells the product.' }),
    productId: z.uuid().meta({ description: 'A product of the content service.' }),
    price: z.int().nullable(),
    currency: z.string().nullable(),
    stock: z.int().nullable(),
  })
  .meta({ id: 'GymProduct' });
export type GymProductShape = z.infer<typeof GymProductShape>;

export const GymProgramShape = z
  .object({
    gymId: z.uuid().meta({ description: 'The id of the gym that recommends the routine.' }),
    routineId: z.uuid().meta({ description: 'A workout routine of the content service.' }),
    note: z.string().nullable(),
  })
  .meta({ id: 'GymProgram' });
export type GymProgramShape = z.infer<typeof GymProgramShape>;

const once = (key: string) => ({ message: `expected each ${key} once` });
const isEachOnce = (ids: readonly string[]) => new Set(ids).size === ids.length;

const productInput = z
  .object({
    productId: z.uuid(),
    price: z.int().min(0).max(100_000_000).nullish(),
    currency: currencyCode.nullish(),
    stock: z.int().min(0).max(1_000_000).nullish(),
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
  })
  .meta({ graphType: 'SetGymProductsInput' });

/** The whole list, in its order. */
export const ProgramsInput = z
  .object({
    programs: z
      .array(z.object({ routineId: z.uuid(), note: z.string().trim().max(500).nullish() }))
      .max(500)
      .refine((programs) => isEachOnce(programs.map(({ routineId }) => routineId)), once('routineId')),
  })
  .meta({ graphType: 'SetGymProgramsInput' });
