import { z } from 'zod';
import { NutrientsShape } from '../nutrients.ts';

const AnalysisItemShape = z
  .object({
    name: z.string(),
    grams: z.number(),
    calories: z.int(),
    protein: z.number(),
    carbs: z.number(),
    fats: z.number(),
    confidence: z.number().min(0).max(1),
    known: z.boolean(),
  })
  .meta({ id: 'AnalysisItem' });
export type AnalysisItem = z.infer<typeof AnalysisItemShape>;

export const AnalysisShape = z
  .object({
    items: z.array(AnalysisItemShape),
    total: NutrientsShape,
    confidence: z.number().min(0).max(1),
    questions: z.array(z.string()),
    unknown: z.array(z.string()),
    provider: z.string(),
  })
  .meta({ id: 'FoodAnalysis' });
export type Analysis = z.infer<typeof AnalysisShape>;

export const AnalyzeShape = z.object({
  prompt: z
    .string()
    .trim()
    .max(4_000)
    .optional()
    .meta({ description: 'What was eaten, in everyday words: "2 eggs, a slice of toast with butter".' }),
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'expected a language tag such as en-GB')
    .optional()
    .meta({
      description:
        'Language of the prompt and of the names in the answer. The food table understands English, and with it one of `de`, `fr` and `es`. Default: English for the food table, the language of the prompt for the AI provider. The language decides how numbers are read: `2.000 g` is 2,000 g in German.',
    }),
});
