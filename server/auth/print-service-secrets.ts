import { randomBytes } from 'node:crypto';
import type { Command } from '../run-command.ts';
import { readSettings, serverSettings, SERVICE_NAMES, type Environment } from '../settings.ts';
import { StartError } from '../start-error.ts';
import { ownSecretText, refuseOwnSecret, SERVER_NAMES } from './service-secret.ts';

const USAGE = `npm start -- service-secrets          the own secret of each server, derived from SERVICE_SECRET
npm start -- service-secrets --new    a complete set for a new installation: SERVICE_SECRET, the own secrets, and passwords
                                      for PostgreSQL and Redis`;

/**
 * Prints the secrets as lines of an environment file. Identity has no own secret, because it needs that of the installation.
 */
export const runServiceSecrets: Command = async (args, env, print) => {
  const [option, ...rest] = args;
  const isNew = option === '--new';
  if ((option !== undefined && !isNew) || rest.length > 0) throw new StartError(USAGE);
  const secret = isNew ? random() : installationSecretIn(env);
  if (isNew) print(`SERVICE_SECRET=${secret}`);
  for (const server of SERVER_NAMES)
    if (server !== 'identity')
      print(`${server.toUpperCase()}_SERVICE_SECRET=${ownSecretText(secret, server)}`);
  if (isNew)
    for (const name of [
      'POSTGRES',
      'REDIS',
      ...SERVICE_NAMES.map((service) => `${service.toUpperCase()}_DATABASE`),
    ])
      print(`${name}_PASSWORD=${random()}`);
  return 0;
};

/** @throws StartError if SERVICE_SECRET is not set, or is a server's own secret */
function installationSecretIn(env: Environment): string {
  const { serviceSecret } = readSettings(serverSettings.pick({ serviceSecret: true }), env);
  if (!serviceSecret)
    throw new StartError(`SERVICE_SECRET is not set: the secrets are derived from it.\n${USAGE}`);
  refuseOwnSecret(serviceSecret);
  return serviceSecret;
}

/** Hexadecimal, because it becomes part of URLs. */
const random = (): string => randomBytes(24).toString('hex');
