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
      .meta({ description: 'False: it was not recognised and counts as nothing; see the questions.' }),
  })
  .meta({ id: 'AnalysisItem' });
export type AnalysisItem = z.infer<typeof AnalysisItemShape>;

export const AnalysisShape = z
  .object({
    items: z.array(AnalysisItemShape),
    total: NutrientsShape,
    confidence: z.number().min(0).max(1).meta({
      description:
        'Of the total: the mean of the items by their calories, less the share of what is not known.',
    }),
    questions: z.array(z.string()).meta({ description: 'What would make the estimate better.' }),
    unknown: z.array(z.string()).meta({
      description: 'What was not understood, or cannot be right; it is not in `items` and counts as nothing.',
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
    .meta({ description: 'Language of the answer by the AI provider; default: that of the prompt.' }),
});
