import { z } from 'zod';
import type { ServerSettings } from '#server/settings.ts';

/** What the identity service reads beside every server's settings. */
export const identitySettings = z.object({
  /** The first SUPER_ADMIN of an installation; created at a start where nobody has that email. Both or neither. */
  bootstrapAdminEmail: z.email('expected an email address').max(254).optional(),
  bootstrapAdminPassword: z.string().min(8, 'expected at least 8 characters').max(200).optional(),
  /** A mail server, `smtp://user:password@host:587` or `smtps://...`; absent: mails are laid down in `<dataDir>/outbox`. */
  smtpUrl: z
    .string()
    .regex(/^smtps?:\/\/[^/\s]+/, 'expected smtp://user:password@host:port')
    .optional(),
  mailFrom: z.string().max(300).default('Fitness Platform <no-reply@localhost>'),
  /** The page where a front end takes a new password, with `{token}` where the token goes; absent: mails hold the token alone. */
  passwordResetUrl: z
    .string()
    .regex(/^https?:\/\/\S*\{token\}/, 'expected an http(s) URL with {token} in it')
    .optional(),
  /** After so many days a new key signs the access tokens. */
  keyRotationDays: z.coerce.number('expected a number of days').min(1).max(3650).default(30),
  /** How long a new key is published before it signs; longer than other services take to notice. */
  keyPublishAheadSeconds: z.coerce
    .number('expected a number of seconds')
    .int()
    .min(2)
    .max(86_400)
    .default(600), // 10 min
});
export type IdentitySettings = ServerSettings & z.output<typeof identitySettings>;
