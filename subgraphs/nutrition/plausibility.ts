/** The nutrients of a portion of food; null or absent: unknown. */
interface Portion {
  /** kcal */
  calories: number;
  protein?: number | null | undefined;
  carbs?: number | null | undefined;
  fats?: number | null | undefined;
  grams?: number | null | undefined;
}

interface Implausibility {
  path: 'calories' | 'protein' | 'carbs' | 'fats' | 'grams';
  message: string;
}

/** The energy of one gram in kcal (Atwater's general factors). */
const KCAL_A_GRAM = { protein: 4, carbs: 4, fats: 9, alcohol: 7 } as const;
/** The energy of pure fat, by USDA's factor. */
const MAX_KCAL_A_GRAM = 9.02;
/** The nutrients may weigh this factor and this many grams more than the portion, because their numbers are rounded. */
const WEIGHT_FACTOR = 1.05;
const WEIGHT_TOLERANCE = 2; // g

/**
 * How far the energy of a portion may be below the energy of its nutrients, or, for an estimate, above it. The two differ
 * because the numbers of labels are rounded, because national factors differ by food, and because fibre (about 2 kcal a gram)
 * and polyols (erythritol: none) count as carbohydrates. `kcalOfCarbs` is the least energy of a gram of carbohydrates.
 */
const TOLERANCE = {
  /** For values that people copy from labels: it refuses typing errors, but accepts inexact labels. */
  label: { factor: 1.5, kcal: 30, kcalOfCarbs: 0.5 },
  /** For an estimate, whose values are not rounded as on a label. */
  estimate: { factor: 1.25, kcal: 10, kcalOfCarbs: 1 },
} as const;

/**
 * Why a portion is implausible: its nutrients weigh more than the portion; they have more energy than the portion; or the
 * portion has more energy than its weight allows. Undefined: the portion is plausible. Entries of the food log, own foods,
 * products and lines of an import are checked as `label`, answers of the AI provider as `estimate`.
 * @param kind `estimate`: all nutrients are known, so that energy beyond theirs can only be alcohol
 */
export function implausibilityOf(
  portion: Portion,
  kind: keyof typeof TOLERANCE = 'label',
): Implausibility | undefined {
  const { calories, grams } = portion;
  const { factor, kcal, kcalOfCarbs } = TOLERANCE[kind];
  const [protein, carbs, fats] = [portion.protein ?? 0, portion.carbs ?? 0, portion.fats ?? 0];
  const nutrients = protein + carbs + fats;
  const explained = KCAL_A_GRAM.protein * protein + KCAL_A_GRAM.carbs * carbs + KCAL_A_GRAM.fats * fats;
  const listed = `${shown(protein)} g protein, ${shown(carbs)} g carbs and ${shown(fats)} g fats`;
  if (typeof grams === 'number' && nutrients > grams * WEIGHT_FACTOR + WEIGHT_TOLERANCE)
    return {
      path: 'grams',
      message: `expected at least the ${shown(nutrients)} g of ${listed} together, got ${shown(grams)} g`,
    };
  const least = KCAL_A_GRAM.protein * protein + kcalOfCarbs * carbs + KCAL_A_GRAM.fats * fats;
  if (least > calories * factor + kcal)
    return {
      path: 'calories',
      message: `expected about ${shown(explained)} kcal for ${listed}, got ${shown(calories)}`,
    };
  if (typeof grams !== 'number') return undefined;
  if (calories > grams * MAX_KCAL_A_GRAM + kcal)
    return {
      path: 'calories',
      message: `expected at most ${shown(grams * MAX_KCAL_A_GRAM)} kcal in ${shown(grams)} g, as nothing has more energy than fat, got ${shown(calories)}`,
    };
  const alcohol = KCAL_A_GRAM.alcohol * Math.max(0, grams - nutrients);
  if (kind === 'estimate' && calories > explained * factor + alcohol + kcal)
    return {
      path: 'calories',
      message: `expected at most ${shown(explained + alcohol)} kcal for ${listed} in ${shown(grams)} g, got ${shown(calories)}`,
    };
  return undefined;
}

const shown = (value: number): number => Math.round(value * 10) / 10;
