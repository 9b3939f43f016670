import { defineEntity, p } from '@mikro-orm/core';
import { Gym } from '../gyms/gym.entity.ts';

/** A product of the content service in a gym's shop, with the gym's own price, stock and order. */
const GymProductSchema = defineEntity({
  name: 'GymProduct',
  tableName: 'gym_product',
  indexes: [
    { properties: ['productId'] }, // for removing a product from every list
    // for the products that are running out
    {
      name: 'gym_product_stock',
      expression:
        'create index "gym_product_stock" on "gym_product" ("gym_id", "stock", "product_id") where "stock" is not null',
    },
  ],
  checks: [{ name: 'gym_product_stock_not_negative', expression: '"stock" >= 0' }],
  properties: {
    gymId: () => p.manyToOne(Gym).primary().mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    productId: p.uuid().primary(),
    position: p.integer(),
    /** Minor units; null: the product's own price. */
    price: p.integer().nullable(),
    currency: p.string().length(3).nullable(),
    /** The pieces that are free: those in orders are not among them. Null if the gym does not count its stock. */
    stock: p.integer().nullable(),
  },
});

export class GymProduct extends GymProductSchema.class {}
GymProductSchema.setClass(GymProduct);

/** A workout routine of the content service in a gym's programme. */
const GymProgramSchema = defineEntity({
  name: 'GymProgram',
  tableName: 'gym_program',
  indexes: [{ properties: ['routineId'] }], // for removing a routine from every programme
  properties: {
    gymId: () => p.manyToOne(Gym).primary().mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    routineId: p.uuid().primary(),
    position: p.integer(),
    note: p.string().length(500).nullable(),
  },
});

export class GymProgram extends GymProgramSchema.class {}
GymProgramSchema.setClass(GymProgram);
