import type { ServiceCalls } from '#server/service-calls.ts';
import { NO_ORIGIN } from '#server/unit-of-work.ts';

interface MemberMail {
  userId: string;
  subject: string;
  text: string;
  /** A repeated mail with this key is not sent again. */
  key: string;
}
export type MailMember = (mail: MemberMail) => Promise<void>;

/** Sends mails to members through identity, which stores their addresses. */
export const memberMails =
  (identity: ServiceCalls): MailMember =>
  async ({ key, ...body }) => {
    await identity.call({
      method: 'POST',
      path: '/member-mails',
      body,
      as: 'service',
      origin: NO_ORIGIN,
      idempotencyKey: key,
    });
  };
