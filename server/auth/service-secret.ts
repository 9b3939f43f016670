import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ServerSettings } from '../settings.ts';

/**
 * The secret with which the services of one installation authenticate to identity. It is the setting SERVICE_SECRET, or
 * a random secret that is created once in `<dataDir>/secrets/service-secret`, readable by its owner only. Services that
 * do not share a data folder must share the setting.
 */
export async function serviceSecretOf(
  settings: Pick<ServerSettings, 'serviceSecret' | 'dataDir'>,
): Promise<string> {
  if (settings.serviceSecret) return settings.serviceSecret;
  const folder = path.resolve(settings.dataDir, 'secrets');
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

/** The `client_secret` of one service. It is derived, so that one service's secret cannot be used to pose as another. */
export const clientSecretOf = (serviceSecret: string, client: string): string =>
  createHmac('sha256', serviceSecret).update(`client:${client}`).digest('base64url');

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
