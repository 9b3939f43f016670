const HEAD_END = '\r\n\r\n';

/**
 * Reads HTTP/1.1 requests with a Content-Length from a connection; all measured gateways send such requests. Node's own HTTP
 * server takes more processor time than a fast gateway, so that it would dominate the measurement.
 */
export class MessageReader {
  private readonly take: (path: string, body: string) => void;
  private rest: Buffer | undefined;

  constructor(take: (path: string, body: string) => void) {
    this.take = take;
  }

  push(chunk: Buffer): void {
    let unread = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    for (;;) {
      const length = this.takeFirst(unread);
      if (length === 0) break;
      unread = unread.subarray(length);
    }
    this.rest = unread.length > 0 ? unread : undefined;
  }

  /** Passes the first request to `take` if it is complete. Returns its size in bytes, or 0 if it is incomplete. */
  private takeFirst(unread: Buffer): number {
    const headEnd = unread.indexOf(HEAD_END);
    if (headEnd === -1) return 0;
    const head = unread.toString('latin1', 0, headEnd);
    if (/\r\ntransfer-encoding:/i.test(head)) throw new Error('expected a Content-Length');
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (unread.length < end) return 0;
    const pathStart = head.indexOf(' ') + 1;
    this.take(head.slice(pathStart, head.indexOf(' ', pathStart)), unread.toString('utf8', bodyStart, end));
    return end;
  }
}
