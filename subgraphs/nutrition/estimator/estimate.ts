import { nutrientsOf, LOCALES, type Food, type Locale } from '../foods/food.ts';
import { FOOD_TABLE } from '../foods/food-table.ts';
import type { Nutrients } from '../nutrients.ts';
import type { Analysis, AnalysisItem } from '../analysis/analysis.shapes.ts';
import { isEmpty } from './amounts.ts';
import { CONFIDENCE, DOUBTFUL, IMPLAUSIBLE, LESS_SURE, ofSum } from './confidence.ts';
import { foodNames } from './food-names.ts';
import { lexiconFor } from './lexicons/lexicon.ts';
import { parseMeal, type Mention } from './parse-meal.ts';
import { isVariable, milkShare } from './food-kinds.ts';
import { weightOf, type Weight } from './weights.ts';

const MOST_ITEMS = 50;
const MOST_QUESTIONS = 10;
const MOST_UNKNOWN_CHARACTERS = 200;

/** Estimates a meal text by the food table. What it does not understand it says, with no number made up. */
export function estimateMeal(text: string, languageTag?: string): Analysis {
  const locale = localeOf(languageTag);
  const language = { locale, lexicon: lexiconFor(locale), names: foodNames(locale) };
  const parsed = parseMeal(text, language);
  const mentions = parsed.mentions.slice(0, MOST_ITEMS);
  const bases = new Map(mentions.filter(({ role }) => role === 'base').map((base) => [base.group, base]));
  const estimates = energyOfDishes(
    mentions.map((mention) => {
      const alike = mentions.filter(({ role, group }) => role === 'filling' && group === mention.group);
      return estimateOf(mention, bases.get(mention.group), alike.length === 1);
    }),
  );
  const items = estimates.map((estimate) => itemOf(estimate, locale));
  const total = { calories: 0, protein: 0, carbs: 0, fats: 0 };
  for (const item of items) {
    total.calories += item.calories;
    total.protein = round(total.protein + item.protein);
    total.carbs = round(total.carbs + item.carbs);
    total.fats = round(total.fats + item.fats);
  }
  const unknown = [
    ...parsed.unknown,
    ...mentions.filter(({ leftOut }) => leftOut.length > 0).map(({ leftOut }) => leftOut.join(' ')),
  ]
    .slice(0, MOST_ITEMS)
    .map((words) => words.slice(0, MOST_UNKNOWN_CHARACTERS));
  return {
    items,
    total,
    // What was not understood may hold as much as what was.
    confidence: round((ofSum(items) * items.length) / Math.max(1, items.length + parsed.unknown.length)),
    questions: questionsOf(estimates, parsed.unknown, locale),
    unknown,
    provider: 'food-table',
  };
}

/** The language of a tag such as `de-AT`; English for those that the table does not have. */
const localeOf = (tag: string | undefined): Locale =>
  LOCALES.find((locale) => locale === tag?.toLowerCase().split(/[-_]/)[0]) ?? 'en';

interface Estimate {
  mention: Mention;
  weight: Weight;
  held: Nutrients;
  confidence: number;
}

function estimateOf(mention: Mention, base: Mention | undefined, isOnly: boolean): Estimate {
  const { food, amount } = mention;
  const weight = weightOf(mention, base, isOnly);
  const held = nutrientsOf(food, weight.grams);
  for (const missing of mention.minus) {
    withoutPart(food, missing, held, weight.grams);
    // The milk in its place is an item of its own.
    if (missing.id === 'milk_whole') weight.grams *= 1 - milkShare(food);
  }
  const sure =
    CONFIDENCE[weight.source] *
    (mention.corrected ? LESS_SURE.corrected : 1) *
    (mention.leftOut.length > 0 ? LESS_SURE.leftOut : 1) *
    (mention.flavoured ? LESS_SURE.flavoured : 1) *
    (mention.minus.length > 0 ? LESS_SURE.minus : 1) *
    (amount.vague ? LESS_SURE.vague : 1) *
    (amount.energy === undefined ? varietyOf(food) : 1);
  const least = Math.min(
    weight.implausible ? IMPLAUSIBLE : 1,
    amount.doubtful && weight.grams < 10 ? DOUBTFUL : 1,
  );
  return { mention, weight, held, confidence: Math.min(sure, least) };
}

const varietyOf = (food: Food): number =>
  food.recipe || food.category === 'dishes' ? LESS_SURE.dish : isVariable(food) ? LESS_SURE.variable : 1;

