import { z } from 'zod';
import { NutrientsShape } from '../nutrients.ts';

export const AnalysisItemShape = z
  .object({
    name: z.string(),
    grams: z.number(),
    calories: z.int(),
    protein: z.number(),
    carbs: z.number(),
    fats: z.number(),
    confidence: z.number().min(0).max(1).meta({
      description:
        'The truth is expected within (1 - confidence) of the number: 0.9 means within 10 percent.',
    }),
    known: z
      .boolean()
      .meta({ description: 'Always true: what was not recognised is in `unknown` of the analysis.' }),
  })
  .meta({ id: 'AnalysisItem' });
export type AnalysisItem = z.infer<typeof AnalysisItemShape>;

export const AnalysisShape = z
  .object({
    items: z.array(AnalysisItemShape),
    total: NutrientsShape,
    confidence: z.number().min(0).max(1).meta({
      description:
        'Of the total: the truth is expected within (1 - confidence) of its calories. At 0.8 and above, at least four of five meals of the calibration set lie in that range.',
    }),
    questions: z.array(z.string()).meta({
      description:
        'What would make the estimate better: portions that were assumed, weights above what a person eats at a meal, numbers with two readings, words that were corrected.',
    }),
    unknown: z.array(z.string()).meta({
      description:
        'Parts of the text that were not understood, as written, and items of an AI provider that cannot be right. They are in no item and count as nothing.',
    }),
    provider: z.string().meta({
      description:
        '`food-table`, or the AI provider, e.g. `gemini`; `gemini+food-table` if the table gave or corrected nutrients of the provider.',
    }),
  })
  .meta({ id: 'FoodAnalysis' });
export type Analysis = z.infer<typeof AnalysisShape>;

export const AnalyzeShape = z.object({
  prompt: z
    .string()
    .trim()
    .max(4_000)
    .optional()
    .meta({ description: 'What was eaten, as one would say it: "2 eggs, a slice of toast with butter".' }),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'expected a language tag such as en-GB')
    .optional()
    .meta({
      description:
        'Language of the prompt and of the names in the answer. The food table understands `en`, `de`, `fr` and `es`, each beside English; default: English by the food table, the language of the prompt by the AI provider. It decides how numbers are read: `2.000 g` is 2,000 g in German.',
    }),
});
