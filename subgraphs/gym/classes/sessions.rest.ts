import { pageQuery } from '#server/paging.ts';
import { callers, GYM_STAFF, SERVICES } from '#server/rest/callers.ts';
import { INTERNAL, Reply, restRoute } from '#server/rest/route.ts';
import { gymQuery, idParams } from '#server/shapes.ts';
import { TAGS } from '../api-tags.ts';
import type { Bookings } from './bookings.ts';
import { BookingShape, CalendarShape } from './bookings.shapes.ts';
import { calendarQuery, type Calendars } from './calendar.ts';
import {
  BookedFirstVisitsShape,
  BookFirstVisitInput,
  FirstVisitIds,
  FirstVisitPlacesShape,
  FirstVisitTime,
  type FirstVisits,
} from './first-visits.ts';
import type { Sessions } from './sessions.ts';
import {
  classSessionsQuery,
  ClassSessionShape,
  UpdateClassSessionInput,
  type SessionRow,
} from './sessions.shapes.ts';

interface Rules {
  sessions: Sessions;
  bookings: Bookings;
}
const route = restRoute<Rules>(TAGS.classes, 'classes');
const calendarRoute = restRoute<{ calendars: Calendars }>(TAGS.classes, 'classes');
const internalRoute = restRoute<{ firstVisits: FirstVisits }>(INTERNAL);

const withOwnBooking = async (session: SessionRow, { bookings }: Rules): Promise<ClassSessionShape> => ({
  ...session,
  myBooking: await bookings.mine(session.id),
});

