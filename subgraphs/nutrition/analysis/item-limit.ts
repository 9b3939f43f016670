/** The maximum number of items of an analysis. Foods beyond it are in `unknown`, and lower the confidence. */
export const MAX_ITEMS = 50;

/** The question about a meal with more foods than an analysis has items. */
export const tooManyFoods = (foods: number): string =>
  `The meal has ${foods} foods, and only the first ${MAX_ITEMS} are counted; please send the other ${foods - MAX_ITEMS} separately.`;
