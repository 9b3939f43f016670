/** What is known of a portion of food; what is null or absent is not known. */
export interface Portion {
  /** kcal */
  calories: number;
  protein?: number | null | undefined;
  carbs?: number | null | undefined;
  fats?: number | null | undefined;
  grams?: number | null | undefined;
}

export interface Implausibility {
  path: 'calories' | 'protein' | 'carbs' | 'fats' | 'grams';
  message: string;
}

/** Energy of a gram in kcal (Atwater's general factors). */
export const KCAL_A_GRAM = { protein: 4, carbs: 4, fats: 9, alcohol: 7 } as const;
/** Pure fat, by USDA's own factor for it. */
const MOST_KCAL_A_GRAM = 9.02;
/** Labels count fibre and polyols as carbohydrates: fibre has about 2 kcal a gram, erythritol none. */
const LEAST_KCAL_OF_CARBS = 0.5;
// Labels round, and national factors differ by food: generous, as this keeps slips of the pen out, not bad labels.
const ENERGY_FACTOR = 1.5;
const ENERGY_TOLERANCE = 30; // kcal
const WEIGHT_FACTOR = 1.05;
const WEIGHT_TOLERANCE = 2; // g

/**
 * The one rule by which a portion cannot be what somebody ate: its nutrients weigh more than it does, hold more energy
 * than it has, or it has more energy than its weight can hold. It serves entries of the food log, own foods, lines of an
 * import and answers of a provider alike. Undefined: nothing speaks against it.
 */
export function implausibilityOf(portion: Portion): Implausibility | undefined {
  const { calories, grams } = portion;
  const [protein, carbs, fats] = [portion.protein ?? 0, portion.carbs ?? 0, portion.fats ?? 0];
  const nutrients = protein + carbs + fats;
  if (typeof grams === 'number' && nutrients > grams * WEIGHT_FACTOR + WEIGHT_TOLERANCE)
    return {
      path: 'grams',
      message: `expected at least the ${shown(nutrients)} g of protein, carbs and fats together, got ${shown(grams)} g`,
    };
  const least = KCAL_A_GRAM.protein * protein + LEAST_KCAL_OF_CARBS * carbs + KCAL_A_GRAM.fats * fats;
  if (least > calories * ENERGY_FACTOR + ENERGY_TOLERANCE)
    return {
      path: 'calories',
      message: `expected about ${shown(atwater(protein, carbs, fats))} kcal for ${shown(protein)} g protein, ${shown(carbs)} g carbs and ${shown(fats)} g fats, got ${shown(calories)}`,
    };
  if (typeof grams === 'number' && calories > grams * MOST_KCAL_A_GRAM + ENERGY_TOLERANCE)
    return {
      path: 'calories',
      message: `expected at most ${shown(grams * MOST_KCAL_A_GRAM)} kcal in ${shown(grams)} g, as nothing has more energy than fat, got ${shown(calories)}`,
    };
  return undefined;
}

export const atwater = (protein: number, carbs: number, fats: number): number =>
  KCAL_A_GRAM.protein * protein + KCAL_A_GRAM.carbs * carbs + KCAL_A_GRAM.fats * fats;

const shown = (value: number): number => Math.round(value * 10) / 10;
