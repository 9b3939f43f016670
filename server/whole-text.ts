import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { invalid, PlatformError } from './errors.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** A text of the graph is in memory as a whole, and once more as JSON, in the service and in the gateway. */
const MAX_BYTES = 8 * 1024 * 1024; // 8 MiB

/**
 * The text of a stream, for a field of the graph. It ends the stream as soon as the text is too long, or the client leaves.
 * @param tooLong the message of the error, which says what the client can do instead
 * @throws PAYLOAD_TOO_LARGE above 8 MiB; VALIDATION_FAILED if the client leaves
 */
export async function wholeText(
  stream: Readable,
  { origin }: Pick<UnitOfWork, 'origin'>,
  tooLong: string,
): Promise<string> {
  let bytes = 0;
  stream.on('data', (chunk: Buffer | string) => {
    bytes += Buffer.byteLength(chunk);
    if (bytes > MAX_BYTES) stream.destroy(new PlatformError('PAYLOAD_TOO_LARGE', tooLong));
  });
  const clientLeft = origin.clientLeft?.();
  const stop = (): void => void stream.destroy(invalid('', 'the client ended the request early'));
  if (clientLeft?.aborted) stop();
  clientLeft?.addEventListener('abort', stop);
  try {
    return await text(stream);
  } finally {
    clientLeft?.removeEventListener('abort', stop);
  }
}
