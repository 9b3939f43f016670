import type { FileUpload } from 'graphql-upload/processRequest.mjs';
import { invalid, PlatformError } from '../errors.ts';
import { MAX_UPLOAD_BYTES, type UploadedFile } from '../rest/multipart.ts';

/**
 * Reads the file of an `Upload` argument into memory, into the same form as a file of a REST route.
 * @throws PAYLOAD_TOO_LARGE beyond 10 MiB, VALIDATION_FAILED if the upload was interrupted or its name is a path
 */
export async function uploadedFile(
  argument: Promise<FileUpload> | FileUpload,
  field = 'file',
): Promise<UploadedFile> {
  const { filename, mimetype, createReadStream } = await argument;
  if (/[\\/\0]/.test(filename)) throw invalid(field, 'expected a file name without a path');
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of createReadStream()) chunks.push(chunk as Buffer);
  } catch (cause) {
    if ((cause as { status?: number }).status === 413)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `A file may have at most ${MAX_UPLOAD_BYTES / 1024 / 1024} MiB; send a smaller one.`,
      );
    throw invalid(field, 'the upload was interrupted');
  }
  return { field, filename, contentType: mimetype, bytes: Buffer.concat(chunks) };
}
