/** Close code of a socket on which nothing was asked for in a long time. */
export const IDLE = 4431;
const IDLE_REASON = 'Nothing was asked for in a long time; connect again if there is something.';

/** How long a socket has had no operation under way. */
export class Idleness {
  private readonly limitMillis: number;
  private since = Date.now();

  constructor({ socketIdleMillis }: { socketIdleMillis: number }) {
    this.limitMillis = socketIdleMillis;
  }

  /** @returns whether it has been idle too long */
  isTooLong(operationsUnderWay: number, now = Date.now()): boolean {
    if (operationsUnderWay > 0) this.since = now;
    return now - this.since > this.limitMillis;
  }

  /** An operation was sent, however soon it may end. */
  interrupt(): void {
    this.since = Date.now();
  }
}

/** An open GraphQL socket as far as it may be idle. */
export interface IdleSocket {
  readonly socket: { close(code: number, reason: string): void };
  /** Absent: the socket may be idle. */
  idleness?: Idleness;
  /** Those under way, by their ids. */
  operations?: Readonly<Record<string, unknown>>;
}

/** Closes the sockets that have been idle too long. */
export function closeIdle(open: Iterable<IdleSocket>): void {
  for (const { socket, idleness, operations = {} } of open)
    if (idleness?.isTooLong(Object.keys(operations).length)) socket.close(IDLE, IDLE_REASON);
}
