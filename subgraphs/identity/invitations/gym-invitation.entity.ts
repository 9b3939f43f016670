import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { User } from '../users/user.entity.ts';

/** An invitation into a gym, for a user who has an account already and belongs to no gym. */
const GymInvitationSchema = defineEntity({
  name: 'GymInvitation',
  tableName: 'gym_invitation',
  indexes: [{ properties: ['gymId', 'id'] }, { properties: ['requestedAt'] }],
  uniques: [{ properties: ['userId', 'gymId'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: () => p.manyToOne(User).deleteRule('cascade').fieldName('user_id').mapToPk(),
    gymId: p.uuid(),
    /** The name that the inviting staff gave. They do not see the name in the account. */
    displayName: p.string().length(80),
    createdAt: p.datetime(),
    /** When the latest mail was requested. */
    requestedAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    expiresAt: p.datetime().nullable(),
  },
});

export class GymInvitation extends GymInvitationSchema.class {}
GymInvitationSchema.setClass(GymInvitation);
