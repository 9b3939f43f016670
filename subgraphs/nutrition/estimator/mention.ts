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
  /** Whether it has a flavour, which does not change the estimate: "mango yogurt". */
  flavoured: boolean;
  /** `base`: the first food of a dish; `filling`: in or on the base of the same group. */
  role: 'food' | 'base' | 'filling';
  /** The foods of one dish have the same number. */
  group: number;
  /** Foods that the text excludes from the dish: "without dressing". */
  minus: Food[];
  /** The foods before it since the last comma or line end, with which it is eaten. */
  companions: readonly Food[];
  /** The word or mark between it and the previous mention. */
  joint: string;
  /** The drink whose usual milk it replaces: "cappuccino with oat milk". */
  replacesMilkOf?: Mention;
}
