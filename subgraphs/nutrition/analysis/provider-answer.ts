import { z } from 'zod';
import type { Logger } from '#server/observability/logger.ts';
import { isVariable } from '../estimator/food-kinds.ts';
import { nutrientsOf, type Food } from '../foods/food.ts';
import { NO_NUTRIENTS, nutrientsBy, type Nutrients } from '../nutrients.ts';
import { implausibilityOf } from '../plausibility.ts';
import type { Analysis, AnalysisItem } from './analysis.shapes.ts';
import { UnusableAnswerError } from './gemini-failures.ts';
import { MAX_ITEMS, tooManyFoods } from './item-limit.ts';
import { foodCalled } from './known-foods.ts';

const MAX_QUESTIONS = 5;
/** More items than an answer of `maxOutputTokens` can have. */
const MAX_UNKNOWN = 1_000;
/** Above this weight of one food at a meal, the user is asked, and the confidence is limited. */
const MAX_GRAMS_WITHOUT_QUESTION = 1_500;
/** A greater weight is an error, and counts as missing. */
const MAX_GRAMS = 10_000;

const amount = z.number().min(0).max(20_000).optional().catch(undefined);
const NamedShape = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .transform((name) => name.slice(0, 200)),
});
/** An item. Except for the name, a field that is missing or wrong becomes undefined, so that the others can be used. */
const ItemShape = NamedShape.extend({
  grams: z.number().positive().max(MAX_GRAMS).optional().catch(undefined),
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
type ProviderAnswer = z.infer<typeof AnswerShape>;

/** @throws UnusableAnswerError for a text that is no JSON with a list of items */
export function answerOf(text: string): ProviderAnswer {
  try {
    return AnswerShape.parse(JSON.parse(text));
  } catch (error) {
    throw new UnusableAnswerError('the answer does not have the expected shape', { cause: error });
  }
}

/**
 * The analysis of a provider's answer. Each item is checked by itself: an implausible item is listed in `unknown`, and the
 * others stay. Items beyond the first 50 are listed there, too.
 *
 * The provider decides the foods and their weights. If the food table has a food of the same name, its nutrients replace the
 * provider's if these are missing, implausible or very different.
 */
export function analysisOf(
  { items: rawItems, questions }: ProviderAnswer,
  { provider, locale, log }: { provider: string; locale: string | undefined; log: Logger },
): Analysis {
  const items: AnalysisItem[] = [];
  const unknown: string[] = [];
  const excess = rawItems.slice(MAX_ITEMS);
  const ownQuestions: string[] = excess.length > 0 ? [tooManyFoods(rawItems.length)] : [];
  let notCounted = excess.length;
  let byTable = false;
  for (const raw of rawItems.slice(0, MAX_ITEMS)) {
    const judged = judgedItem(raw, locale);
    if (judged.kind === 'known') {
      items.push(judged.item);
      byTable ||= judged.byTable;
      if (judged.item.grams > MAX_GRAMS_WITHOUT_QUESTION)
        ownQuestions.push(`Did you really have ${Math.round(judged.item.grams)} g of ${judged.item.name}?`);
    } else {
      log.warn({ item: raw, reason: judged.reason }, 'an item of the AI provider is implausible');
      notCounted += 1;
      if (judged.name === undefined) continue;
      unknown.push(judged.name);
      ownQuestions.push(`How much of ${judged.name} was it, and what does its label say?`);
    }
  }
  return {
    items,
    total: totalOf(items),
    confidence: confidenceOf(items, notCounted),
    questions: [...ownQuestions, ...questions.map((question) => question.slice(0, 300))].slice(
      0,
      MAX_QUESTIONS,
    ),
    unknown: [...unknown, ...excess.flatMap(nameOf)].slice(0, MAX_UNKNOWN),
    provider: byTable ? `${provider}+food-table` : provider,
  };
}

/** The name of an item as a list; an empty list if the item has no name. */
function nameOf(raw: unknown): string[] {
  const parsed = NamedShape.safeParse(raw);
  return parsed.success ? [parsed.data.name] : [];
}

type Judged =
  | { kind: 'known'; item: AnalysisItem; byTable: boolean }
  | { kind: 'unknown'; name: string | undefined; reason: string };

function judgedItem(raw: unknown, locale: string | undefined): Judged {
  const parsed = ItemShape.safeParse(raw);
  if (!parsed.success) return { kind: 'unknown', name: undefined, reason: 'it has no name' };
  const { name, grams, confidence, ...given } = parsed.data;
  if (grams === undefined || confidence === undefined)
    return { kind: 'unknown', name, reason: 'it has no weight or confidence' };
  const own = complete(given);
  const doubt = own ? implausibilityOf({ ...own, grams }, 'estimate')?.message : 'a nutrient is missing';
  const food = foodCalled(name, locale);
  if (doubt !== undefined && !food) return { kind: 'unknown', name, reason: doubt };
  const byTable = food !== undefined && (doubt !== undefined || !own || isFarFrom(food, own.calories, grams));
  const nutrients = byTable ? nutrientsOf(food, grams) : own;
  if (!nutrients) return { kind: 'unknown', name, reason: 'a nutrient is missing' };
  return {
    kind: 'known',
    byTable,
    item: {
      name,
      grams: round(grams),
      ...nutrientsBy((nutrient) => round(nutrients[nutrient])),
      calories: Math.round(nutrients.calories),
      confidence: grams > MAX_GRAMS_WITHOUT_QUESTION ? Math.min(confidence, 0.5) : confidence,
      known: true,
    },
  };
}

const complete = (given: { [Name in keyof Nutrients]?: number | undefined }): Nutrients | undefined =>
  Object.values(nutrientsBy((name) => given[name])).includes(undefined) ? undefined : (given as Nutrients);

const FAR_FACTOR = 0.25;
const FAR_KCAL = 15;

/**
 * Whether the energy of 100 g differs from the table's by more than a quarter, and by more than 15 kcal. False for foods
 * that vary, such as dishes and soups: the table has only a usual one, and the provider may have seen the one that was
 * eaten.
 */
function isFarFrom(food: Food, calories: number, grams: number): boolean {
  if (isVariable(food)) return false;
  const { per100g } = food;
  const difference = Math.abs((calories * 100) / grams - per100g.calories);
  return difference > FAR_KCAL && difference > per100g.calories * FAR_FACTOR;
}

const totalOf = (items: readonly AnalysisItem[]): Nutrients =>
  items.reduce((total, item) => nutrientsBy((name) => round(total[name] + item[name])), NO_NUTRIENTS);

/** The mean confidence of the items, weighted by their energy, and reduced by the share of items that are not counted. */
function confidenceOf(items: readonly AnalysisItem[], notCounted: number): number {
  const weights = items.reduce((sum, item) => sum + item.calories + 1, 0);
  if (weights === 0) return 0;
  const mean = items.reduce((sum, item) => sum + item.confidence * (item.calories + 1), 0) / weights;
  return round((mean * items.length) / (items.length + notCounted));
}

const round = (value: number): number => Math.round(value * 100) / 100;
