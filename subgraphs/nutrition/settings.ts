import { z } from 'zod';
import { httpUrl } from '#server/settings.ts';

/** The settings of the nutrition service in addition to those of the platform. */
export const nutritionSettings = z.object({
  /** The API key of Google's Gemini; absent: meals are estimated by the food table, and pictures are refused. */
  geminiApiKey: z.string().min(1).optional(),
  geminiModel: z.string().min(1).default('gemini-2.5-flash'),
  geminiBaseUrl: httpUrl('https://generativelanguage.googleapis.com'),
  /** The time limit of one attempt. */
  geminiTimeoutMillis: z.coerce.number().int().min(100).max(60_000).default(12_000), // 12 s
  /** The time limit of all attempts and the waits between them; the gateway's time limit can shorten it. */
  geminiTotalTimeoutMillis: z.coerce.number().int().min(100).max(300_000).default(25_000), // 25 s
  /** Attempts after the first one, if the provider is overloaded or fails. */
  geminiRetries: z.coerce.number().int().min(0).max(5).default(2),
  /**
   * The maximum of the sum of all waits between attempts. If the next wait would exceed it, there is no further attempt, and
   * the caller gets the error at once.
   */
  geminiMaxRetryWaitMillis: z.coerce.number().int().min(0).max(30_000).default(3_000), // 3 s
  /** For how long the provider is not called after five failures in a row. */
  geminiBreakerMillis: z.coerce.number().int().min(100).max(600_000).default(30_000), // 30 s
  /** The product database, e.g. https://world.openfoodfacts.org; absent: barcodes are searched only in users' own foods. */
  openFoodFactsUrl: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).optional(),
  /** The time limit of a request for a product. */
  openFoodFactsTimeoutMillis: z.coerce.number().int().min(100).max(60_000).default(3_000), // 3 s
});
