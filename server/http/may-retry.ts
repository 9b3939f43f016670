/** The error codes of a request whose connection was refused, or closed before the answer. */
const LOST_CONNECTION = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Whether a request that failed without an answer may be sent once more, over a new connection: if several replicas are
 * behind one address, another replica then gets the request. A write may be sent again only if nothing of it was sent. After
 * a time-out no request may be sent again.
 *
 * @param isRead whether the request changes nothing at the server
 */
export function mayRetry(error: unknown, isRead: boolean): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return isRead ? LOST_CONNECTION.has(code) : code === 'ECONNREFUSED';
}
