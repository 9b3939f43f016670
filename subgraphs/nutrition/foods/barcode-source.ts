import type { FoodNutrients } from './foods.shapes.ts';
import type { Measure } from './stored-food.entity.ts';

/** A product that was found by its barcode. */
export interface Product {
  name: string;
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
   * @param language the language of the name, two letters
   * @param signal aborts if the caller has left
   * @throws UPSTREAM_UNAVAILABLE (503), UPSTREAM_TIMEOUT (504)
   */
  find(barcode: string, language: string, signal: AbortSignal | undefined): Promise<Product | undefined>;
}
