import { measureGrams, nutrientsOf, portionGrams, type Food } from '../foods/food.ts';
import type { Analysis, AnalysisItem } from '../analysis/analysis.shapes.ts';
import { isEmpty, type Amount } from './amounts.ts';
import { parseMeal, type Mention } from './parse-meal.ts';
import { MEASURE_WORDS, SIZES, VESSELS, VOLUME_UNITS } from './words.ts';

/**
 * How sure a weight is. A confidence of 0.9 says: the truth is expected within 10 percent of the number; 0.5: within
 * half of it. So the range is always `number * (1 ± (1 - confidence))`.
 */
export const CONFIDENCE = {
  /** A weight was written. */
  weight: 0.95,
  /** A measure that the table weighs, or a piece with its size. */
  measure: 0.9,
  /** A volume by the food's density, or a count of pieces. */
  pieces: 0.85,
  /** A bowl, a handful, a small one of what the table knows only one size of. */
  vessel: 0.65,
  /** Nothing was said: the usual portion. */
  portion: 0.5,
  unknown: 0,
} as const;

const CORRECTED = 0.9;
const LEFT_OUT = 0.8;
const VAGUE = 0.85;
const DISH = 0.7;
const MOST_GRAMS = 20_000;
const MOST_ITEMS = 50;
const MOST_QUESTIONS = 10;

/** Estimates a meal text by the food table. What it does not know it says, with no number made up. */
export function estimateMeal(text: string): Analysis {
  const mentions = parseMeal(text).slice(0, MOST_ITEMS);
  const items = mentions.map(itemOf);
  const known = items.filter((item) => item.known);
  const total = { calories: 0, protein: 0, carbs: 0, fats: 0 };
  for (const item of items) {
    total.calories += item.calories;
    total.protein = round(total.protein + item.protein);
    total.carbs = round(total.carbs + item.carbs);
    total.fats = round(total.fats + item.fats);
  }
  const weight = (item: AnalysisItem) => item.calories + 1; // water has a say, too
  const weights = known.reduce((sum, item) => sum + weight(item), 0);
  const mean =
    weights === 0 ? 0 : known.reduce((sum, item) => sum + item.confidence * weight(item), 0) / weights;
  return {
    items,
    total,
    confidence: items.length === 0 ? 0 : round((mean * known.length) / items.length),
    questions: questionsOf(mentions, items),
    unknown: [],
    provider: 'food-table',
  };
}

function itemOf({ food, words, amount, leftOut, corrected, companions }: Mention): AnalysisItem {
  if (!food)
    return {
      name: words,
      grams: Math.min(MOST_GRAMS, round((amount.grams ?? 0) * (amount.count ?? 1))),
      calories: 0,
      protein: 0,
      carbs: 0,
      fats: 0,
      confidence: CONFIDENCE.unknown,
      known: false,
    };
  const { grams, confidence } = weightOf(food, amount, companions);
  const held = nutrientsOf(food, grams);
  const sure =
    confidence *
    (corrected ? CORRECTED : 1) *
    (leftOut.length > 0 ? LEFT_OUT : 1) *
    (amount.vague ? VAGUE : 1) *
    (isDish(food) ? DISH : 1);
  return {
    name: food.names.en,
    grams: round(grams),
    calories: Math.round(held.calories),
    protein: round(held.protein),
    carbs: round(held.carbs),
    fats: round(held.fats),
    confidence: round(sure),
    known: true,
  };
}

const isDish = (food: Food): boolean => food.category === 'dishes';

/** Grams of what was said, and how sure that is. */
function weightOf(
  food: Food,
  amount: Amount,
  companions: readonly Food[],
): { grams: number; confidence: number } {
  const count = amount.count ?? 1;
  const bounded = (grams: number, confidence: number) =>
    grams > MOST_GRAMS ? { grams: MOST_GRAMS, confidence: 0.1 } : { grams, confidence };
  if (amount.ounces && measureGrams(food, 'fl oz') !== undefined)
    return bounded(
      (count * (amount.grams ?? 0) * (measureGrams(food, 'fl oz') ?? 0)) / 28.35,
      CONFIDENCE.measure,
    );
  if (amount.grams !== undefined) return bounded(count * amount.grams, CONFIDENCE.weight);
  if (amount.millilitres !== undefined)
    return bounded(count * amount.millilitres * density(food), CONFIDENCE.measure);
  if (isEmpty(amount))
    return { grams: besides(food, companions) ?? portionGrams(food), confidence: CONFIDENCE.portion };
  const one =
    amount.measure === undefined ? pieceOf(food, amount.size) : measureOf(food, amount.measure, amount.size);
  return bounded(count * one.grams, one.confidence);
}

