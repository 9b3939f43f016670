import { DateTime } from 'luxon';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { jobOf } from '#server/jobs/job.ts';
import type { MailMember } from './member-mails.ts';

const NOTICES = ['PROMOTED', 'SESSION_CANCELLED', 'SESSION_MOVED'] as const;
/** The mails to a member about their booking. */
export type Notice = (typeof NOTICES)[number];

interface Facts {
  status: string;
  version: number;
  title: string;
  startsAt: string;
  location: string;
  timezone: string;
}

const FACTS = `
  select booking.status, class_session.version, gym_class.title, class_session.starts_at as "startsAt", location.name as location, location.timezone
  from booking join class_session on class_session.id = booking.session_id
  join gym_class on gym_class.id = class_session.class_id join location on location.id = class_session.location_id
  where booking.id = ?`;

/** Mails a member about a change of their booking that they have not made themselves, unless it has changed again since. */
export const mailBooking = jobOf<{ mailMember: MailMember }>()({
  name: 'mail_booking',
  payload: z.object({ bookingId: uuid(), userId: uuid(), notice: z.enum(NOTICES) }),
  shown: ['bookingId', 'notice'],
  maxAttempts: 13,
  async run({ bookingId, userId, notice }, { unit, resources }) {
    const [facts] = await unit.read<Facts>(FACTS, [bookingId]);
    if (!facts || !STILL[notice].includes(facts.status)) return;
    const { title, location } = facts;
    const start = DateTime.fromJSDate(new Date(facts.startsAt), { zone: facts.timezone });
    const when = `${start.toFormat('cccc, d LLLL yyyy')} at ${start.toFormat('HH:mm')} (${facts.timezone})`;
    await resources.mailMember({
      userId,
      ...TEXTS[notice]({ title, location, when }),
      // The version distinguishes a move from an earlier one to the same time.
      key: `booking-${bookingId}-${notice}-${start.toMillis()}-${facts.version}`,
    });
  },
});

/** The states of the booking in which each notice is still true. */
const STILL: Readonly<Record<Notice, readonly string[]>> = {
  PROMOTED: ['BOOKED'],
  SESSION_CANCELLED: ['CANCELLED'],
  SESSION_MOVED: ['BOOKED', 'WAITING'],
};

interface Words {
  title: string;
  location: string;
  when: string;
}
const TEXTS: Readonly<Record<Notice, (words: Words) => { subject: string; text: string }>> = {
  PROMOTED: ({ title, location, when }) => ({
    subject: `You have a place in ${title}`,
    text: `A place has become free, and it is yours:\n\n${title}\n${when}\n${location}\n\nIf you cannot come, cancel the booking, so that the next person gets the place.\n`,
  }),
  SESSION_CANCELLED: ({ title, location, when }) => ({
    subject: `${title} is cancelled`,
    text: `This class does not take place:\n\n${title}\n${when}\n${location}\n\nYour booking is cancelled. You need not do anything.\n`,
  }),
  SESSION_MOVED: ({ title, location, when }) => ({
    subject: `${title} has another time`,
    text: `The class that you have booked has been moved. The new time:\n\n${title}\n${when}\n${location}\n\nIf you cannot come, cancel the booking.\n`,
  }),
};
