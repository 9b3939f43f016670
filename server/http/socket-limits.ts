import { PlatformError } from '../errors.ts';
import type { ServerSettings } from '../settings.ts';
import { Quota } from './quota.ts';

/** Close code of a WebSocket that is one more than its user may have at a server. */
export const TOO_MANY_SOCKETS = 4430;

/** The sockets of each user at one endpoint. */
export const socketsPerUser = ({ rateLimits, socketsPerUser: bound }: SocketSettings): Quota =>
  new Quota(rateLimits ? bound : Infinity);

/** @throws RATE_LIMITED if a socket has more operations under way than it may */
export function checkOperations(underWay: number, { rateLimits, operationsPerSocket }: SocketSettings): void {
  if (!rateLimits || underWay <= operationsPerSocket) return;
  throw new PlatformError(
    'RATE_LIMITED',
    `A socket may have ${operationsPerSocket} operations under way; complete one, or open another socket.`,
  );
}

export type SocketSettings = Pick<
  ServerSettings,
  'rateLimits' | 'socketsPerUser' | 'operationsPerSocket' | 'socketIdleMillis'
>;
