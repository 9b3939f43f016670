/** The largest values of an entry: energy in kcal, nutrients and weight in grams. Only typing errors are beyond them. */
export const MAX_OF_ENTRY = {
  quantity: 100_000,
  grams: 100_000,
  calories: 20_000,
  protein: 5_000,
  carbs: 5_000,
  fats: 5_000,
} as const;

type LimitedValues = { [Name in keyof typeof MAX_OF_ENTRY]: number | null | undefined };

/** The first value that is beyond its limit; values that are the same as `before` are not examined. */
export function beyondLimit(
  values: LimitedValues,
  before?: LimitedValues,
): { name: keyof typeof MAX_OF_ENTRY; value: number; limit: number } | undefined {
  for (const name of Object.keys(MAX_OF_ENTRY) as (keyof typeof MAX_OF_ENTRY)[]) {
    const value = values[name] ?? 0;
    const limit = MAX_OF_ENTRY[name];
    if (value > limit && value !== before?.[name]) return { name, value, limit };
  }
  return undefined;
}
