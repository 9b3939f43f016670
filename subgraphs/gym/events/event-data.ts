import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { ChallengeRow } from '../challenges/challenges.shapes.ts';
import { CheckInShape, DenialShape } from '../check-ins/check-ins.shapes.ts';
import { BookingShape } from '../classes/bookings.shapes.ts';
import { ClassSessionShape } from '../classes/sessions.shapes.ts';
import { GymConfigShape, GymShape } from '../gyms/gyms.shapes.ts';
import { OccupancyShape } from '../locations/locations.shapes.ts';
import { OrderShape } from '../orders/orders.shapes.ts';
import { GymProductShape } from '../shop/shop.shapes.ts';

/** The data of the events that this service writes. */
export const gymEvents = {
  'check_in.opened': CheckInShape,
  'check_in.closed': CheckInShape,
  'check_in.undone': CheckInShape,
  'check_in.denied': DenialShape,
  'occupancy.level_changed': OccupancyShape.extend({ locationId: uuid() }).meta({
    id: 'OccupancyOfLocation',
  }),
  'class_session.changed': ClassSessionShape,
  'booking.changed': BookingShape,
  'challenge.ended': ChallengeRow,
  'gym_config.published': GymConfigShape,
  'gym.deployed': GymShape,
  'order.changed': OrderShape,
  'product.changed': z.union([GymProductShape, GymProductShape.pick({ gymId: true, productId: true })]),
} as const;
