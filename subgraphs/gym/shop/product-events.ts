import { isDeepStrictEqual } from 'node:util';
import type { NewEvent } from '#server/events/record-events.ts';
import type { GymProductShape } from './shop.shapes.ts';

/** The event of a listed product that has changed. If it was removed from the list, the data has only the ids. */
export const productChanged = (data: { gymId: string; productId: string }): NewEvent => ({
  type: 'product.changed',
  gymId: data.gymId,
  subject: `gym-product/${data.productId}`,
  data,
});

/** The events of the products that were added to a list, changed in it or removed from it. */
export function changedProducts(
  before: readonly GymProductShape[],
  after: readonly GymProductShape[],
): NewEvent[] {
  const earlier = new Map(before.map((product) => [product.productId, product]));
  const listed = new Set(after.map(({ productId }) => productId));
  const isChanged = (product: GymProductShape): boolean =>
    !isDeepStrictEqual(earlier.get(product.productId), product);
  return [
    ...after.filter(isChanged).map(productChanged),
    ...before
      .filter(({ productId }) => !listed.has(productId))
      .map(({ gymId, productId }) => productChanged({ gymId, productId })),
  ];
}
