import { z } from 'zod';
import { httpUrl } from '#server/settings.ts';

/** What the nutrition service reads beside the platform's settings. */
export const nutritionSettings = z.object({
  /** Key of Google's Gemini; absent: meals are estimated by the food table, pictures are refused. */
  geminiApiKey: z.string().min(1).optional(),
  geminiModel: z.string().min(1).default('gemini-2.5-flash'),
  geminiBaseUrl: httpUrl('https://generativelanguage.googleapis.com'),
  /** How long one attempt may take. */
  geminiTimeoutMillis: z.coerce.number().int().min(100).max(60_000).default(12_000), // 12 s
  /** How long all attempts and the waits between them may take; the gateway's own time limit shortens it. */
  geminiTotalTimeoutMillis: z.coerce.number().int().min(100).max(300_000).default(25_000), // 25 s
  /** Attempts after the first one, where the provider is overloaded or out of order. */
  geminiRetries: z.coerce.number().int().min(0).max(5).default(2),
  /** How long to wait for them in all; where the provider asks for more, the caller is told at once. */
  geminiMaxRetryWaitMillis: z.coerce.number().int().min(0).max(30_000).default(3_000), // 3 s
  /** After five failures in a row it is not asked for so long. */
  geminiBreakerMillis: z.coerce.number().int().min(100).max(600_000).default(30_000), // 30 s
  /** Where products are looked up by barcode, e.g. https://world.openfoodfacts.org; absent: in users' own foods alone. */
  openFoodFactsUrl: z.url({ protocol: /^https?$/, error: 'expected an http(s) URL' }).optional(),
  /** How long a product may be waited for. */
  openFoodFactsTimeoutMillis: z.coerce.number().int().min(100).max(60_000).default(3_000), // 3 s
});
