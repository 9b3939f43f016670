import { createHash, randomBytes } from 'node:crypto';
import { DAY_MILLIS } from '#server/durations.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';

/** How long the previous secret stays valid after a rotation. */
const PREVIOUS_SECRET_MILLIS = DAY_MILLIS;

/** SHA-256, because 256 random bits need no slow hash. */
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/**
 * Makes a new secret the current one, and returns it. The one that was current before stays valid for a day. Older ones are
 * deleted. Call it in a transaction that has locked the client.
 */
export async function addSecret({ em }: UnitOfWork, clientId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await em.execute('delete from api_client_secret where client_id = ? and valid_until is not null', [
    clientId,
  ]);
  await em.execute('update api_client_secret set valid_until = ? where client_id = ?', [
    new Date(Date.now() + PREVIOUS_SECRET_MILLIS),
    clientId,
  ]);
  await em.execute('insert into api_client_secret (hash, client_id) values (?, ?)', [
    hashOf(secret),
    clientId,
  ]);
  return secret;
}

/** Whether this is a valid secret of the client. */
export async function isSecretOf({ em }: UnitOfWork, clientId: string, secret: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    `select 1 from api_client_secret
     where hash = ? and client_id = ? and (valid_until is null or valid_until > now())`,
    [hashOf(secret), clientId],
  );
  return rows.length > 0;
}
