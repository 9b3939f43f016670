import type { ServiceBase } from '#server/define-subgraph.ts';
import { KeyRing } from './keys/key-ring.ts';
import { AccessTokens } from './sessions/access-tokens.ts';
import type { IdentitySettings } from './settings.ts';
import { checkTogether } from './settings.ts';
import { Passwords } from './users/passwords.ts';

const HOUR_MILLIS = 60 * 60 * 1000;

/** What lives as long as the service. */
export async function identityResources({ orm, settings, log }: ServiceBase<IdentitySettings>) {
  checkTogether(settings);
  if (!orm) throw new Error('The identity service cannot work without its database.');
  const keys = await KeyRing.open(orm, { rotationDays: settings.keyRotationDays, publishAheadSeconds: settings.keyPublishAheadSeconds, log });
  const passwords = new Passwords();
  const rotation = setInterval(() => void keys.rotateIfDue().catch((error: unknown) => log.warn({ err: error }, 'the signing key could not be rotated')), HOUR_MILLIS);
  rotation.unref();
  return {
    orm,
    keys,
    passwords,
    tokens: new AccessTokens(keys, settings),
    async dispose() {
      clearInterval(rotation);
    },
  };
}

export type IdentityResources = Awaited<ReturnType<typeof identityResources>>;
