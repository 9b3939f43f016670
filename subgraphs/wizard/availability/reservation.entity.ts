import { defineEntity, p } from '@mikro-orm/core';
import { WizardSession } from '../sessions/session.entity.ts';
import type { Resource } from './resources.ts';

/** One place of a value that a session has reserved. The constraints decide which of several sessions gets the place. */
const ReservationSchema = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  uniques: [{ properties: ['resource', 'value', 'place'] }, { properties: ['sessionId', 'resource'] }],
  indexes: [
    { properties: ['expiresAt'] },
    // A member has at most one first visit.
    {
      name: 'reservation_one_of_a_member',
      expression: `create unique index "reservation_one_of_a_member" on "reservation" ("member_id") where "member_id" is not null`,
    },
    // for the staff's list of first visits
    {
      name: 'reservation_first_visits',
      expression: `create index "reservation_first_visits" on "reservation" ("gym_id", "starts_at") where "is_firm"`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    resource: p.string().length(16).$type<Resource>(),
    /** The canonical form, so that two spellings of one name are one value. */
    value: p.string().length(300),
    /** From 1 to the number of places of the value; null for a first visit that has ended or was cancelled. */
    place: p.integer().nullable(),
    sessionId: () => p.manyToOne(WizardSession).deleteRule('cascade').fieldName('session_id').mapToPk(),
    /** Null if the reservation stays until it is released. */
    expiresAt: p.datetime().nullable(),
    /** Whether this is a first visit of a deployed session, for which the gym expects the member. */
    isFirm: p.boolean().default(false),
    /** The member of a first visit; null while the session has no account, and once the visit has ended or was cancelled. */
    memberId: p.uuid().nullable(),
    /** The gym of a firm first visit. */
    gymId: p.uuid().nullable(),
    /** The beginning of a firm first visit. */
    startsAt: p.datetime().nullable(),
  },
});

export class Reservation extends ReservationSchema.class {}
ReservationSchema.setClass(Reservation);
