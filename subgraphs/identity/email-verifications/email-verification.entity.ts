import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { User } from '../users/user.entity.ts';

/**
 * A mail with a token, by which a user proves that they read the mails to their address. Each attempt to send the mail makes
 * a new token.
 */
const EmailVerificationSchema = defineEntity({
  name: 'EmailVerification',
  tableName: 'email_verification',
  indexes: [{ properties: ['userId', 'requestedAt'] }, { properties: ['requestedAt'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    userId: () => p.manyToOne(User).deleteRule('cascade').fieldName('user_id').mapToPk(),
    requestedAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    /** SHA-256 of the token in the mail. */
    tokenHash: p.string().length(43).nullable().unique(),
    expiresAt: p.datetime().nullable(),
  },
});

export class EmailVerification extends EmailVerificationSchema.class {}
EmailVerificationSchema.setClass(EmailVerification);
