import { z } from 'zod';
import { columnOf, columnsOf } from '#server/database/columns.ts';
import { instant, uuid, versionNumber } from '#server/shapes.ts';
import { BookingShape } from './bookings.shapes.ts';
import {
  durationMinutes,
  GYM_CLASS,
  GymClassShape,
  instructorName,
  Range,
  rangeQuery,
  sessionCapacity,
} from './classes.shapes.ts';
import { SessionStatus } from './session.entity.ts';

export const ClassSessionShape = z
  .object({
    id: uuid(),
    classId: uuid(),
    gymId: uuid(),
    locationId: uuid(),
    class: GymClassShape,
    startsAt: z.iso.datetime(),
    endsAt: z.iso.datetime(),
    capacity: z.int(),
    booked: z.int(),
    waiting: z.int(),
    instructor: z.string().nullable(),
    status: z.enum(SessionStatus),
    version: z.int(),
    myBooking: BookingShape.nullable(),
  })
  .meta({ id: 'ClassSession' });
export type ClassSessionShape = z.infer<typeof ClassSessionShape>;

/** A session without the viewer's booking: what is stored. */
export const SessionRow = ClassSessionShape.omit({ myBooking: true }).meta({ id: 'ClassSessionRow' });
export type SessionRow = z.infer<typeof SessionRow>;

/** In the graph, `myBooking` is read only if it is selected. With `isForAll` it is null, because the event goes to several users. */
export type SessionInGraph = SessionRow & { isForAll?: boolean };

const of = (table: string, shape: z.ZodObject): Record<string, string> =>
  Object.fromEntries(Object.keys(shape.shape).map((field) => [field, `${table}.${columnOf(field)}`]));

/** The columns of a session with its class. A session that has ended is DONE, even if the job has not written it yet. */
export const SESSION = columnsOf(SessionRow, {
  ...of('class_session', SessionRow),
  class: `(select to_jsonb(shown) from (select ${GYM_CLASS} from gym_class where gym_class.id = class_session.class_id) as shown)`,
  status: `case when class_session.status = 'SCHEDULED' and class_session.ends_at <= now() then 'DONE' else class_session.status end`,
});
export const SESSIONS = `select ${SESSION} from class_session`;

export const SessionScope = { THIS: 'THIS', FOLLOWING: 'FOLLOWING' } as const;

export const UpdateClassSessionInput = z
  .object({
    startsAt: instant.nullish(),
    durationMinutes: durationMinutes.nullish(),
    capacity: sessionCapacity.nullish(),
    instructor: instructorName,
    status: z.literal(SessionStatus.CANCELLED, 'expected CANCELLED').nullish(),
    scope: z.enum(SessionScope, 'expected THIS or FOLLOWING').nullish(),
    version: versionNumber.nullish(),
  })
  .meta({ graphType: 'UpdateClassSessionInput' });

export const ClassSessionsFilter = Range.extend({
  gymId: uuid('expected the id of a gym').nullish(),
  locationId: uuid('expected the id of a location').nullish(),
  classId: uuid('expected the id of a class').nullish(),
});

/** The query of `GET /class-sessions`. */
export const classSessionsQuery = rangeQuery.extend({
  locationId: uuid().optional().meta({ description: 'Only sessions at this location.' }),
  classId: uuid().optional().meta({ description: 'Only sessions of this class.' }),
});
