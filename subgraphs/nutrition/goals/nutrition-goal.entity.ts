import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

const NutritionGoalSchema = defineEntity({
  name: 'NutritionGoal',
  tableName: 'nutrition_goal',
  uniques: [
    {
      name: 'nutrition_goal_of',
      expression: `create unique index "nutrition_goal_of" on "nutrition_goal" ("user_id", coalesce("weekday", 0), coalesce("date", '0001-01-01'::date))`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    /** 1 (Monday) to 7 (Sunday); with neither weekday nor date it is the default. */
    weekday: p.smallint().nullable(),
    date: p.date().nullable(),
    calories: p.integer(),
    protein: p.float().columnType('double precision').nullable(),
    carbs: p.float().columnType('double precision').nullable(),
    fats: p.float().columnType('double precision').nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
    version: p.integer().default(1),
  },
});

export class NutritionGoal extends NutritionGoalSchema.class {}
NutritionGoalSchema.setClass(NutritionGoal);
