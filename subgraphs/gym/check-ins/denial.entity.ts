import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

/** A check-in that was refused, and why. */
const DenialSchema = defineEntity({
  name: 'Denial',
  tableName: 'check_in_denial',
  indexes: [
    { properties: ['locationId', 'id'] },
    { properties: ['userId', 'id'] },
    { properties: ['presentedBy', 'id'] },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    locationId: p.uuid(),
    gymId: p.uuid(),
    /** Whose code it was; null where nobody's, or where the account is deleted. */
    userId: p.uuid().nullable(),
    reason: p.string().length(32),
    /** Null once the account is deleted. */
    presentedBy: p.uuid().nullable(),
    deniedAt: p.datetime().onCreate(() => new Date()),
    /** How many refusals it stands for. */
    count: p.integer().default(1),
  },
});

export class Denial extends DenialSchema.class {}
DenialSchema.setClass(Denial);
