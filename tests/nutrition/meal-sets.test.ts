import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { estimateMeal } from '../../subgraphs/nutrition/estimator/estimate.ts';

/** One line of a set: a text, its parts as foods of USDA SR28 (their number there, `ndb`) with grams, and the sum of their nutrients. */
interface Meal {
  text: string;
  locale: string;
  kind: string;
  parts: readonly (readonly [ndb: string, grams: number])[];
  truth: { calories: number; protein: number; carbs: number; fats: number };
}

const mealsOf = (set: string): Meal[] =>
  readFileSync(new URL(`meal-sets/${set}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Meal);

// The error is divided by at least 25 kcal, because the relative error of a meal with almost no energy means little.
const LEAST_KCAL = 25;

function figuresOf(set: string) {
  const answers = mealsOf(set).map(({ text, locale, truth }) => {
    const answer = estimateMeal(text, locale);
    const difference = Math.abs(answer.total.calories - truth.calories);
    // A confidence promises this range on both sides of the estimate (docs/nutrition.md).
    const rangeKcal = answer.total.calories * (1 - answer.confidence);
    return {
      text,
      truth,
      error: difference / Math.max(LEAST_KCAL, truth.calories),
      inRange: difference <= Math.max(5, rangeKcal),
      macrosInRange: (['protein', 'carbs', 'fats'] as const).every(
        (macro) =>
          Math.abs(answer.total[macro] - truth[macro]) <=
          Math.max(3, answer.total[macro] * (1 - answer.confidence)),
      ),
      calories: answer.total.calories,
      confidence: answer.confidence,
      unknown: answer.unknown.length > 0,
    };
  });
  const errors = answers.map(({ error }) => error).toSorted((one, other) => one - other);
  const share = (part: readonly unknown[], of: readonly unknown[] = answers) =>
    part.length / Math.max(1, of.length);
  const sure = answers.filter(({ confidence }) => confidence >= 0.8);
  const fair = answers.filter(({ confidence }) => confidence >= 0.6);
  const figures = {
    meals: answers.length,
    medianError: errors[Math.floor(errors.length / 2)] ?? 1,
    within20: share(answers.filter(({ error }) => error <= 0.2)),
    unknown: share(answers.filter(({ unknown }) => unknown)),
    nothing: answers
      .filter(({ calories, truth }) => calories === 0 && truth.calories > 5)
      .map(({ text }) => text),
    threefold: answers
      .filter(({ calories, truth }) => calories > 3 * Math.max(LEAST_KCAL, truth.calories))
      .map(({ text }) => text),
    sure: sure.length,
    sureInRange: share(
      sure.filter(({ inRange }) => inRange),
      sure,
    ),
    sureMacrosInRange: share(
      sure.filter(({ macrosInRange }) => macrosInRange),
      sure,
    ),
    fair: fair.length,
    fairInRange: share(
      fair.filter(({ inRange }) => inRange),
      fair,
    ),
    inRange: share(answers.filter(({ inRange }) => inRange)),
  };
  if (process.env.SHOW_FIGURES) console.info(set, figures);
  return figures;
}

test.each(['tuning', 'calibration', 'held-out', 'independent'])(
  'the %s set is estimated within its bounds',
  (set) => {
    const figures = figuresOf(set);
    expect(figures.meals).toBeGreaterThanOrEqual(['held-out', 'independent'].includes(set) ? 150 : 100);
    expect(figures.medianError).toBeLessThanOrEqual(0.12);
    expect(figures.within20).toBeGreaterThanOrEqual(0.75);
    expect(figures.unknown).toBeLessThanOrEqual(0.08);
    expect(figures.nothing).toEqual([]);
    expect(figures.threefold).toEqual([]);
    // More than a fifth of the meals must have a confidence of at least 0.8, and more than four of five of these must be in the range.
    expect(figures.sure).toBeGreaterThan(figures.meals / 5);
    expect(figures.sureInRange).toBeGreaterThan(0.8);
    expect(figures.fairInRange).toBeGreaterThan(0.75);
  },
);

test('no text is in two sets', () => {
  const texts = ['tuning', 'calibration', 'held-out', 'independent'].flatMap((set) => [
    ...new Set(mealsOf(set).map(({ text }) => text)),
  ]);
  expect(new Set(texts).size).toBe(texts.length);
});
