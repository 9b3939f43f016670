import { randomBytes } from 'node:crypto';
import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator';
import { z } from 'zod';
import { requireOwnGym, requireUser } from '#server/auth/viewer.ts';
import { invalid, PlatformError, unauthenticated } from '#server/errors.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { Memberships } from '../members/memberships.ts';
import { SESSION, type SessionRow } from './sessions.shapes.ts';
import type { CalendarShape } from './bookings.shapes.ts';

/** The maximum number of entries in a feed, which calendar applications always read as a whole. */
const MAX_ENTRIES = 1_000;
const DAYS_BACK = 30;
/** The length of the private token: 32 random bytes in base64url. */
const TOKEN_LENGTH = 43;

export const calendarQuery = z.object({
  token: z.string().max(100).optional().meta({
    description:
      'The private token of the feed, from `GET /users/me/calendar`. Not needed with an access token.',
  }),
  all: z
    .enum(['true', 'false'], 'expected true or false')
    .optional()
    .meta({ description: "`true`: the sessions of the gym. Default: the user's bookings." }),
});

interface Reader {
  userId: string;
  gymId: string | null;
}

interface Entry {
  id: string;
  title: string;
  description: string | null;
  instructor: string | null;
  startsAt: string;
  endsAt: string;
  changedAt: string;
  version: number;
  status: string;
  location: string;
  address: string | null;
}

const ENTRY = `gym_class.title, gym_class.description, class_session.instructor, class_session.starts_at as "startsAt",
  class_session.ends_at as "endsAt", class_session.changed_at as "changedAt", class_session.version, location.name as location, location.address`;
const OF_SESSION = `join gym_class on gym_class.id = class_session.class_id join location on location.id = class_session.location_id`;

/** The sessions of a gym, without those of first visits. */
const SESSIONS_OF_GYM = `select ${SESSION}, changed_at as "changedAt" from class_session
  where gym_id = ? and class_id not in (select id from gym_class where gym_id = class_session.gym_id and is_first_visit)`;

/** Feeds for calendar applications (iCalendar, RFC 5545), which cannot log in: a private token is part of the URL. */
export class Calendars {
  private readonly unit: UnitOfWork;
  private readonly memberships: Pick<Memberships, 'isStaff'>;
  private readonly publicUrl: string | undefined;

  /** @param publicUrl the address at which clients reach this service; without it, the addresses of feeds are paths */
  constructor(unit: UnitOfWork, memberships: Pick<Memberships, 'isStaff'>, publicUrl?: string) {
    this.unit = unit;
    this.memberships = memberships;
    this.publicUrl = publicUrl;
  }

  /** The address of the caller's feed, which is created at the first call. @throws GYM_REQUIRED */
  async own(): Promise<CalendarShape> {
    const { userId, gymId } = this.memberOfGym();
    const [row] = await this.unit.run<{ token: string }>(
      `insert into calendar_feed (user_id, gym_id, token, created_at) values (?, ?, ?, now())
       on conflict (user_id) do update set gym_id = excluded.gym_id returning token`,
      [userId, gymId, newToken()],
    );
    return this.shown(row);
  }

  /** Replaces the token: the earlier address of the feed no longer works. */
  async rotate(): Promise<CalendarShape> {
    const { userId, gymId } = this.memberOfGym();
    const [row] = await this.unit.run<{ token: string }>(
      `insert into calendar_feed (user_id, gym_id, token, created_at) values (?, ?, ?, now())
       on conflict (user_id) do update set gym_id = excluded.gym_id, token = excluded.token, created_at = now() returning token`,
      [userId, gymId, newToken()],
    );
    return this.shown(row);
  }

  /** The feed as iCalendar text: the bookings of the reader, or all sessions of their gym. */
  async feed({ token, all }: z.infer<typeof calendarQuery>): Promise<string> {
    const reader = await this.reader(token);
    const entries = all === 'true' ? await this.sessionsOf(reader) : await this.bookingsOf(reader);
    return iCalendarOf(all === 'true' ? 'Classes' : 'My classes', entries);
  }

  private memberOfGym(): { userId: string; gymId: string } {
    const { userId } = requireUser(this.unit.viewer);
    return { userId, gymId: requireOwnGym(this.unit.viewer) };
  }

