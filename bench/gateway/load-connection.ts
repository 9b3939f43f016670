import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const BUFFER_BYTES = 64 * 1024; // 64 KiB
const LAST_CHUNK = '0\r\n\r\n';

/**
 * One buffer for all connections, because each chunk is read before the next one arrives. Buffers for each chunk would
 * make the load generator collect garbage while it measures.
 */
const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);

/** The bytes of a request; a GET has no body. */
export function messageOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  method: 'GET' | 'POST' = 'POST',
): Buffer {
  const content = Buffer.from(body);
  const length = method === 'POST' ? { 'content-length': String(content.length) } : {};
  const lines = Object.entries({ host: url.host, ...headers, ...length });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${head}\r\n`),
    content,
  ]);
}

/**
 * A keep-alive connection that sends one request at a time. It reads only the status and the end of a response: a complete
 * client would take more processor time than a fast gateway.
 */
export class LoadConnection {
  private readonly url: URL;
  private socket: Socket | undefined;
  private finish: ((status: number) => void) | undefined;
  private head = '';
  /** The missing bytes of the body; undefined if it is chunked, or has not begun. */
  private left: number | undefined;
  private end = '';

  constructor(url: URL) {
    this.url = url;
  }

  /** Resolves to the status; 0 if the connection ends without a response. */
  send(message: Buffer): Promise<number> {
    return new Promise((resolve) => {
      this.head = '';
      this.end = '';
      this.left = undefined;
      this.finish = resolve;
      this.socket ??= this.open();
      this.socket.write(message);
    });
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): Socket {
    const { port, hostname: host } = this.url;
    const onread = {
      buffer,
      callback: (length: number) => {
        this.read(buffer.subarray(0, length));
        return true;
      },
    };
    const socket = connect({ port: Number(port), host, noDelay: true, onread });
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      this.socket = undefined;
      this.done(0);
    });
    return socket;
  }

  private read(chunk: Buffer): void {
    let body = chunk;
    if (!this.head.includes(HEAD_END)) {
      const before = this.head.length;
      this.head += chunk.toString('latin1');
      const headEnd = this.head.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.head.slice(0, headEnd + 2))?.[1];
      this.left = length === undefined ? undefined : Number(length);
      this.head = this.head.slice(0, headEnd + HEAD_END.length);
      body = chunk.subarray(this.head.length - before);
    }
    if (this.left !== undefined) this.left -= body.length;
    else
      this.end = (this.end + body.toString('latin1', Math.max(0, body.length - LAST_CHUNK.length))).slice(-5);
    if (this.left === 0 || this.end === LAST_CHUNK) this.done(Number(this.head.slice(9, 12)));
  }

  private done(status: number): void {
    const { finish } = this;
    this.finish = undefined;
    finish?.(status);
  }
}
