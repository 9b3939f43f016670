import { defineEntity, p } from '@mikro-orm/core';
import type { Resource } from './resources.ts';

/** One place of a value that a session holds. The constraints decide who is first; nothing else does. */
const ReservationSchema = defineEntity({
  name: 'Reservation',
  tableName: 'reservation',
  uniques: [{ properties: ['resource', 'value', 'place'] }, { properties: ['sessionId', 'resource'] }],
  indexes: [{ properties: ['expiresAt'] }],
  properties: {
    id: p.uuid().primary(),
    resource: p.string().length(16).$type<Resource>(),
    /** canonical: two spellings of one thing are one value */
    value: p.string().length(300),
    /** 1 up to as many as may have the value at once */
    place: p.integer(),
    sessionId: p.uuid(),
    /** null: as long as it is not released */
    expiresAt: p.datetime().nullable(),
  },
});

export class Reservation extends ReservationSchema.class {}
ReservationSchema.setClass(Reservation);
