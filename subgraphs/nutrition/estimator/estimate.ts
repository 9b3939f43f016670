import { nutrientsOf, LOCALES, type Food, type Locale } from '../foods/food.ts';
import { FOOD_TABLE } from '../foods/food-table.ts';
import { NO_NUTRIENTS, NUTRIENT_NAMES, nutrientsBy, type Nutrients } from '../nutrients.ts';
import type { Analysis, AnalysisItem } from '../analysis/analysis.shapes.ts';
import { MAX_ITEMS, tooManyFoods } from '../analysis/item-limit.ts';
import { isEmpty } from './amounts.ts';
import { CONFIDENCE, DOUBTFUL, IMPLAUSIBLE, CERTAINTY_FACTORS, ofSum } from './confidence.ts';
import { foodNames } from './food-names.ts';
import { lexiconFor } from './lexicons/lexicon.ts';
import type { Mention } from './mention.ts';
import { parseMeal } from './parse-meal.ts';
import { categoryOf, isVariable, milkShare } from './food-kinds.ts';
import { weightOf, type Weight } from './weights.ts';

const MAX_QUESTIONS = 10;
const MAX_UNKNOWN_CHARACTERS = 200;

/** Estimates a meal text by the food table. Words that were not understood are in `unknown`; no number is invented. */
export function estimateMeal(text: string, languageTag?: string): Analysis {
  const locale = localeOf(languageTag);
  const language = { locale, lexicon: lexiconFor(locale), names: foodNames(locale) };
  const parsed = parseMeal(text, language);
  const mentions = parsed.mentions.slice(0, MAX_ITEMS);
  const excess = parsed.mentions.slice(MAX_ITEMS);
  const { unread } = parsed;
  const bases = new Map(mentions.filter(({ role }) => role === 'base').map((base) => [base.group, base]));
  const estimates = energyOfDishes(
    mentions.map((mention) => {
      const fillings = mentions.filter(({ role, group }) => role === 'filling' && group === mention.group);
      return estimateOf(mention, bases.get(mention.group), fillings.length === 1);
    }),
  );
  const items = estimates.map((estimate) => itemOf(estimate, locale));
  const total = items.reduce(
    (part, item) => nutrientsBy((name) => round(part[name] + item[name])),
    NO_NUTRIENTS,
  );
  const notCounted = parsed.unknown.length + excess.length + unread.length;
  const limitQuestions = [
    ...(excess.length > 0 ? [tooManyFoods(parsed.mentions.length)] : []),
    ...(unread.length > 0
      ? ['The text is too long, and its end was not read; please send it separately.']
      : []),
  ];
  return {
    items,
    total,
    // Parts that were not understood or not counted may have as much energy as the items.
    confidence: round((ofSum(items) * items.length) / Math.max(1, items.length + notCounted)),
    questions: [...limitQuestions, ...questionsOf(estimates, parsed.unknown, locale)].slice(0, MAX_QUESTIONS),
    // The length of the text bounds the length of this list.
    unknown: [
      ...parsed.unknown,
      ...mentions.filter(({ leftOut }) => leftOut.length > 0).map(({ leftOut }) => leftOut.join(' ')),
      ...excess.map(({ leftOut, words }) => [...leftOut, words].join(' ')),
      ...unread,
    ].map((words) => words.slice(0, MAX_UNKNOWN_CHARACTERS)),
    provider: 'food-table',
  };
}

/** The language of a tag such as `de-AT`; English if the table does not have the language. */
const localeOf = (tag: string | undefined): Locale =>
  LOCALES.find((locale) => locale === tag?.toLowerCase().split(/[-_]/)[0]) ?? 'en';

interface Estimate {
  mention: Mention;
  weight: Weight;
  nutrients: Nutrients;
  confidence: number;
}

function estimateOf(mention: Mention, base: Mention | undefined, isOnlyFilling: boolean): Estimate {
  const { food, amount } = mention;
  const weight = weightOf(mention, base, isOnlyFilling);
  const nutrients = nutrientsOf(food, weight.grams);
  for (const missing of mention.excluded) {
    subtractPart(food, missing, nutrients, weight.grams);
    // The milk that replaces the usual milk is an item of its own.
    if (missing.id === 'milk_whole') weight.grams *= 1 - milkShare(food);
  }
  const certainty =
    CONFIDENCE[weight.source] *
    (mention.corrected ? CERTAINTY_FACTORS.corrected : 1) *
    (mention.leftOut.length > 0 ? CERTAINTY_FACTORS.leftOut : 1) *
    (mention.flavoured ? CERTAINTY_FACTORS.flavoured : 1) *
    (mention.excluded.length > 0 ? CERTAINTY_FACTORS.excluded : 1) *
    (amount.vague ? CERTAINTY_FACTORS.vague : 1) *
    (amount.energy === undefined ? varietyOf(food) : 1);
  const upperBound = Math.min(
    weight.implausible ? IMPLAUSIBLE : 1,
    amount.doubtful && weight.grams < 10 ? DOUBTFUL : 1,
  );
  return { mention, weight, nutrients, confidence: Math.min(certainty, upperBound) };
}

