import type { DatabaseDeclaration } from '#server/database/database.ts';
import { FoodLogDay } from './days/food-log-day.entity.ts';
import { FoodLog } from './food-logs/food-log.entity.ts';
import { FoodFavourite } from './foods/food-favourite.entity.ts';
import { StoredFood } from './foods/stored-food.entity.ts';
import { NutritionGoal } from './goals/nutrition-goal.entity.ts';
import { FoodLogImport } from './imports/food-log-import.entity.ts';
import { migrations } from './migrations/index.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_nutrition',
  entities: [FoodLog, FoodLogDay, NutritionGoal, FoodLogImport, StoredFood, FoodFavourite],
  migrations,
};
