import { demoId } from '#server/demo-ids.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import type { Recorder } from './recorder.ts';

/** The date this many days ago, in UTC. */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MILLIS).toISOString().slice(0, 10);
const week = { from: daysAgo(7), to: daysAgo(1) };
const mine = { params: { userId: 'me' } };

export async function nutritionExamples({ record }: Recorder): Promise<void> {
  await record('analyzeMeal', {
    body: { prompt: '2 eggs, a slice of whole grain bread and an apple', locale: 'en' },
  });
  const entry = await record('logFood', {
    body: {
      foodName: 'Oatmeal',
      calories: 158,
      protein: 5.5,
      carbs: 27,
      fats: 3.2,
      mealType: 'BREAKFAST',
      localDate: daysAgo(1),
    },
  });
  const at = { params: { id: entry.id } };
  await record('getFoodLogEntry', at);
  await record('updateFoodLogEntry', { ...at, body: { calories: 172, version: entry.version } });
  await record('copyFoodLogEntry', { ...at, body: { mealType: 'SNACK' } });
  await record('listFoodLog', { ...mine, query: { ...week, limit: 2 } });
  await record('listDays', { ...mine, query: week });
  await record('getNutritionSeries', { ...mine, query: { ...week, bucket: 'day' } });
  await record('getNutritionChart', { ...mine, query: week });
  await record('deleteFoodLogEntry', at);

  await record('setGoal', { body: { calories: 2_300, protein: 130, carbs: 250, fats: 75, weekday: 6 } });
  await record('listGoals');
  await record('deleteGoal', { query: { weekday: 6 } });
  await record('undoGoalChange', { as: 'wizard', params: { id: demoId('999', 4) } });

  const csv = `localDate,foodName,calories,protein,mealType\n${daysAgo(2)},Lentil soup,310,18,LUNCH\n${daysAgo(2)},Skyr,95,17,SNACK\n`;
  const imported = await record('importFoodLog', {
    body: csv,
    type: 'text/csv',
    query: { timezone: 'Europe/Berlin' },
  });
  await record('getFoodLogImport', { params: { id: imported.id } });
  await record('exportFoodLog', { ...mine, query: { from: daysAgo(2), to: daysAgo(2) } });

  await record('listFoods', { as: 'nobody', query: { search: 'oat', limit: 2 } });
  const food = await record('createFood', {
    body: {
      name: 'Granola of the house',
      barcode: '4006381333931',
      per100g: { calories: 430, protein: 11, carbs: 58, fats: 16, fibre: 8 },
      measures: [{ name: 'bowl', grams: 60 }],
    },
  });
  const atFood = { params: { id: food.id } };
  await record('getFood', atFood);
  await record('getFoodByBarcode', { params: { code: '4006381333931' } });
  await record('updateFood', { ...atFood, body: { brand: 'Home made', version: food.version } });
  await record('addFavouriteFood', atFood);
  await record('removeFavouriteFood', atFood);
  await record('deleteFood', atFood);
  await record('listAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
  await record('eraseAccountRecords', { as: 'identity', params: { userId: demoId('999', 2) } });
}
