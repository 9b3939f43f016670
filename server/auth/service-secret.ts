import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { SERVICE_NAMES, type ServerSettings, type ServiceName } from '../settings.ts';
import { StartError } from '../start-error.ts';

/** Everything that authenticates with a service secret. */
export type ServerName = ServiceName | 'gateway';
export const SERVER_NAMES: readonly ServerName[] = [...SERVICE_NAMES, 'gateway'];

/** The secrets of one server. All are derived from the installation's secret, which cannot be computed from them. */
export interface OwnSecrets {
  /** The `client_secret` with which the server gets its tokens from identity. */
  clientSecret: string;
  /** At the gateway: the key of its proofs to the services (forwarding-proof.ts). At a service: the proof for this service. */
  forwarding: string;
}

type SecretSettings = Pick<ServerSettings, 'serviceSecret' | 'dataDir'>;

/**
 * The secrets of a server. SERVICE_SECRET is either the installation's secret or the server's own one, with which a thief
 * cannot pose as another server.
 * @throws StartError if SERVICE_SECRET is the own secret of another server
 */
export async function secretsOf(server: ServerName, settings: SecretSettings): Promise<OwnSecrets> {
  const own = ownSecretIn(settings.serviceSecret);
  if (own && own.server !== server)
    throw new StartError(
      `SERVICE_SECRET is the own secret of ${own.server}, but this is ${server}. Set "${server}.…", which ` +
        '"npm start -- service-secrets" prints.',
    );
  return own ?? derivedSecretsOf(await installationSecretOf(settings), server);
}

/**
 * The secret of the installation, from which identity derives those of all servers. It is the setting SERVICE_SECRET, or
 * a random secret that is created once in `<dataDir>/secrets/service-secret`, readable by its owner only. Servers that
 * do not share a data folder must have the setting.
 * @throws StartError if SERVICE_SECRET is a server's own secret
 */
export async function installationSecretOf(settings: SecretSettings): Promise<string> {
  const { serviceSecret, dataDir } = settings;
  refuseOwnSecret(serviceSecret);
  return serviceSecret ?? storedSecret(path.resolve(dataDir, 'secrets'));
}

/** @throws StartError if SERVICE_SECRET is a server's own secret */
export function refuseOwnSecret(serviceSecret: string | undefined): void {
  if (ownSecretIn(serviceSecret))
    throw new StartError(
      "SERVICE_SECRET is a server's own secret. Identity, and the whole platform in one process, need the secret of the " +
        'installation, from which "npm start -- service-secrets" derived it.',
    );
}

/** The setting SERVICE_SECRET with which one server runs without the installation's secret. */
export function ownSecretText(installationSecret: string, server: ServerName): string {
  const { clientSecret, forwarding } = derivedSecretsOf(installationSecret, server);
  return [server, clientSecret, forwarding].join('.');
}

/** The `client_secret` of one server. It is derived, so that one server's secret cannot be used to pose as another. */
export const clientSecretOf = (installationSecret: string, client: string): string =>
  hmac(installationSecret, `client:${client}`);

/** The proof that the gateway sends to one service; another service cannot use it. */
export const forwardingProofFor = (forwardingKey: string, service: ServiceName): string =>
  hmac(forwardingKey, `forwarding:${service}`);

/** The key of the proofs. A gateway of the last release without own secrets sends the key itself as the proof to all services. */
export const forwardingKeyOf = (installationSecret: string): string => hmac(installationSecret, 'forwarding');

function derivedSecretsOf(installationSecret: string, server: ServerName): OwnSecrets {
  const key = forwardingKeyOf(installationSecret);
  return {
    clientSecret: clientSecretOf(installationSecret, server),
    forwarding: server === 'gateway' ? key : forwardingProofFor(key, server),
  };
}

/** The parts of an own secret; undefined for the installation's. */
export function ownSecretIn(
  serviceSecret: string | undefined,
): (OwnSecrets & { server: ServerName }) | undefined {
  const [, name, clientSecret, forwarding] = OWN.exec(serviceSecret ?? '') ?? [];
  const server = SERVER_NAMES.find((one) => one === name);
  return server && clientSecret && forwarding ? { server, clientSecret, forwarding } : undefined;
}

/** A name, and two SHA-256 hashes in base64url. */
const OWN = /^([a-z]+)\.([\w-]{43})\.([\w-]{43})$/;

const hmac = (key: string, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

async function storedSecret(folder: string): Promise<string> {
  const file = path.join(folder, 'service-secret');
  const existing = await readIfThere(file);
  if (existing) return existing;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(32).toString('base64url'));
    await handle.sync();
  } finally {
    await handle.close();
  }
  // If the link exists, another service created the file first. All services read the same file.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return readFile(file, 'utf8');
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
