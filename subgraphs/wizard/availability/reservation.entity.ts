import { defineEntity, p } from '@mikro-orm/core';
import { WizardSession } from '../sessions/session.entity.ts';
import type { Resource } from './resources.ts';

/** One place of a value that a session holds. The constraints decide who is first; nothing else does. */
const ReservationSchema = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  uniques: [{ properties: ['resource', 'value', 'place'] }, { properties: ['sessionId', 'resource'] }],
  indexes: [
    { properties: ['expiresAt'] },
    // a member holds one first visit
    {
      name: 'reservation_one_of_a_member',
      expression: `create unique index "reservation_one_of_a_member" on "reservation" ("member_id") where "member_id" is not null`,
    },
    // what staff look at
    {
      name: 'reservation_first_visits',
      expression: `create index "reservation_first_visits" on "reservation" ("gym_id", "starts_at") where "is_firm"`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    resource: p.string().length(16).$type<Resource>(),
    /** canonical: two spellings of one thing are one value */
    value: p.string().length(300),
    /** 1 up to as many as may have the value at once */
    place: p.integer(),
    sessionId: () => p.manyToOne(WizardSession).deleteRule('cascade').fieldName('session_id').mapToPk(),
    /** null: as long as it is not released */
    expiresAt: p.datetime().nullable(),
    /** of a first visit: whether it is agreed on, not only held while the member fills in the session */
    isFirm: p.boolean().default(false),
    /** of a first visit: whose; null while the session has no account */
    memberId: p.uuid().nullable(),
    /** of an agreed first visit: in which gym */
    gymId: p.uuid().nullable(),
    /** of an agreed first visit */
    startsAt: p.datetime().nullable(),
  },
});

export class Reservation extends ReservationSchema.class {}
ReservationSchema.setClass(Reservation);
