import { z } from 'zod';
import type { Logger } from '#server/observability/logger.ts';
import { isVariable } from '../estimator/food-kinds.ts';
import { nutrientsOf, type Food } from '../foods/food.ts';
import { implausibilityOf } from '../plausibility.ts';
import type { Analysis, AnalysisItem } from './analysis.shapes.ts';
import { UnusableAnswerError } from './gemini-failures.ts';
import { foodCalled } from './known-foods.ts';

const MOST_ITEMS = 50;
const MOST_QUESTIONS = 5;
/** More than a person eats of one food at a meal: asked, and not believed. */
const MOST_GRAMS_UNASKED = 1_500;
const MOST_GRAMS = 10_000;

const amount = z.number().min(0).max(20_000).optional().catch(undefined);
/** Item by item, field by field: what is missing or no number is undefined. */
const ItemShape = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .transform((name) => name.slice(0, 200)),
  grams: z.number().positive().max(MOST_GRAMS).optional().catch(undefined),
  calories: amount,
  protein: amount,
  carbs: amount,
  fats: amount,
  confidence: z.number().min(0).max(1).optional().catch(undefined),
});
const AnswerShape = z.object({
  items: z.array(z.unknown()),
  questions: z.array(z.string()).catch([]).default([]),
});
export type ProviderAnswer = z.infer<typeof AnswerShape>;

/** @throws UnusableAnswerError if it is no JSON, or none with a list of items */
export function answerOf(text: string): ProviderAnswer {
  try {
    return AnswerShape.parse(JSON.parse(text));
  } catch (error) {
    throw new UnusableAnswerError('the answer has another shape than was asked for', { cause: error });
  }
}

/**
 * What is believed of an answer, item by item: an item that cannot be costs itself, not the meal, and stands in `unknown`.
 *
 * The provider says which foods were eaten and how much of them. A food that it calls as the food table does gets the
 * table's nutrients for that weight if the provider's are missing, cannot be, or lie far from the table's.
 */
export function analysisOf(
  { items: rawItems, questions }: ProviderAnswer,
  { provider, locale, log }: { provider: string; locale: string | undefined; log: Logger },
): Analysis {
  const items: AnalysisItem[] = [];
  const unknown: string[] = [];
  const ownQuestions: string[] = [];
  let byTable = false;
  for (const raw of rawItems.slice(0, MOST_ITEMS)) {
    const judged = judgedItem(raw, locale);
    if (judged.kind === 'known') {
      items.push(judged.item);
      byTable ||= judged.byTable;
      if (judged.item.grams > MOST_GRAMS_UNASKED)
        ownQuestions.push(`Did you really have ${Math.round(judged.item.grams)} g of ${judged.item.name}?`);
    } else {
      log.warn({ item: raw, reason: judged.reason }, 'an item of the AI provider cannot be right');
      if (judged.name === undefined) continue;
      unknown.push(judged.name);
      ownQuestions.push(`How much of ${judged.name} was it, and what does its label say?`);
    }
  }
  return {
    items,
    total: totalOf(items),
    confidence: confidenceOf(items, unknown.length),
    questions: [...ownQuestions, ...questions.map((question) => question.slice(0, 300))].slice(
      0,
      MOST_QUESTIONS,
    ),
    unknown,
    provider: byTable ? `${provider}+food-table` : provider,
  };
}

type Judged =
  | { kind: 'known'; item: AnalysisItem; byTable: boolean }
  | { kind: 'unknown'; name: string | undefined; reason: string };

function judgedItem(raw: unknown, locale: string | undefined): Judged {
  const parsed = ItemShape.safeParse(raw);
  if (!parsed.success) return { kind: 'unknown', name: undefined, reason: 'it has no name' };
  const { name, grams, confidence, ...nutrients } = parsed.data;
  if (grams === undefined || confidence === undefined)
    return { kind: 'unknown', name, reason: 'it has no weight or confidence' };
  const own = complete(nutrients);
  const doubt = own ? implausibilityOf({ ...own, grams }, 'estimate')?.message : 'a nutrient is missing';
  const food = foodCalled(name, locale);
  if (doubt !== undefined && !food) return { kind: 'unknown', name, reason: doubt };
  const byTable = food !== undefined && (doubt !== undefined || !own || isFarFrom(food, own.calories, grams));
  const held = byTable ? nutrientsOf(food, grams) : own;
  if (!held) return { kind: 'unknown', name, reason: 'a nutrient is missing' };
  return {
    kind: 'known',
    byTable,
    item: {
      name,
      grams: round(grams),
      calories: Math.round(held.calories),
      protein: round(held.protein),
      carbs: round(held.carbs),
      fats: round(held.fats),
      confidence: grams > MOST_GRAMS_UNASKED ? Math.min(confidence, 0.5) : confidence,
      known: true,
    },
  };
}

type Nutrients = Pick<AnalysisItem, 'calories' | 'protein' | 'carbs' | 'fats'>;

const complete = ({
  calories,
  protein,
  carbs,
  fats,
}: { [Name in keyof Nutrients]?: number | undefined }): Nutrients | undefined =>
  calories === undefined || protein === undefined || carbs === undefined || fats === undefined
    ? undefined
    : { calories, protein, carbs, fats };

const FAR_FACTOR = 0.25;
const FAR_KCAL = 15;

/**
 * Whether the energy of 100 g differs from the table's by more than a quarter, and by more than 15 kcal. Of dishes, soups
 * and the like the table only has a usual one, and the provider may know the one that was eaten.
 */
function isFarFrom(food: Food, calories: number, grams: number): boolean {
  if (isVariable(food)) return false;
  const { per100g } = food;
  const difference = Math.abs((calories * 100) / grams - per100g.calories);
  return difference > FAR_KCAL && difference > per100g.calories * FAR_FACTOR;
}

function totalOf(items: readonly AnalysisItem[]): Analysis['total'] {
  const total = { calories: 0, protein: 0, carbs: 0, fats: 0 };
  for (const item of items)
    for (const nutrient of ['calories', 'protein', 'carbs', 'fats'] as const)
      total[nutrient] = round(total[nutrient] + item[nutrient]);
  return total;
}

/** The mean of the items by their energy, less the share of what is not known. */
function confidenceOf(items: readonly AnalysisItem[], unknown: number): number {
  const weights = items.reduce((sum, item) => sum + item.calories + 1, 0);
  if (weights === 0) return 0;
  const mean = items.reduce((sum, item) => sum + item.confidence * (item.calories + 1), 0) / weights;
  return round((mean * items.length) / (items.length + unknown));
}

const round = (value: number): number => Math.round(value * 100) / 100;
