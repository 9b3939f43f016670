import { defineEntity, p } from '@mikro-orm/core';
import { WizardSession } from '../sessions/session.entity.ts';
import type { Resource } from './resources.ts';

/** One place of a value that a session has reserved. Only the constraints decide which of several sessions gets it. */
const ReservationSchema = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  uniques: [{ properties: ['resource', 'value', 'place'] }, { properties: ['sessionId', 'resource'] }],
  indexes: [
    { properties: ['expiresAt'] },
    // a member has one first visit
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
    /** canonical: two spellings of one name are one value */
    value: p.string().length(300),
    /** from 1 to the number of places of the value */
    place: p.integer(),
    sessionId: () => p.manyToOne(WizardSession).deleteRule('cascade').fieldName('session_id').mapToPk(),
    /** null: until it is released */
    expiresAt: p.datetime().nullable(),
    /** for a first visit: whether the session is deployed, so that the gym expects the member */
    isFirm: p.boolean().default(false),
    /** for a first visit: the member; null while the session has no account */
    memberId: p.uuid().nullable(),
    /** for a firm first visit: the gym */
    gymId: p.uuid().nullable(),
    /** for a firm first visit */
    startsAt: p.datetime().nullable(),
  },
});

export class Reservation extends ReservationSchema.class {}
ReservationSchema.setClass(Reservation);