const categoryByNdb = new Map(
  FOOD_TABLE.flatMap(({ ndb, category }) => (ndb ? [[ndb, category] as const] : [])),
);
const foodByNdb = new Map(
  FOOD_TABLE.toReversed().flatMap((food) => (food.ndb ? [[food.ndb, food] as const] : [])),
);

/** Takes a part out of a dish: by its recipe, else by the usual piece of what was left out. */
function withoutPart(food: Food, missing: Food, held: Nutrients, grams: number): void {
  const parts = food.recipe?.parts ?? [];
  const made = food.recipe?.grams ?? parts.reduce((sum, [, partGrams]) => sum + partGrams, 0);
  const named = new Set([missing.ndb, ...(missing.recipe?.parts.map(([ndb]) => ndb) ?? [])]);
  const same = parts.filter(([ndb]) => named.has(ndb));
  const alike = same.length > 0 ? same : parts.filter(([ndb]) => categoryByNdb.get(ndb) === missing.category);
  const taken = alike.map(([ndb, partGrams]) => ({
    food: foodByNdb.get(ndb),
    grams: (partGrams * grams) / (made || 1),
  }));
  if (taken.length === 0 && food.category === 'fast_food' && missing.category === 'grains')
    taken.push({ food: missing, grams: 50 });
  if (taken.length === 0 && food.id.startsWith('pizza') && missing.category === 'dairy')
    taken.push({ food: missing, grams: grams / 4 });
  for (const part of taken) {
    if (!part.food) continue;
    const minus = nutrientsOf(part.food, part.grams);
    for (const nutrient of ['calories', 'protein', 'carbs', 'fats'] as const)
      held[nutrient] = Math.max(0, held[nutrient] - minus[nutrient]);
  }
}

/** An energy that is said of a dish is of all its parts: "a chicken wrap, 450 kcal". */
function energyOfDishes(estimates: readonly Estimate[]): readonly Estimate[] {
  for (const base of estimates) {
    const { energy, count = 1 } = base.mention.amount;
    if (energy === undefined) continue;
    const parts = estimates.filter(({ mention }) => mention.group === base.mention.group);
    if (parts.length === 1) continue;
    // The base alone would take all of the energy; by its usual weight it has its share.
    const usual = weightOf({ ...base.mention, amount: {} }, undefined).grams;
    const scale = usual / (base.weight.grams || 1);
    base.weight.grams = usual;
    for (const nutrient of ['calories', 'protein', 'carbs', 'fats'] as const) base.held[nutrient] *= scale;
    const sum = parts.reduce((total, { held }) => total + held.calories, 0);
    for (const part of parts) {
      const factor = (energy * count) / (sum || 1);
      part.weight.grams *= factor;
      part.confidence = Math.max(part.confidence, CONFIDENCE.energy * LESS_SURE.variable);
      for (const nutrient of ['calories', 'protein', 'carbs', 'fats'] as const) part.held[nutrient] *= factor;
    }
  }
  return estimates;
}

const itemOf = ({ mention, weight, held, confidence }: Estimate, locale: Locale): AnalysisItem => ({
  name: mention.food.names[locale],
  grams: round(weight.grams),
  calories: Math.round(held.calories),
  protein: round(held.protein),
  carbs: round(held.carbs),
  fats: round(held.fats),
  confidence: round(confidence),
  known: true,
});

function questionsOf(estimates: readonly Estimate[], unknown: readonly string[], locale: Locale): string[] {
  const questions = unknown.map(
    (words) =>
      `"${words.slice(0, MOST_UNKNOWN_CHARACTERS)}" was not understood and is not counted; what is it, and how much of it was there?`,
  );
  for (const { mention, weight } of estimates) {
    const name = mention.food.names[locale];
    const grams = round(weight.grams);
    if (weight.implausible)
      questions.push(`Were there really ${grams} g of ${name}? That is more than usual for a meal.`);
    else if (mention.amount.doubtful && grams < 10)
      questions.push(`Is the amount of ${name} ${grams} g, or a thousand times as much?`);
    if (mention.corrected) questions.push(`Did you mean ${name} by "${mention.words}"?`);
    if (mention.leftOut.length > 0)
      questions.push(`What is "${mention.leftOut.join(' ')}" beside ${name}? It was left out.`);
    if (mention.role !== 'filling' && isEmpty(mention.amount))
      questions.push(`How much ${name} was it? ${grams} g were assumed.`);
  }
  if (estimates.length === 0 && unknown.length === 0)
    questions.push('No food was found in the text; what was eaten, and how much of it?');
  return questions.slice(0, MOST_QUESTIONS);
}

const round = (value: number): number => Math.round(value * 100) / 100;
