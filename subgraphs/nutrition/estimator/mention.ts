import type { Food } from '../foods/food.ts';
import type { Amount } from './amounts.ts';

/** One food that a text mentions. */
export interface Mention {
  food: Food;
  /** The name as written. */
  words: string;
  amount: Amount;
  /** Words beside the name that were not understood. */
  leftOut: string[];
  /** Whether a typing error was corrected. */
  corrected: boolean;
  /** Whether the food has a flavour, which does not change the estimate: "mango yogurt". */
  flavoured: boolean;
  /**
   * In "omelette with ham, and coffee" the omelette is the `base` of a dish; ham is its `filling`, which is in or on the
   * base of the same group; and coffee is a `food` by itself.
   */
  role: 'food' | 'base' | 'filling';
  /** The foods of one dish have the same number. */
  group: number;
  /** Foods that the text excludes from the dish: "without dressing". */
  excluded: Food[];
  /**
   * The foods with which this food is eaten: those before it in the same line; after a comma only the last food before the
   * comma, and those after the comma.
   */
  companions: readonly Food[];
  /** The word or punctuation mark between this mention and the previous one; empty if there is none. */
  joiner: string;
  /** The drink whose usual milk this food replaces: "cappuccino with oat milk". */
  replacesMilkOf?: Mention;
}
