import { pipeline, Readable, type Duplex, type Writable } from 'node:stream';
import { pipeline as finished } from 'node:stream/promises';

/**
 * A readable stream of the values of `source`, which pass through `stages` in order. If any part fails, all parts are
 * destroyed and the reader of the stream gets the error.
 *
 * Only this function creates streams from iterables (a lint rule). `Readable.from(rows).pipe(csv)` forwards no errors: if the
 * query fails, the 'error' event has no listener and ends the process. A stream of this function has a listener from the
 * beginning, so that an error before its first reader does not end the process.
 */
export function streamOf(
  source: Iterable<unknown> | AsyncIterable<unknown>,
  stages: readonly Duplex[] = [],
  options: { objectMode?: boolean } = {},
): Readable {
  const first = Readable.from(source, options);
  const last = stages.at(-1) ?? first;
  if (stages.length > 0) pipeline([first, ...stages], ignoreError);
  return last.on('error', ignoreError);
}

/**
 * Writes a request's body to a parser. Unlike `pipeline`, it does not destroy the request if the parser fails, because the
 * answer needs the connection. Returns a function that stops writing, and reads the rest of the body without using it.
 */
export function feed(body: Readable, parser: Writable): () => void {
  const onError = (error: Error): void => void parser.destroy(error);
  const onAborted = (): void => void parser.destroy(new Error('the client ended the request early'));
  body.on('error', onError).on('aborted', onAborted);
  body.pipe(parser);
  return () => {
    body.unpipe(parser);
    body.off('aborted', onAborted).off('error', onError).on('error', ignoreError).resume();
  };
}

/** Resolves when a stream has data or has ended. @throws the error of a stream that fails before that */
export async function begun(stream: Readable): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded) return;
  if (stream.errored) throw stream.errored;
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error): void => {
      stream.off('readable', onReadable).off('end', onReadable).off('error', settle).off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onReadable = (): void => settle();
    const onClose = (): void => settle(stream.errored ?? undefined);
    stream.on('readable', onReadable).on('end', onReadable).on('error', settle).on('close', onClose);
  });
}

/** Writes a stream to a client. A client that disconnects in the middle is not an error of the server. */
export async function sendStream(stream: Readable, client: Writable): Promise<void> {
  await finished(stream, client).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** A listener that prevents the end of the process; the reader of the stream gets the error as well. */
function ignoreError(): void {}