  private shown(row: { token: string } | undefined): CalendarShape {
    if (!row) throw new Error('the calendar feed was not stored');
    const path = `/class-sessions.ics?token=${row.token}`;
    return { url: this.publicUrl ? this.publicUrl + path : this.unit.publicPath(path) };
  }

  /** The user whose feed is read: the owner of the token, else the caller. */
  private async reader(token: string | undefined): Promise<Reader> {
    const { viewer } = this.unit;
    if (token === undefined) {
      if (viewer.kind === 'anonymous') throw unauthenticated();
      const { userId, gymId } = requireUser(viewer);
      return { userId, gymId };
    }
    const [owner] =
      token.length === TOKEN_LENGTH
        ? await this.unit.read<Reader & { gymId: string; features: Record<string, boolean> }>(
            `select user_id as "userId", gym_id as "gymId", (select features from gym where gym.id = gym_id) as features
             from calendar_feed where token = ?`,
            [token],
          )
        : [];
    if (!owner)
      throw new PlatformError(
        'NOT_FOUND',
        'There is no calendar with this token; it may have been replaced.',
      );
    // With a log-in, `Features` decides this; a token has no role, so identity is asked, but only while the module is off.
    if (owner.features.classes === false && !(await this.memberships.isStaff(owner.gymId, owner.userId)))
      throw new PlatformError('FEATURE_DISABLED', 'Your gym has switched off "classes".');
    return owner;
  }

  private bookingsOf({ userId }: Reader): Promise<Entry[]> {
    return this.unit.read<Entry>(
      `select booking.id, booking.status, ${ENTRY} from booking join class_session on class_session.id = booking.session_id ${OF_SESSION}
       where booking.user_id = ? and booking.starts_at > now() - interval '${DAYS_BACK} days'
         and booking.status in ('BOOKED', 'WAITING', 'ATTENDED')
       order by booking.starts_at limit ${MAX_ENTRIES}`,
      [userId],
    );
  }

  private async sessionsOf({ gymId }: Reader): Promise<Entry[]> {
    if (!gymId) throw invalid('all', 'you belong to no gym');
    const locations = await this.unit.read<{ id: string; name: string; address: string | null }>(
      'select id, name, address from location where gym_id = ?',
      [gymId],
    );
    const places = new Map(locations.map((location) => [location.id, location]));
    const sessions = await this.unit.read<SessionRow & { changedAt: string }>(
      `(${SESSIONS_OF_GYM} and starts_at >= now() order by starts_at limit ${MAX_ENTRIES}) union all
       (${SESSIONS_OF_GYM} and starts_at < now() and starts_at > now() - interval '${DAYS_BACK} days'
        order by starts_at desc limit ${MAX_ENTRIES})`,
      [gymId, gymId],
    );
    // Coming sessions come first, so that a busy gym has these in its feed rather than the past ones.
    return sessions
      .slice(0, MAX_ENTRIES)
      .toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt))
      .map(({ class: { title, description }, ...session }) => ({
        ...session,
        title,
        description,
        location: places.get(session.locationId)?.name ?? '',
        address: places.get(session.locationId)?.address ?? null,
      }));
  }
}

const newToken = (): string => randomBytes(32).toString('base64url');

/** The entries as iCalendar text. */
function iCalendarOf(name: string, entries: readonly Entry[]): string {
  const calendar = ical({
    name,
    prodId: { company: 'Fitness platform', product: 'Classes', language: 'EN' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: 3_600, // 1 h: how often an application should read the feed again
  });
  for (const entry of entries)
    calendar.createEvent({
      id: entry.id,
      start: new Date(entry.startsAt),
      end: new Date(entry.endsAt),
      stamp: new Date(entry.changedAt),
      lastModified: new Date(entry.changedAt),
      sequence: entry.version,
      summary: entry.title,
      description: [entry.instructor, entry.description].filter(Boolean).join('\n\n') || null,
      location: [entry.location, entry.address].filter(Boolean).join(', '),
      status: STATUSES[entry.status] ?? ICalEventStatus.CONFIRMED,
    });
  return calendar.toString();
}

const STATUSES: Readonly<Record<string, ICalEventStatus>> = {
  WAITING: ICalEventStatus.TENTATIVE,
  CANCELLED: ICalEventStatus.CANCELLED,
};
