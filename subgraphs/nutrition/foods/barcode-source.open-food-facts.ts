import { z } from 'zod';
import { CircuitBreaker } from '#server/circuit-breaker.ts';
import { PlatformError } from '#server/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import { implausibilityOf } from '../plausibility.ts';
import type { BarcodeSource, Product } from './barcode-source.ts';
import { LOCALES } from './food.ts';

interface OpenFoodFactsOptions {
  url: string;
  timeoutMillis: number;
  log: Logger;
}

const BREAKER = { failuresToOpen: 5, openMillis: 30_000 }; // 30 s
const MAX_ANSWER_BYTES = 1024 * 1024; // 1 MiB
const FIELDS = [
  'product_name',
  ...LOCALES.map((locale) => `product_name_${locale}`),
  'brands',
  'nutriments',
  'serving_quantity',
].join(',');
/** Open Food Facts asks clients to name themselves. */
const USER_AGENT = 'fitness-platform/1 (nutrition service)';

/** Open Food Facts by its API, version 2; its data are under the Open Database License. */
export function openFoodFacts({ url, timeoutMillis, log }: OpenFoodFactsOptions): BarcodeSource {
  const breaker = new CircuitBreaker(BREAKER);
  const base = url.replace(/\/+$/, '');
  return {
    async find(barcode, callerLeft) {
      if (!breaker.tryAcquire()) throw unavailable(breaker.retryAfterMillis);
      const outOfTime = AbortSignal.timeout(timeoutMillis);
      let answer: unknown;
      try {
        const response = await fetch(`${base}/api/v2/product/${barcode}.json?fields=${FIELDS}`, {
          headers: { Accept: 'application/json', 'User-Agent': USER_AGENT },
          signal: callerLeft ? AbortSignal.any([outOfTime, callerLeft]) : outOfTime,
        });
        const text = await bounded(response);
        if (!response.ok && response.status !== 404)
          throw new Error(`Open Food Facts answered with the status ${response.status}`);
        answer = AnswerShape.parse(JSON.parse(text));
      } catch (cause) {
        if (callerLeft?.aborted) breaker.undecided();
        else {
          breaker.failed();
          log.warn({ err: cause }, 'Open Food Facts returned no usable answer');
        }
        throw outOfTime.aborted ? late(cause) : unavailable(undefined, cause);
      }
      breaker.succeeded();
      const product = productOf(answer as z.infer<typeof AnswerShape>);
      if (typeof product !== 'string') return product;
      log.info({ barcode, reason: product }, 'a product of Open Food Facts cannot be used');
      return undefined;
    },
  };
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer of Open Food Facts is longer than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Open Food Facts also sends numbers as texts, and null or an empty text if a value is unknown. */
const number = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(100_000))
  .optional()
  .catch(undefined);
const text = z.string().optional().catch(undefined);
const AnswerShape = z.object({
  status: z.number(),
  product: z
    .object({
      product_name: text,
      product_name_en: text,
      product_name_de: text,
      product_name_fr: text,
      product_name_es: text,
      brands: text,
      serving_quantity: number,
      nutriments: z
        .object({
          'energy-kcal_100g': number,
          energy_100g: number, // kJ
          proteins_100g: number,
          carbohydrates_100g: number,
          fat_100g: number,
          fiber_100g: number,
          sugars_100g: number,
          salt_100g: number,
        })
        .optional()
        .catch(undefined),
    })
    .nullish(),
});

/** The product, or the reason why it cannot be used: volunteers write the data, and some of it is wrong. */
function productOf({ status, product }: z.infer<typeof AnswerShape>): Product | string {
  if (status !== 1 || !product) return 'it is not known';
  const names: Product['names'] = Object.fromEntries(
    LOCALES.flatMap((locale) => {
      const name = storable(product[`product_name_${locale}`], 200);
      return name === undefined ? [] : [[locale, name] as const];
    }),
  );
  const name = names.en ?? storable(product.product_name, 200) ?? Object.values(names)[0];
  if (name === undefined) return 'it has no name';
  const nutriments = product.nutriments;
  const calories =
    nutriments?.['energy-kcal_100g'] ??
    (nutriments?.energy_100g === undefined ? undefined : nutriments.energy_100g / 4.184);
  if (!nutriments || calories === undefined) return 'its energy is not known';
  const per100g = {
    calories: Math.round(calories * 10) / 10,
    protein: nutriments.proteins_100g ?? null,
    carbs: nutriments.carbohydrates_100g ?? null,
    fats: nutriments.fat_100g ?? null,
    fibre: nutriments.fiber_100g ?? null,
    sugars: nutriments.sugars_100g ?? null,
    salt: nutriments.salt_100g ?? null,
  };
  const doubt = implausibilityOf({ ...per100g, grams: 100 });
  if (doubt) return doubt.message;
  const serving = product.serving_quantity;
  return {
    name,
    names,
    brand: storable(product.brands?.split(',')[0], 100) ?? null,
    per100g,
    measures: serving && serving > 0 && serving <= 5_000 ? [{ name: 'serving', grams: serving }] : [],
  };
}

/** A text up to a length; undefined if it is blank, or has characters that the database refuses. */
function storable(value: string | undefined, maxLength: number): string | undefined {
  const trimmed = value?.trim();
  if (!trimmed || trimmed.includes('\0') || !trimmed.isWellFormed()) return undefined;
  return trimmed.slice(0, maxLength).toWellFormed(); // the end may be half of a surrogate pair
}

const unavailable = (waitMillis?: number, cause?: unknown) =>
  new PlatformError(
    'UPSTREAM_UNAVAILABLE',
    'The product database does not answer; try again in a moment, or add the food yourself.',
    { cause, retryAfterSeconds: Math.max(1, Math.ceil((waitMillis ?? 1_000) / 1_000)) },
  );
const late = (cause: unknown) =>
  new PlatformError(
    'UPSTREAM_TIMEOUT',
    'The product database did not answer in time; try again in a moment, or add the food yourself.',
    { cause, retryAfterSeconds: 1 },
  );
