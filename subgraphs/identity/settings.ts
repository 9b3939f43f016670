import { z } from 'zod';
import { SettingsError, type ServerSettings } from '#server/settings.ts';

/** What the identity service reads beside every server's settings. */
export const identitySettings = z.object({
  /** The first SUPER_ADMIN of an installation; created at a start where nobody has that email. */
  bootstrapAdminEmail: z.email('expected an email address').max(254).optional(),
  bootstrapAdminPassword: z.string().min(8, 'expected at least 8 characters').optional(),
  /** After so many days a new key signs the access tokens. */
  keyRotationDays: z.coerce.number('expected a number of days').min(1).max(3650).default(30),
  /** How long a new key is published before it signs; longer than other services take to notice. */
  keyPublishAheadSeconds: z.coerce.number('expected a number of seconds').int().min(2).max(86_400).default(600), // 10 min
});
export type IdentitySettings = ServerSettings & z.output<typeof identitySettings>;

/** @throws SettingsError where settings do not go together. */
export function checkTogether(settings: IdentitySettings): void {
  const { bootstrapAdminEmail: email, bootstrapAdminPassword: password } = settings;
  if ((email === undefined) !== (password === undefined)) {
    throw new SettingsError(['BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD: expected both or neither']);
  }
}
