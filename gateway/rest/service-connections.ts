import { Pool } from 'undici';
import type { TlsOptions } from '../router-file/router.ts';
import { TimeLimit } from '../tuned-for-v8/time-limit.ts';

/** The maximum number of requests that wait for each connection; further ones are refused. */
const WAITING_PER_CONNECTION = 32;

interface ConnectionOptions {
  connections: number;
  idleMillis: number;
  tls: TlsOptions | undefined;
}

/** The pooled keep-alive connections for the forwarded requests of one service. */
export class ServiceConnections {
  readonly pool: Pool;
  /** Opens a new connection for each request. */
  readonly newConnections: Pool;
  /** The time limit while no byte of a request or of its response arrives. */
  readonly idle: TimeLimit;
  private readonly maxPending: number;
  private pending = 0;

  /** @param idleMillis the limit of `idle`, in milliseconds */
  constructor(url: string, { connections, idleMillis, tls }: ConnectionOptions) {
    const { origin } = new URL(url);
    const options = {
      connections,
      connect: { timeout: Math.min(idleMillis, 10_000), ...tls }, // 10 s
      headersTimeout: 0, // `idle` is the limit
      bodyTimeout: 0,
    };
    this.pool = new Pool(origin, { ...options, keepAliveTimeout: 30_000 }); // 30 s
    this.newConnections = new Pool(origin, { ...options, pipelining: 0 });
    this.idle = new TimeLimit(idleMillis);
    this.maxPending = connections * (WAITING_PER_CONNECTION + 1);
  }

  /** Counts one more request; false if too many are pending. */
  begin(): boolean {
    if (this.pending >= this.maxPending) return false;
    this.pending += 1;
    return true;
  }

  end(): void {
    this.pending -= 1;
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.newConnections.destroy()]);
  }
}