export const sessionsRest = [
  route({
    method: 'GET',
    path: '/class-sessions',
    operationId: 'listClassSessions',
    summary: "The class sessions of the caller's gym",
    scopes: ['classes:read'],
    auth: 'required',
    query: pageQuery.extend(gymQuery.shape).extend(classSessionsQuery.shape),
    success: {
      status: 200,
      description: "A page of the sessions, the earliest first, each with the caller's booking.",
      shape: ClassSessionShape,
      page: true,
    },
    errors: ['FORBIDDEN', 'GYM_REQUIRED'],
    handler: async ({ query }, rules) => {
      const page = await rules.sessions.list(query);
      const items = await Promise.all(page.items.map((session) => withOwnBooking(session, rules)));
      const rowsByItem = new Map(items.map((item, index) => [item, page.items[index] as SessionRow]));
      return {
        ...page,
        items,
        cursorOf: (item: ClassSessionShape) => page.cursorOf(rowsByItem.get(item) as SessionRow),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/class-sessions/:id',
    operationId: 'getClassSession',
    summary: 'A class session',
    scopes: ['classes:read'],
    auth: 'required',
    params: idParams,
    success: {
      status: 200,
      description: "The session with the caller's booking.",
      shape: ClassSessionShape,
      variesWithinVersion: true,
    },
    handler: async ({ params }, rules) => withOwnBooking(await rules.sessions.get(params.id), rules),
  }),
  route({
    method: 'PUT',
    path: '/class-sessions/:id',
    operationId: 'updateClassSession',
    summary: 'Change or cancel a class session',
    description:
      'Absent fields are unchanged. `scope: FOLLOWING` also changes all later sessions of the class, those that are not made yet included. A capacity below the booked places is a `CONFLICT`; a larger one gives places to those who wait. A session of first visits keeps its start: another `startsAt` is a `CONFLICT`.',
    only: GYM_STAFF,
    auth: 'required',
    params: idParams,
    body: UpdateClassSessionInput,
    versioned: true,
    success: {
      status: 200,
      description: 'The changed session.',
      shape: ClassSessionShape,
      variesWithinVersion: true,
    },
    errors: ['FORBIDDEN', 'CONFLICT', 'SESSION_CLOSED', 'VERSION_CONFLICT'],
    handler: async ({ params, body, expectedVersion }, rules) =>
      withOwnBooking(await rules.sessions.update(params.id, body, expectedVersion), rules),
  }),
  calendarRoute({
    method: 'GET',
    path: '/class-sessions.ics',
    operationId: 'getClassCalendar',
    summary: "A calendar feed: the user's bookings, or the sessions of the gym",
    description:
      'For calendar applications. The token in the URL replaces a log-in. The feed has the sessions of the last 30 days and the coming ones; at most 1,000 entries.',
    auth: 'optional',
    query: calendarQuery,
    success: { status: 200, description: 'The calendar (RFC 5545).', contentType: 'text/calendar' },
    errors: ['UNAUTHENTICATED', 'NOT_FOUND', 'UPSTREAM_UNAVAILABLE'],
    handler: async ({ query }, { calendars }) =>
      new Reply(200, await calendars.feed(query), {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': 'inline; filename="classes.ics"',
        'Cache-Control': 'private, max-age=300',
      }),
  }),
  calendarRoute({
    method: 'GET',
    path: '/users/me/calendar',
    operationId: 'getCalendar',
    summary: "The address of the caller's calendar feed",
    description:
      "Everybody who has the address can read the feed. With `&all=true` it has the sessions of the gym instead of the user's bookings.",
    only: callers('users of a gym', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    success: { status: 200, description: 'The address, with the private token.', shape: CalendarShape },
    errors: ['GYM_REQUIRED'],
    handler: (_request, { calendars }) => calendars.own(),
  }),
  calendarRoute({
    method: 'POST',
    path: '/users/me/calendar/rotate',
    operationId: 'rotateCalendar',
    summary: "Replace the address of the caller's calendar feed",
    description: 'The earlier address ends at once.',
    only: callers('users of a gym', 'MEMBER', 'GYM_ADMIN', 'SUPER_ADMIN'),
    auth: 'required',
    success: { status: 200, description: 'The new address.', shape: CalendarShape },
    errors: ['GYM_REQUIRED'],
    handler: (_request, { calendars }) => calendars.rotate(),
  }),
  internalRoute({
    method: 'GET',
    path: '/first-visits/places',
    operationId: 'getFirstVisitPlaces',
    summary: 'The places of first visits at a time',
    only: SERVICES,
    auth: 'required',
    query: FirstVisitTime,
    success: {
      status: 200,
      description: 'The places; none if staff have cancelled the session at that time.',
      shape: FirstVisitPlacesShape,
    },
    errors: ['NOT_FOUND'],
    handler: ({ query }, { firstVisits }) => firstVisits.places(query),
  }),
  internalRoute({
    method: 'GET',
    path: '/first-visits/booked',
    operationId: 'listBookedFirstVisits',
    summary: 'Which first visits have their place',
    only: SERVICES,
    auth: 'required',
    query: FirstVisitIds,
    success: {
      status: 200,
      description: 'Those of the bookings that were not cancelled.',
      shape: BookedFirstVisitsShape,
    },
    handler: ({ query }, { firstVisits }) => firstVisits.booked(query),
  }),
  internalRoute({
    method: 'POST',
    path: '/first-visits',
    operationId: 'bookFirstVisit',
    summary: 'Book the first visit of a new member',
    description:
      'A repeated request with the same id, location and time returns the stored booking, even if it was cancelled in the meantime. `SESSION_CLOSED` if no place is left, or if the session has begun or was cancelled.',
    only: SERVICES,
    auth: 'required',
    body: BookFirstVisitInput,
    success: { status: 201, description: 'The booking.', shape: BookingShape },
    errors: ['NOT_FOUND', 'CONFLICT', 'SESSION_CLOSED', 'MEMBERSHIP_INACTIVE'],
    handler: ({ body }, { firstVisits }) => firstVisits.book(body),
  }),
  internalRoute({
    method: 'DELETE',
    path: '/first-visits/:id',
    operationId: 'cancelFirstVisit',
    summary: 'Cancel the first visit of a new member',
    only: SERVICES,
    auth: 'required',
    params: idParams,
    success: { status: 204, description: 'The booking is cancelled.' },
    errors: ['NOT_FOUND'],
    handler: ({ params }, { firstVisits }) => firstVisits.cancel(params.id),
  }),
];
