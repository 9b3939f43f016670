import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { analysisOf } from '../../subgraphs/nutrition/analysis/provider-answer.ts';
import { estimateMeal } from '../../subgraphs/nutrition/estimator/estimate.ts';
import { EGG } from './analysis-service.ts';

const FOUR_FOODS = '2 eggs, 100 g rice, 1 apple, 200 ml milk';
const mealOf = (fours: number) => Array.from({ length: fours }, () => FOUR_FOODS).join(', ');

test('of 60 foods in a text the estimate names the 10 that it does not count, asks for them, and is less certain', () => {
  const whole = estimateMeal(mealOf(10));
  expect([whole.items.length, whole.unknown]).toEqual([40, []]);
  const cut = estimateMeal(mealOf(15));
  expect(cut.items).toHaveLength(50);
  // The first 50 foods end with "2 eggs, 100 g rice".
  const fours = ['apple', 'milk', 'eggs', 'rice'];
  expect(cut.unknown).toEqual([...fours, ...fours, 'apple', 'milk']);
  expect(cut.questions[0]).toMatch(/60 foods.*first 50.*separately/);
  expect(cut.confidence).toBeLessThan(whole.confidence * 0.9);
});

test('words that are not understood do not hide foods that are not counted, nor the question about them', () => {
  const words = Array.from({ length: 60 }, (_, index) => `zorblax${'abcdefghij'[index % 10]}`);
  const { unknown, questions } = estimateMeal(`${words.join(', ')}, ${mealOf(15)}`);
  expect(unknown.filter((name) => name === 'apple')).toHaveLength(3);
  expect(unknown).toHaveLength(70);
  expect(questions.filter((question) => question.includes('separately'))).toHaveLength(1);
});

test('the end of a text that is too long is in `unknown`, and the estimate is less certain', () => {
  const { items, unknown, confidence, questions } = estimateMeal(
    `1 apple ${', '.repeat(700)} 100 g rice, 1 banana`,
  );
  expect(items).toHaveLength(1);
  expect(unknown).toEqual(['100 g rice', '1 banana']);
  expect(confidence).toBeLessThan(0.4);
  expect(questions.join()).toContain('separately');
});

test('of 70 items of an AI provider the analysis names the 20 that it does not count, asks for them, and is less certain', () => {
  const items = Array.from({ length: 70 }, (_, index) => ({ ...EGG, name: `House dish ${index}` }));
  const answerTo = (rawItems: unknown[]) =>
    analysisOf(
      { items: rawItems, questions: ['Salt?', 'Oil?', 'Sugar?', 'Butter?', 'Milk?'] },
      { provider: 'gemini', locale: undefined, log: pino({ level: 'silent' }) },
    );
  const whole = answerTo(items.slice(0, 50));
  expect([whole.items.length, whole.unknown, whole.confidence]).toEqual([50, [], 0.9]);
  const cut = answerTo(items);
  expect(cut.items).toHaveLength(50);
  expect(cut.unknown).toEqual(items.slice(50).map(({ name }) => name));
  expect(cut.questions[0]).toMatch(/70 foods.*first 50.*separately/);
  expect(cut.confidence).toBeCloseTo((0.9 * 50) / 70, 2);
});
