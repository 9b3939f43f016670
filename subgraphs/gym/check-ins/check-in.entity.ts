import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

const CheckInSchema = defineEntity({
  name: 'CheckIn',
  tableName: 'check_in',
  indexes: [
    // occupancy of a location, and "one open visit a member" as a constraint
    {
      name: 'check_in_open_by_location',
      expression:
        'create index "check_in_open_by_location" on "check_in" ("location_id") where "checked_out_at" is null',
    },
    { properties: ['userId', 'checkedInAt'] },
  ],
  uniques: [
    {
      name: 'check_in_open_by_user',
      expression:
        'create unique index "check_in_open_by_user" on "check_in" ("user_id") where "checked_out_at" is null',
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: p.uuid(),
    gymId: p.uuid(),
    locationId: p.uuid(),
    checkedInAt: p.datetime().onCreate(() => new Date()),
    /** Null while the visit is open. */
    checkedOutAt: p.datetime().nullable(),
  },
});

export class CheckIn extends CheckInSchema.class {}
CheckInSchema.setClass(CheckIn);
