import { Role } from '#server/auth/viewer.ts';
import { PlatformError } from '#server/errors.ts';
import type { Logger } from '#server/observability/logger.ts';
import { SettingsError } from '#server/settings.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import type { IdentitySettings } from './settings.ts';
import { insertUser } from './users/insert-user.ts';
import { passwordProblem } from './users/password-rules.ts';
import type { Passwords } from './users/passwords.ts';

/** Creates the first SUPER_ADMIN of an installation, from the settings. An existing account with the email is not changed. */
export async function bootstrapAdmin(
  settings: IdentitySettings,
  unit: UnitOfWork,
  passwords: Passwords,
  log: Logger,
): Promise<void> {
  const { bootstrapAdminEmail: email, bootstrapAdminPassword: password } = settings;
  if (email === undefined && password === undefined) return;
  if (email === undefined || password === undefined)
    throw new SettingsError(['BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD: expected both or neither']);
  const problem = passwordProblem(password, email);
  if (problem) throw new SettingsError([`BOOTSTRAP_ADMIN_PASSWORD: ${problem}`]);
  const present = await unit.em.execute<unknown[]>(
    'select 1 from user_account where lower(email) = lower(?)',
    [email],
  );
  if (present.length > 0) return;
  try {
    await insertUser(unit, {
      email,
      passwordHash: await passwords.hash(password),
      displayName: 'Administrator',
      role: Role.SUPER_ADMIN,
      membership: null,
    });
    log.info({}, 'the first SUPER_ADMIN has been created');
  } catch (error) {
    // Another replica created the account first.
    if (!(error instanceof PlatformError && error.code === 'CONFLICT')) throw error;
  }
}
