import { PlatformError } from '../errors.ts';
import type { ServerSettings } from '../settings.ts';
import { Quota } from './quota.ts';

/** The close code of a WebSocket whose user has too many open sockets at this server. */
export const TOO_MANY_SOCKETS = 4430;

/** Counts the sockets of each user at one endpoint. */
export const socketsPerUser = ({ rateLimits, socketsPerUser: bound }: SocketSettings): Quota =>
  new Quota(rateLimits ? bound : Infinity);

/** @throws RATE_LIMITED if a socket has too many running operations */
export function checkOperations(underWay: number, { rateLimits, operationsPerSocket }: SocketSettings): void {
  if (!rateLimits || underWay <= operationsPerSocket) return;
  throw new PlatformError(
    'RATE_LIMITED',
    `A socket may have ${operationsPerSocket} running operations; complete one, or open another socket.`,
  );
}

export type SocketSettings = Pick<
  ServerSettings,
  'rateLimits' | 'socketsPerUser' | 'operationsPerSocket' | 'socketIdleMillis'
>;