const varietyOf = (food: Food): number =>
  food.recipe || food.category === 'dishes'
    ? CERTAINTY_FACTORS.dish
    : isVariable(food)
      ? CERTAINTY_FACTORS.variable
      : 1;

const foodByNdb = new Map(
  FOOD_TABLE.toReversed().flatMap((food) => (food.ndb ? [[food.ndb, food] as const] : [])),
);

/**
 * Subtracts an excluded food from the nutrients of a dish of `grams`: the parts of the dish's recipe that are this food, or
 * else those of its category. If there are no such parts, an excluded grain food, such as the bun, counts as 50 g of fast
 * food, and an excluded dairy food, such as the cheese, as a quarter of a pizza; nothing is subtracted from other dishes.
 */
function subtractPart(food: Food, missing: Food, nutrients: Nutrients, grams: number): void {
  const parts = food.recipe?.parts ?? [];
  const made = food.recipe?.grams ?? parts.reduce((sum, [, partGrams]) => sum + partGrams, 0);
  const named = new Set([missing.ndb, ...(missing.recipe?.parts.map(([ndb]) => ndb) ?? [])]);
  const same = parts.filter(([ndb]) => named.has(ndb));
  const excluded = same.length > 0 ? same : parts.filter(([ndb]) => categoryOf(ndb) === missing.category);
  const taken = excluded.map(([ndb, partGrams]) => ({
    food: foodByNdb.get(ndb),
    grams: (partGrams * grams) / (made || 1),
  }));
  if (taken.length === 0 && food.category === 'fast_food' && missing.category === 'grains')
    taken.push({ food: missing, grams: 50 });
  if (taken.length === 0 && food.id.startsWith('pizza') && missing.category === 'dairy')
    taken.push({ food: missing, grams: grams / 4 });
  for (const part of taken) {
    if (!part.food) continue;
    const subtracted = nutrientsOf(part.food, part.grams);
    for (const name of NUTRIENT_NAMES) nutrients[name] = Math.max(0, nutrients[name] - subtracted[name]);
  }
}

/** "a chicken wrap, 450 kcal": distributes the energy that the text names for a dish over all parts of the dish. */
function energyOfDishes(estimates: readonly Estimate[]): readonly Estimate[] {
  for (const base of estimates) {
    const { energy, count = 1 } = base.mention.amount;
    if (energy === undefined) continue;
    const parts = estimates.filter(({ mention }) => mention.group === base.mention.group);
    if (parts.length === 1) continue;
    // `estimateOf` has given all of the energy to the base. Before the distribution, the base gets its usual weight again.
    const usual = weightOf({ ...base.mention, amount: {} }, undefined).grams;
    const scale = usual / (base.weight.grams || 1);
    base.weight.grams = usual;
    for (const name of NUTRIENT_NAMES) base.nutrients[name] *= scale;
    const sum = parts.reduce((total, { nutrients }) => total + nutrients.calories, 0);
    for (const part of parts) {
      const factor = (energy * count) / (sum || 1);
      part.weight.grams *= factor;
      part.confidence = Math.max(part.confidence, CONFIDENCE.energy * CERTAINTY_FACTORS.variable);
      for (const name of NUTRIENT_NAMES) part.nutrients[name] *= factor;
    }
  }
  return estimates;
}

const itemOf = ({ mention, weight, nutrients, confidence }: Estimate, locale: Locale): AnalysisItem => ({
  name: mention.food.names[locale],
  grams: round(weight.grams),
  ...nutrientsBy((name) => round(nutrients[name])),
  calories: Math.round(nutrients.calories),
  confidence: round(confidence),
  known: true,
});

function questionsOf(estimates: readonly Estimate[], unknown: readonly string[], locale: Locale): string[] {
  const questions = unknown.map(
    (words) =>
      `"${words.slice(0, MAX_UNKNOWN_CHARACTERS)}" was not understood and is not counted; what is it, and how much of it was there?`,
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
  return questions;
}

const round = (value: number): number => Math.round(value * 100) / 100;
