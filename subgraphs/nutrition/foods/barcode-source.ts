import type { FoodNutrients } from './foods.shapes.ts';
import type { Measure } from './stored-food.entity.ts';

/** A product by its barcode. */
export interface Product {
  name: string;
  brand: string | null;
  per100g: FoodNutrients;
  measures: Measure[];
}

/**
 * Looks up products by barcode outside of this service, beyond users' own foods. None is configured by default;
 * implementation: `barcode-source.open-food-facts.ts`.
 */
export interface BarcodeSource {
  /**
   * Undefined: it does not know the product, or not its nutrients.
   * @param language two letters, of the name
   * @throws UPSTREAM_UNAVAILABLE (503), UPSTREAM_TIMEOUT (504)
   */
  find(barcode: string, language: string, signal: AbortSignal | undefined): Promise<Product | undefined>;
}
