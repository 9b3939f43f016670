import pg from 'pg';
import { PlatformClient, type PlatformClientConfig } from './platform-client.ts';

/** A pool of connections for a library that needs one of its own. The rules use the ORM's pool. */
export class PlatformPool extends pg.Pool {
  constructor(config: PlatformClientConfig & pg.PoolConfig) {
    super({ ...config, Client: PlatformClient });
    // A lost connection is replaced by the next use, which also reports the failure if there is one.
    this.on('error', () => undefined).on('connect', (client) => void client.on('error', () => undefined));
  }
}
