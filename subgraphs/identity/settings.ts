import { z } from 'zod';
import type { ServerSettings } from '#server/settings.ts';

/** The value of `SMTP_URL` with which mails are written to files instead of sent to a mail server. */
export const OUTBOX = 'outbox:';

/** The settings of the identity service, in addition to those of every server. */
export const identitySettings = z.object({
  /**
   * The first SUPER_ADMIN of an installation, created when the service starts and no account has that email. Both settings
   * must be given, or neither.
   */
  bootstrapAdminEmail: z.email('expected an email address').max(254).optional(),
  bootstrapAdminPassword: z.string().min(8, 'expected at least 8 characters').max(200).optional(),
  /**
   * A mail server, `smtp://user:password@host:587` or `smtps://...`. `outbox:`, or absent: mails are written to
   * `<dataDir>/outbox`.
   */
  smtpUrl: z
    .string()
    .regex(/^(smtps?:\/\/[^/\s]+|outbox:$)/, 'expected smtp://user:password@host:port, or outbox:')
    .optional(),
  mailFrom: z.string().max(300).default('Fitness Platform <no-reply@localhost>'),
  /**
   * The URL of the page of a front end that sets a new password; `{token}` in it is replaced by the token. If absent, mails
   * contain only the token.
   */
  passwordResetUrl: z
    .string()
    .regex(/^https?:\/\/\S*\{token\}/, 'expected an http(s) URL with {token} in it')
    .optional(),
  /**
   * The URL of the page of a front end that confirms an email; `{token}` in it is replaced by the token. If absent, mails
   * contain only the token.
   */
  emailVerificationUrl: z
    .string()
    .regex(/^https?:\/\/\S*\{token\}/, 'expected an http(s) URL with {token} in it')
    .optional(),
  /** A new key signs the access tokens after this many days. */
  keyRotationDays: z.coerce.number('expected a number of days').min(1).max(3650).default(30),
  /**
   * How long a new key is published before it signs. A cached answer of the key set may be 6 s old: another replica reads the
   * new key after up to 1 s, and caches keep its answer for 5 s.
   */
  keyPublishAheadSeconds: z.coerce
    .number('expected a number of seconds')
    .int()
    .min(10, 'expected at least 10 seconds')
    .max(86_400)
    .default(600), // 10 min
});
export type IdentitySettings = ServerSettings & z.output<typeof identitySettings>;
