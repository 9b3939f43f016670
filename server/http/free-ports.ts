import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { listen, PortInUseError } from './listen.ts';

/**
 * The ports from which `freePorts` chooses. They are below the ranges from which systems take the ports of outgoing
 * connections and of servers that listen on port 0 (Linux: from 32768, RFC 6335 and others: from 49152). A port of those
 * ranges can be taken by any process between the choice and the moment at which the chosen port is listened on.
 */
const FIRST_PORT = 20_000;
const AFTER_LAST_PORT = 32_000;

/** Finds `count` different ports that are free now, for servers whose port must be known before they listen. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST_PORT, AFTER_LAST_PORT);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

export const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0;

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await listen(probe, port, '127.0.0.1', '');
  } catch (error) {
    if (error instanceof PortInUseError) return false;
    throw error;
  }
  await new Promise((resolve) => probe.close(resolve));
  return true;
}