function measureOf(
  food: Food,
  measure: string,
  size: string | undefined,
): { grams: number; confidence: number } {
  const factor = size === undefined ? 1 : (SIZES[size]?.factor ?? 1);
  const sized = factor === 1 ? 1 : VAGUE;
  if (measure === 'half') return scale(pieceOf(food, size), 0.5);
  if (measure === 'piece' || measure === 'steak') return pieceOf(food, size);
  if (measure === 'portion')
    return { grams: portionGrams(food) * factor, confidence: CONFIDENCE.vessel * sized };
  const weighed = measureGrams(food, measure);
  if (weighed !== undefined) return { grams: weighed * factor, confidence: CONFIDENCE.measure * sized };
  const spoon = VOLUME_UNITS[measure];
  if (spoon !== undefined && MEASURE_WORDS[measure])
    return { grams: spoon * density(food) * factor, confidence: CONFIDENCE.pieces * sized };
  const vessel = VESSELS[measure];
  if (!vessel) return scale(pieceOf(food, size), 1, CONFIDENCE.vessel);
  if (measure === 'handful' && food.category === 'nuts')
    return { grams: vessel.dryGrams * factor, confidence: CONFIDENCE.vessel };
  const grams = hasDensity(food) ? vessel.millilitres * density(food) : vessel.dryGrams;
  return { grams: grams * factor, confidence: CONFIDENCE.vessel * sized };
}

/** One of what is counted in pieces, of a size where one is said. */
function pieceOf(food: Food, size: string | undefined): { grams: number; confidence: number } {
  if (size !== undefined) {
    const wanted = SIZES[size] ?? { measure: 'medium', factor: 1 };
    const weighed = measureGrams(food, wanted.measure);
    if (weighed !== undefined) return { grams: weighed, confidence: CONFIDENCE.measure };
    return {
      grams: (measureGrams(food, 'piece') ?? portionGrams(food)) * wanted.factor,
      confidence: CONFIDENCE.vessel,
    };
  }
  const piece = measureGrams(food, 'piece') ?? measureGrams(food, 'medium');
  if (piece !== undefined) return { grams: piece, confidence: CONFIDENCE.pieces };
  return { grams: portionGrams(food), confidence: CONFIDENCE.vessel };
}

const scale = (weight: { grams: number; confidence: number }, by: number, most: number = 1) => ({
  grams: weight.grams * by,
  confidence: Math.min(most, weight.confidence),
});

const CUP = 236.6; // ml
const hasDensity = (food: Food): boolean =>
  ['fl oz', 'cup', 'tbsp', 'tsp'].some((name) => measureGrams(food, name) !== undefined);

/** Grams of a millilitre, by the first of the volumes that the table weighs; else as water. */
function density(food: Food): number {
  for (const [name, millilitres] of [
    ['fl oz', 29.57],
    ['cup', CUP],
    ['tbsp', 14.79],
    ['tsp', 4.93],
  ] as const) {
    const grams = measureGrams(food, name);
    if (grams !== undefined) return grams / millilitres;
  }
  return 1;
}

/** Less than a portion is meant of milk that goes into coffee or over oats. */
function besides(food: Food, companions: readonly Food[]): number | undefined {
  if (!food.id.startsWith('milk_') && !food.id.includes('milk_unsw')) return undefined;
  if (companions.some(({ id }) => id === 'coffee_black' || id === 'tea')) return 30;
  if (companions.some(({ id }) => ['cornflakes', 'granola', 'oats_dry', 'oatmeal'].includes(id))) return 122; // half a cup
  return undefined;
}

function questionsOf(mentions: readonly Mention[], items: readonly AnalysisItem[]): string[] {
  const questions = mentions.flatMap(({ food, words, amount, leftOut, corrected }, index) => {
    if (!food)
      return [
        `The food table does not know "${words}"; what is in it, or what does its label say? It counts as 0 kcal here.`,
      ];
    return [
      ...(corrected ? [`Did you mean ${food.names.en} by "${words}"?`] : []),
      ...(leftOut.length > 0
        ? [`What is "${leftOut.join(' ')}" before ${food.names.en}? It was left out.`]
        : []),
      ...(isEmpty(amount)
        ? [`How much ${food.names.en} was it? ${items[index]?.grams} g were assumed.`]
        : []),
    ];
  });
  if (mentions.length === 0)
    questions.push('No food was found in the text; what was eaten, and how much of it?');
  return questions.slice(0, MOST_QUESTIONS);
}

const round = (value: number): number => Math.round(value * 100) / 100;
