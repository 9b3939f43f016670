import type { Readable } from 'node:stream';
import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import { streamOf } from '#server/streams.ts';

/**
 * A GraphQL multipart request (graphql-multipart-request-spec) as a stream: each file is read from the client while it
 * is written to the subgraph, so that a large file is never in memory as a whole.
 */
export class MultipartBody {
  readonly stream: Readable;
  /** Whether the subgraph wants more of a file than the client has sent. */
  isClientAwaited = false;

  constructor(boundary: string, operations: string, files: ReadonlyMap<string, Promise<FileUpload>>) {
    this.stream = streamOf(this.parts(boundary, operations, files), [], { objectMode: false });
  }

  private async *parts(
    boundary: string,
    operations: string,
    files: ReadonlyMap<string, Promise<FileUpload>>,
  ): AsyncGenerator<Buffer> {
    const map = Object.fromEntries([...files.keys()].map((path, index) => [index, [path]]));
    yield Buffer.from(
      `${head(boundary, 'operations')}${operations}\r\n${head(boundary, 'map')}${JSON.stringify(map)}\r\n`,
    );
    let index = 0;
    for (const arriving of files.values()) {
      this.isClientAwaited = true;
      const { filename, mimetype, createReadStream } = await arriving; // resolves when the file's part begins
      this.isClientAwaited = false;
      yield Buffer.from(
        head(
          boundary,
          `${index}"; filename="${quoted(filename)}`,
          `content-type: ${mimetype.replaceAll(/[\r\n]/g, '')}\r\n`,
        ),
      );
      this.isClientAwaited = true;
      for await (const chunk of createReadStream() as AsyncIterable<Buffer>) {
        this.isClientAwaited = false;
        yield chunk;
        this.isClientAwaited = true;
      }
      this.isClientAwaited = false;
      yield Buffer.from('\r\n');
      index += 1;
    }
    yield Buffer.from(`--${boundary}--\r\n`);
  }
}

const head = (boundary: string, name: string, further = ''): string =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n${further}\r\n`;

/** Escapes a quoted file name in the way of browsers (HTML, 4.10.21.8 multipart form data). */
const quoted = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
