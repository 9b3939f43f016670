import type { DatabaseDeclaration } from '#server/database/database.ts';
import { eventEntities } from '#server/events/event-tables.ts';
import { sagaEntities } from '#server/saga/saga-tables.ts';
import { Announcement } from './announcements/announcement.entity.ts';
import { AuditEvent } from './audit/audit-event.entity.ts';
import { Challenge, Participant, ScoreCount } from './challenges/challenge.entity.ts';
import { Booking } from './classes/booking.entity.ts';
import { CalendarFeed, GymClass } from './classes/class.entity.ts';
import { ClassSession } from './classes/session.entity.ts';
import { CheckIn } from './check-ins/check-in.entity.ts';
import { Denial } from './check-ins/denial.entity.ts';
import { ConfigDraft, ConfigVersion } from './gyms/config-version.entity.ts';
import { Gym } from './gyms/gym.entity.ts';
import { Location } from './locations/location.entity.ts';
import { CollectedFeed } from './events/collected-feed.entity.ts';
import { migrations } from './migrations/index.ts';
import { Comment, CommentReport, Like, Post, Report } from './posts/post.entity.ts';
import { Order, OrderItem } from './orders/order.entity.ts';
import { GymProduct, GymProgram } from './shop/shop.entity.ts';
import { ProductList, StockMovement } from './shop/stock.entity.ts';
import { Webhook, WebhookCursor, WebhookDelivery } from './webhooks/webhook.entity.ts';

export const database: DatabaseDeclaration = {
  name: 'platform_gym',
  entities: [
    Gym,
    ConfigVersion,
    ConfigDraft,
    AuditEvent,
    Location,
    CheckIn,
    Denial,
    Challenge,
    Participant,
    ScoreCount,
    Announcement,
    Post,
    Like,
    Comment,
    Report,
    CommentReport,
    GymProduct,
    GymProgram,
    GymClass,
    ClassSession,
    Booking,
    CalendarFeed,
    ProductList,
    StockMovement,
    Order,
    OrderItem,
    CollectedFeed,
    Webhook,
    WebhookDelivery,
    WebhookCursor,
    ...sagaEntities,
    ...eventEntities,
  ],
  migrations,
};
