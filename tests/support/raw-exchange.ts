import { once } from 'node:events';
import net from 'node:net';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A response as it was on the wire. */
export interface WireResponse {
  readonly status: number;
  /** The lines of the head after the first one, in alphabetical order. */
  readonly headers: readonly string[];
  /** Decompressed. */
  readonly body: string;
}

/** Whether the response to a method has no body, whatever its head says. */
type HasNoBody = (method: string, status: number) => boolean;
const hasNoBody: HasNoBody = (method, status) =>
  method === 'HEAD' || status === 204 || status === 304 || status < 200;

/**
 * Writes these bytes to the server, and reads as many final responses as there are methods. Fewer responses are returned if
 * the server closes the connection.
 * @param leaves closes the connection after the bytes, as a client that breaks a request off
 */
export async function exchanged(
  url: string,
  bytes: string | Buffer,
  methods: readonly string[],
  { leaves = false } = {},
): Promise<WireResponse[]> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  const responses: WireResponse[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = (): void => {
    for (;;) {
      const method = methods[responses.length];
      if (method === undefined) return resolve();
      const taken = responseIn(received, method);
      if (!taken) return;
      received = received.subarray(taken.length);
      if (taken.response.status >= 200) responses.push(taken.response);
    }
  };
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    read();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => resolve());
  socket.write(bytes, () => {
    if (leaves) socket.destroy();
  });
  await promise;
  socket.destroy();
  return responses;
}

/** The first response in the bytes, and its length; undefined if it is incomplete. */
function responseIn(bytes: Buffer, method: string): { response: WireResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(first.split(' ')[1]);
  const header = (name: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const start = headEnd + 4;
  const body = hasNoBody(method, status)
    ? { bytes: Buffer.alloc(0), end: start }
    : header('transfer-encoding') === 'chunked'
      ? chunksIn(bytes, start)
      : wholeIn(bytes, start, Number(header('content-length') ?? 0));
  if (!body) return undefined;
  const text = decompressed(body.bytes, header('content-encoding')).toString('utf8');
  return { response: { status, headers: lines.toSorted(), body: text }, length: body.end };
}

interface Taken {
  bytes: Buffer;
  end: number;
}

const wholeIn = (bytes: Buffer, start: number, length: number): Taken | undefined =>
  bytes.length < start + length
    ? undefined
    : { bytes: bytes.subarray(start, start + length), end: start + length };

function chunksIn(bytes: Buffer, start: number): Taken | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return undefined;
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
    if (size === 0) return { bytes: Buffer.concat(chunks), end: at };
  }
}

function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'br') return brotliDecompressSync(bytes);
  if (encoding === 'gzip') return gunzipSync(bytes);
  if (encoding === 'deflate') return inflateSync(bytes);
  return bytes;
}
