import { restRoute } from '#server/rest/route.ts';
import { TAGS } from '../api-tags.ts';
import { AUTH_RATE } from '../rates.ts';
import type { EmailVerifications } from './email-verifications.ts';
import { VerifyEmailShape } from './email-verifications.shapes.ts';

const route = restRoute<{ emailVerifications: EmailVerifications }>(TAGS.users);

export const emailVerificationsRest = [
  route({
    method: 'POST',
    path: '/auth/verify-email',
    operationId: 'verifyEmail',
    summary: 'Verify an email with the token of a mail',
    description:
      'A token works once and for 24 hours. A membership that waited for this becomes ACTIVE. An accepted invitation and a new password with a mailed token verify the email, too.',
    auth: 'ignoreInvalidToken',
    body: VerifyEmailShape,
    rateLimit: AUTH_RATE,
    success: { status: 204, description: 'The email is verified.' },
    handler: ({ body }, { emailVerifications }) => emailVerifications.verify(body),
  }),
  route({
    method: 'POST',
    path: '/auth/verify-email/resend',
    operationId: 'resendVerification',
    summary: 'Send the verification mail again',
    description:
      'One user gets at most five mails per hour, and none if the email is verified; the answer is the same.',
    auth: 'required',
    rateLimit: AUTH_RATE,
    success: {
      status: 202,
      description: 'If the email is not verified, the mail is sent after this answer.',
    },
    handler: (_request, { emailVerifications }) => emailVerifications.resend(),
  }),
];
