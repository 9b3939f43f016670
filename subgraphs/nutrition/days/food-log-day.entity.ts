import { defineEntity, p } from '@mikro-orm/core';

/** The sum of a user's entries of one local day; a day without entries has no row. `DayTotals` writes it. */
const FoodLogDaySchema = defineEntity({
  name: 'FoodLogDay',
  tableName: 'food_log_day',
  properties: {
    userId: p.uuid().primary(),
    localDate: p.date().primary(),
    entries: p.integer(),
    calories: p.bigint('number'),
    protein: p.float().columnType('double precision'),
    carbs: p.float().columnType('double precision'),
    fats: p.float().columnType('double precision'),
  },
});

export class FoodLogDay extends FoodLogDaySchema.class {}
FoodLogDaySchema.setClass(FoodLogDay);
