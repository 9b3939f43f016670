const HEAD_END = '\r\n\r\n';

/**
 * Takes HTTP/1.1 requests off one connection: those with a Content-Length, which is how all contenders send them. Node's
 * own server does more than is asked of one here, and costs more than a fast gateway does: it would be what is measured.
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

  /** Bytes of the first message; 0 where it is not complete. */
  private takeFirst(unread: Buffer): number {
    const headEnd = unread.indexOf(HEAD_END);
    if (headEnd === -1) return 0;
    const head = unread.latin1Slice(0, headEnd);
    if (/\r\ntransfer-encoding:/i.test(head)) throw new Error('expected a Content-Length');
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (unread.length < end) return 0;
    const pathStart = head.indexOf(' ') + 1;
    this.take(head.slice(pathStart, head.indexOf(' ', pathStart)), unread.utf8Slice(bodyStart, end));
    return end;
  }
}
