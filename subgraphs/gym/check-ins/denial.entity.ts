import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { Gym } from '../gyms/gym.entity.ts';
import { Location } from '../locations/location.entity.ts';

/** A check-in that was refused, with the reason. */
const DenialSchema = defineEntity({
  name: 'Denial',
  tableName: 'check_in_denial',
  indexes: [
    { properties: ['locationId', 'id'] },
    { properties: ['userId', 'id'] },
    { properties: ['presentedBy', 'id'] },
    { properties: ['gymId'] },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    locationId: () => p.manyToOne(Location).mapToPk().joinColumn('location_id').deleteRule('cascade'),
    gymId: () => p.manyToOne(Gym).mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    /** The owner of the code; null if the code had no owner, or if the account is deleted. */
    userId: p.uuid().nullable(),
    reason: p.string().length(32),
    /** Null once the account is deleted. */
    presentedBy: p.uuid().nullable(),
    deniedAt: p.datetime().onCreate(() => new Date()),
    /** How many denials this row represents. */
    count: p.integer().default(1),
  },
});

export class Denial extends DenialSchema.class {}
DenialSchema.setClass(Denial);
