import type { AccountPart } from '#server/accounts/account-part.ts';
import { entityRecords } from '#server/accounts/entity-records.ts';
import { eraseOnce } from '#server/accounts/erased-accounts.ts';
import { eventRecords } from '#server/events/erase-events.ts';
import type { FileStorage } from '#server/files/file-storage.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { Announcement } from '../announcements/announcement.entity.ts';
import { AuditEvent } from '../audit/audit-event.entity.ts';
import { Participant } from '../challenges/challenge.entity.ts';
import { Booking } from '../classes/booking.entity.ts';
import { CalendarFeed } from '../classes/class.entity.ts';
import { CheckIn } from '../check-ins/check-in.entity.ts';
import { Denial } from '../check-ins/denial.entity.ts';
import { orderRecords } from '../orders/order-rows.ts';
import { Comment, CommentReport, Like, Post, Report } from '../posts/post.entity.ts';
import { StockMovement } from '../shop/stock.entity.ts';
import { eraseMember, erasePicturesOf } from './erase-member.ts';

/** What the gym service stores about a user, and how it is erased. */
export const gymAccountPart = (unit: UnitOfWork, files: FileStorage): AccountPart => ({
  records: {
    checkIns: entityRecords(unit, CheckIn, 'id', (userId) => ({ userId })),
    // Denials of the user's own check-ins, and those where they presented a code that belongs to nobody.
    deniedCheckIns: entityRecords(unit, Denial, 'id', (userId) => ({
      $or: [{ userId }, { userId: null, presentedBy: userId }],
    })),
    bookings: entityRecords(unit, Booking, 'id', (userId) => ({ userId })),
    calendarFeeds: entityRecords(unit, CalendarFeed, 'userId', (userId) => ({ userId }), ['token']),
    challenges: entityRecords(unit, Participant, 'challengeId', (userId) => ({ userId }), [
      'recountMark',
      'recountAt',
    ]),
    posts: entityRecords(unit, Post, 'id', (authorId) => ({ authorId })),
    comments: entityRecords(unit, Comment, 'id', (authorId) => ({ authorId })),
    likes: entityRecords(unit, Like, 'postId', (userId) => ({ userId })),
    reports: entityRecords(unit, Report, 'postId', (reporterId) => ({ reporterId })),
    commentReports: entityRecords(unit, CommentReport, 'commentId', (reporterId) => ({ reporterId })),
    orders: orderRecords(unit),
    stockMovements: entityRecords(unit, StockMovement, 'id', (actorId) => ({ actorId })),
    announcements: entityRecords(unit, Announcement, 'id', (authorId) => ({ authorId })),
    auditEvents: entityRecords(unit, AuditEvent, 'id', (userId) => ({
      $or: [{ actorId: userId }, { details: { userId } }],
    })),
    events: eventRecords(unit),
  },
  erase: (userId) =>
    eraseOnce(
      unit,
      userId,
      () => eraseMember(unit, userId),
      () => erasePicturesOf(unit, files, userId),
    ),
});
