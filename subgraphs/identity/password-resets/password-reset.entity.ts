import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';
import { User } from '../users/user.entity.ts';

export const ResetPurpose = { RESET: 'RESET', INVITATION: 'INVITATION' } as const;
export type ResetPurpose = (typeof ResetPurpose)[keyof typeof ResetPurpose];

/** A requested mail with a token for a new password. Each attempt to send the mail makes a new token. */
const PasswordResetSchema = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_reset',
  indexes: [{ properties: ['userId'] }, { properties: ['requestedAt'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    purpose: p.string().length(16).$type<ResetPurpose>(),
    /**
     * As the caller wrote it. Whether an account has this email is checked after the answer, so that the duration of the
     * answer does not reveal it.
     */
    email: p.string().length(254),
    requestedAt: p.datetime(),
    sentAt: p.datetime().nullable(),
    userId: () => p.manyToOne(User).deleteRule('cascade').fieldName('user_id').mapToPk().nullable(),
    /** SHA-256 of the token in the mail. */
    tokenHash: p.string().length(43).nullable().unique(),
    expiresAt: p.datetime().nullable(),
  },
});

export class PasswordReset extends PasswordResetSchema.class {}
PasswordResetSchema.setClass(PasswordReset);
