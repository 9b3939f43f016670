import type { FoodNutrients } from './foods.shapes.ts';
import type { Locale } from './food.ts';
import type { Measure } from './stored-food.entity.ts';

/** A product that was found by its barcode. */
export interface Product {
  /** The name for languages that `names` does not have. */
  name: string;
  names: Partial<Record<Locale, string>>;
  brand: string | null;
  per100g: FoodNutrients;
  measures: Measure[];
}

/**
 * An external database of products. None is configured by default. Implementation: `barcode-source.open-food-facts.ts`.
 */
export interface BarcodeSource {
  /**
   * Finds a product. Undefined: the source has no such product, or its data cannot be used.
   * @param signal aborts if the caller has left
   * @throws UPSTREAM_UNAVAILABLE (503), UPSTREAM_TIMEOUT (504)
   */
  find(barcode: string, signal: AbortSignal | undefined): Promise<Product | undefined>;
}
