import { z } from 'zod';
import { recordEvents } from '#server/events/record-events.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { ProductShape } from './products.shapes.ts';

/** The data of a deleted product. */
const DeletedProductShape = ProductShape.pick({ id: true, gymId: true });
type DeletedProduct = z.infer<typeof DeletedProductShape>;

/** The data of the events that this service writes. */
export const productEvents = {
  'product.changed': z.union([ProductShape, DeletedProductShape]),
} as const;

/** Writes the event of a product that was added, changed or deleted. The open transaction has added or locked its row. */
export const recordProductChange = (
  unit: UnitOfWork,
  product: ProductShape | DeletedProduct,
): Promise<void> =>
  recordEvents(unit, [
    {
      type: 'product.changed',
      gymId: product.gymId,
      subject: `product/${product.id}`,
      data: 'images' in product ? { ...product, images: product.images.map(atGateway) } : product,
    },
  ]);

/** The path of a picture at the gateway, whatever server the request was sent to; URLs are returned unchanged. */
const atGateway = (image: string): string =>
  image.startsWith('/') ? `/content${image.slice(image.lastIndexOf('/media/'))}` : image;
