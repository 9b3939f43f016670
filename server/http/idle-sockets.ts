/** The close code of a socket that has had no operation for a long time. */
export const IDLE = 4431;
const IDLE_REASON = 'The socket had no operation for a long time; connect again when you need one.';

/** How long a socket has been without a running operation. */
export class Idleness {
  private readonly limitMillis: number;
  private since = Date.now();

  constructor({ socketIdleMillis }: { socketIdleMillis: number }) {
    this.limitMillis = socketIdleMillis;
  }

  /** @returns whether the socket has been without a running operation for too long */
  isTooLong(operationsUnderWay: number, now = Date.now()): boolean {
    if (operationsUnderWay > 0) this.since = now;
    return now - this.since > this.limitMillis;
  }

  /** Called at the start of every operation, because one may begin and end between two checks. */
  interrupt(): void {
    this.since = Date.now();
  }
}

/** The parts of an open GraphQL socket that decide whether it is idle. */
interface IdleSocket {
  readonly socket: { close(code: number, reason: string): void };
  /** Absent if the socket may be idle for any time. */
  idleness?: Idleness;
  /** The socket's running operations, by their ids. */
  operations?: Readonly<Record<string, unknown>>;
}

/** Closes the sockets that have been idle too long. */
export function closeIdle(open: Iterable<IdleSocket>): void {
  for (const { socket, idleness, operations = {} } of open)
    if (idleness?.isTooLong(Object.keys(operations).length)) socket.close(IDLE, IDLE_REASON);
}
