import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

/** The values of a row of goals; `calories` is null if the row ends the goal before it. */
export interface ReplacedGoal {
  calories: number | null;
  protein: number | null;
  carbs: number | null;
  fats: number | null;
}

const NutritionGoalSchema = defineEntity({
  name: 'NutritionGoal',
  tableName: 'nutrition_goal',
  uniques: [
    {
      name: 'nutrition_goal_of',
      expression: `create unique index "nutrition_goal_of" on "nutrition_goal" ("user_id", coalesce("weekday", 0), coalesce("date", '0001-01-01'::date), coalesce("valid_from", '0001-01-01'::date))`,
    },
  ],
  indexes: [
    {
      name: 'nutrition_goal_change',
      expression: `create unique index "nutrition_goal_change" on "nutrition_goal" ("change_id") where "change_id" is not null`,
    },
  ],
  checks: [
    { name: 'nutrition_goal_from', expression: '("date" is null) = ("valid_from" is not null)' },
    { name: 'nutrition_goal_end', expression: '"calories" is not null or "date" is null' },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    /** 1 (Monday) to 7 (Sunday); with neither weekday nor date, it is the default goal. */
    weekday: p.smallint().nullable(),
    date: p.date().nullable(),
    /** The first day of the goal; null for the goal of a date. */
    validFrom: p.date().nullable(),
    /** Energy in kcal; protein, carbs and fats in g. Null: there is no goal of this kind from `validFrom` on. */
    calories: p.integer().nullable(),
    protein: p.float().columnType('double precision').nullable(),
    carbs: p.float().columnType('double precision').nullable(),
    fats: p.float().columnType('double precision').nullable(),
    updatedAt: p.datetime().onCreate(() => new Date()),
    version: p.integer().default(1),
    /** The change by a service that wrote these values, as long as it can be undone: until the next change of the row. */
    changeId: p.uuid().nullable(),
    /** The values that the row had before this change; null if the change has inserted the row. */
    replaced: p.json<ReplacedGoal>().nullable(),
  },
});

export class NutritionGoal extends NutritionGoalSchema.class {}
NutritionGoalSchema.setClass(NutritionGoal);
