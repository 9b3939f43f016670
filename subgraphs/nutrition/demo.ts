import { isErased } from '#server/accounts/erased-accounts.ts';
import { HISTORY_DAYS } from '#server/demo-history.ts';
import { demoId, demoPerson } from '#server/demo-ids.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { addDays, dayOf } from '#server/calendar.ts';
import { DayTotals } from './days/day-totals.ts';
import { FoodLog } from './food-logs/food-log.entity.ts';
import type { MealType } from './food-logs/food-logs.shapes.ts';
import { NutritionGoal } from './goals/nutrition-goal.entity.ts';
import { DateTime } from 'luxon';

/**
 * Writes the food log and the goal of the demo user Maya: the two weeks before the first start of the service.
 * @param withHistory writes four weeks, and also the food logs and goals of Leo and Zoe
 */
export async function demo(unit: UnitOfWork, withHistory: boolean): Promise<void> {
  const maya = demoPerson('maya@iron.test');
  await unit.transaction(async () => {
    // The log is written only once, because its days are relative to today: a later start must not move them.
    if (await unit.em.count(FoodLog, { userId: maya.id })) return;
    if (!withHistory) return insertLog(unit, maya, 0, DAYS);
    for (const [index, email] of (['maya@iron.test', 'leo@iron.test', 'zoe@aqua.test'] as const).entries())
      await insertLog(unit, demoPerson(email), index, HISTORY_DAYS);
  });
}

/** Writes the log of one user, and their goal. */
async function insertLog(
  unit: UnitOfWork,
  user: { id: string; timezone: string },
  userIndex: number,
  days: number,
): Promise<void> {
  // A demo account that was deleted gets no new data.
  if (await isErased(unit, user.id)) return;
  const now = new Date();
  const today = dayOf(now, user.timezone);
  // Today's meals that are still in the future are left out.
  const entries = Array.from({ length: days }, (_unused, daysAgo) =>
    mealsOf(addDays(today, -daysAgo), {
      daysAgo,
      user,
      userIndex,
      portion: portionOf(days, userIndex, daysAgo),
    }),
  )
    .flat()
    .filter((entry) => entry.loggedAt <= now);
  await unit.em.upsertMany(FoodLog, entries, { onConflictAction: 'ignore' });
  const [calories, protein, carbs, fats] = GOALS[userIndex % GOALS.length] as (typeof GOALS)[number];
  await unit.em.upsert(
    NutritionGoal,
    {
      id: demoId('411', userIndex + 1),
      userId: user.id,
      weekday: null,
      date: null,
      validFrom: addDays(today, -days),
      calories,
      protein,
      carbs,
      fats,
      updatedAt: now,
      version: 1,
    },
    { onConflictAction: 'ignore' },
  );
  await new DayTotals(unit).sumUp(
    user.id,
    entries.map((entry) => entry.localDate),
  );
}

const DAYS = 14;
/** Calories, protein, carbs and fats a day. */
const GOALS = [
  [2_100, 120, 240, 70],
  [2_800, 170, 320, 85],
  [1_900, 100, 220, 65],
] as const;

type Food = readonly [
  name: string,
  mealType: MealType,
  hour: number,
  calories: number,
  protein: number,
  carbs: number,
  fats: number,
  quantity: number,
  unit: string,
  grams: number,
];

const BREAKFASTS: readonly Food[] = [
  ['Oatmeal, cooked with water', 'BREAKFAST', 8, 166, 5.94, 28.08, 3.56, 1, 'cup', 234],
  ['Greek yogurt, plain nonfat', 'BREAKFAST', 8, 100, 17.32, 6.12, 0.66, 1, 'container', 170],
  ['Egg, scrambled', 'BREAKFAST', 8, 182, 12.19, 1.96, 13.4, 2, 'large', 122],
];
const LUNCHES: readonly Food[] = [
  ['Chicken breast, roasted, skinless', 'LUNCH', 13, 248, 46.53, 0, 5.36, 150, 'g', 150],
  ['Salmon, Atlantic farmed, baked', 'LUNCH', 13, 309, 33.15, 0, 18.53, 150, 'g', 150],
  ['Lentils, boiled', 'LUNCH', 13, 230, 17.86, 39.86, 0.75, 1, 'cup', 198],
];
const SIDES: readonly Food[] = [
  ['White rice, long-grain, cooked', 'LUNCH', 13, 205, 4.25, 44.51, 0.44, 1, 'cup', 158],
  ['Potato, boiled, flesh', 'LUNCH', 13, 118, 2.54, 27.38, 0.14, 1, 'potato', 136],
];
const SNACKS: readonly Food[] = [
  ['Banana', 'SNACK', 16, 105, 1.29, 26.95, 0.39, 1, 'medium', 118],
  ['Almonds', 'SNACK', 16, 164, 6, 6.11, 14.16, 1, 'oz', 28.35],
  ['Apple with skin', 'SNACK', 16, 95, 0.47, 25.13, 0.31, 1, 'medium', 182],
];
const DINNERS: readonly Food[] = [
  ['Pasta, cooked', 'DINNER', 19, 395, 14.5, 77.15, 2.33, 250, 'g', 250],
  ['Pizza, cheese, fast food 14" regular crust', 'DINNER', 19, 569, 24.37, 71.33, 20.74, 2, 'slice', 214],
  ['Tofu, firm', 'DINNER', 19, 156, 18.08, 5.7, 8.34, 200, 'g', 200],
];

/**
 * The factor of all amounts of a day. With the demo history it differs from day to day, and the energy of a day is near the
 * user's goal.
 */
const portionOf = (days: number, userIndex: number, daysAgo: number): number =>
  days === DAYS ? 1 : (PORTIONS[userIndex] ?? 1) + ((daysAgo * 7) % 5) / 10;
const PORTIONS = [1.6, 2.1, 1.4];

interface DayOfMeals {
  daysAgo: number;
  user: { id: string; timezone: string };
  userIndex: number;
  portion: number;
}

function mealsOf(day: string, { daysAgo, user: { id: userId, timezone }, userIndex, portion }: DayOfMeals) {
  const eaten = (amount: number) => Math.round(amount * portion * 100) / 100;
  // Each user begins with a different meal, and each week differs from the week before it.
  const turn = daysAgo + userIndex + Math.floor(daysAgo / DAYS);
  const pick = (foods: readonly Food[], offset = 0) => foods[(turn + offset) % foods.length] as Food;
  const foods = [
    pick(BREAKFASTS),
    pick(LUNCHES),
    pick(SIDES),
    pick(SNACKS),
    pick(DINNERS),
    ...(daysAgo % 3 === 1 ? [pick(SNACKS, 1)] : []),
  ];
  return foods.map(
    ([foodName, mealType, hour, calories, protein, carbs, fats, quantity, unit, grams], index) => {
      const loggedAt = DateTime.fromISO(day, { zone: timezone })
        .set({ hour, minute: index * 5 })
        .toJSDate();
      return {
        id: demoId('410', userIndex * 1_000 + daysAgo * 10 + index + 1),
        userId,
        foodId: null,
        tableFoodId: null,
        foodName,
        calories: Math.round(calories * portion),
        protein: eaten(protein),
        carbs: eaten(carbs),
        fats: eaten(fats),
        quantity: eaten(quantity),
        unit,
        grams: eaten(grams),
        mealType,
        source: 'FOOD_TABLE' as const,
        loggedAt,
        localDate: day,
        createdAt: loggedAt,
        version: 1,
        importKey: null,
      };
    },
  );
}
