import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { Location } from '../locations/location.entity.ts';

/** How a visit ended. */
export const CheckOutKind = {
  /**
   * By the member, staff or a machine client; also if the location is closed for good, the membership ends, or the account is
   * deleted.
   */
  MANUAL: 'MANUAL',
  /** Automatically, after the location's longest stay. */
  AUTOMATIC: 'AUTOMATIC',
  /** By a check-in at another location. */
  MOVED: 'MOVED',
  /** By staff, because the check-in was a mistake; the visit no longer counts. */
  UNDONE: 'UNDONE',
} as const;
export type CheckOutKind = (typeof CheckOutKind)[keyof typeof CheckOutKind];

/** How a visit began. OVERRIDE: staff let the member in although the location was full, or outside of its opening hours. */
export const CheckInMethod = { QR: 'QR', OVERRIDE: 'OVERRIDE' } as const;
export type CheckInMethod = (typeof CheckInMethod)[keyof typeof CheckInMethod];

const CheckInSchema = defineEntity({
  name: 'CheckIn',
  tableName: 'check_in',
  indexes: [
    // for the current occupancy of a location
    {
      name: 'check_in_open_by_location',
      expression:
        'create index "check_in_open_by_location" on "check_in" ("location_id", "expires_at") where "checked_out_at" is null',
    },
    // for the time when the occupancy of a location last decreased
    {
      name: 'check_in_left_location',
      expression:
        'create index "check_in_left_location" on "check_in" ("location_id", "checked_out_at") where "checked_out_at" is not null',
    },
    // for the visits that end automatically next
    {
      name: 'check_in_open_by_expiry',
      expression:
        'create index "check_in_open_by_expiry" on "check_in" ("expires_at") where "checked_out_at" is null',
    },
    { properties: ['userId', 'checkedInAt', 'id'] },
    // for the visits of a location, newest first
    { properties: ['locationId', 'checkedInAt', 'id'] },
    { properties: ['gymId'] },
    // for visits that staff or a machine client began; the other visits are found by `userId`
    {
      name: 'check_in_by_staff',
      expression:
        'create index "check_in_by_staff" on "check_in" ("checked_in_by") where "checked_in_by" is distinct from "user_id"',
    },
  ],
  // at most one open visit for each member, whatever the code does
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
    /** Null once the account is deleted: the visit stays in the statistics of the gym. */
    userId: p.uuid().nullable(),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('restrict'),
    locationId: () => p.manyToOne(Location).mapToPk().joinColumn('location_id').deleteRule('restrict'),
    checkedInAt: p.datetime(),
    /** When the visit ends automatically. */
    expiresAt: p.datetime(),
    /** Null while the visit is open. */
    checkedOutAt: p.datetime().nullable(),
    checkOutKind: p.string().length(16).$type<CheckOutKind>().nullable(),
    method: p.string().length(16).$type<CheckInMethod>(),
    /** The scanning device, as the caller names it: `kiosk`, `app`. */
    source: p.string().length(32).nullable(),
    /** The user (the member, or staff) or machine client that presented the code; null once that account is deleted. */
    checkedInBy: p.uuid().nullable(),
  },
});

export class CheckIn extends CheckInSchema.class {}
CheckInSchema.setClass(CheckIn);
