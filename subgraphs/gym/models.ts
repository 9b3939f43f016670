import type { CheckInShape } from './check-ins/check-ins.shapes.ts';

/**
 * GraphQL types whose resolvers get objects of another type than the generated one. Each export has the name of a GraphQL type,
 * and is the type of these objects. `npm run generate` reads this file.
 */
export type { AnnouncementShape as Announcement } from './announcements/announcements.shapes.ts';
export type {
  ChallengeShape as Challenge,
  LeaderboardEntryShape as LeaderboardEntry,
} from './challenges/challenges.shapes.ts';
export type { BookingShape as Booking, CalendarShape as Calendar } from './classes/bookings.shapes.ts';
export type {
  ClassOccurrenceShape as ClassOccurrence,
  GymClassShape as GymClass,
} from './classes/classes.shapes.ts';
export type { SessionInGraph as ClassSession } from './classes/sessions.shapes.ts';
export type { GymAuditEventShape as GymAuditEvent } from './audit/audit.shapes.ts';
export type { CheckInShape as CheckIn, DenialShape as CheckInDenial } from './check-ins/check-ins.shapes.ts';
export type {
  GymShape as Gym,
  GymConfigShape as GymConfig,
  DraftShape as GymConfigDraft,
} from './gyms/gyms.shapes.ts';
export type {
  LocationShape as Location,
  LocationOccupancy as Occupancy,
} from './locations/locations.shapes.ts';
export type {
  PostShape as Post,
  CommentShape as Comment,
  ReportShape as PostReport,
} from './posts/posts.shapes.ts';
export type { OrderItemShape as OrderItem, OrderShape as Order } from './orders/orders.shapes.ts';
export type {
  GymProductShape as GymProduct,
  GymProgramShape as GymProgram,
  StockMovementShape as StockMovement,
} from './shop/shop.shapes.ts';

/** A person inside a location. The resolver of `user` reads the member from the visit. */
export interface PersonInside {
  visit: CheckInShape;
}

/**
 * Entities of other services, of which this one has only the id. A user also has `gymId` if the gateway sends it
 * (`@requires`).
 */
export interface User {
  id: string;
  gymId?: string | null;
}
export interface Product {
  id: string;
}
export interface WorkoutRoutine {
  id: string;
}
export type { JobShape as Job } from '#server/jobs/jobs.shapes.ts';
export type { EventPageShape as EventPage, EventShape as Event } from '#server/events/events.shapes.ts';
export type {
  WebhookShape as Webhook,
  WebhookDeliveryShape as WebhookDelivery,
  WebhookWithSecretShape as WebhookWithSecret,
} from './webhooks/webhooks.shapes.ts';
