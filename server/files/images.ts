import { invalid, PlatformError } from '../errors.ts';
import { WorkerPool } from '../workers/worker-pool.ts';
import { imageFormatOf, isPolyglot } from './image-format.ts';
import type { PictureJob, PictureResult } from './picture-worker.ts';

interface ReencodeOptions {
  /** The name of the upload's field, for error messages. */
  field: string;
  /** The length of the result's longest side, in pixels. */
  maxSide: number;
  /** `cover` crops to a square around the middle; `inside` keeps the whole picture and its proportions. Default `inside`. */
  fit?: 'cover' | 'inside';
}

export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: 'image/webp';
  readonly extension: 'webp';
  readonly width: number;
  readonly height: number;
}

/** A photo of a current phone below 10 MiB has at most this many pixels. Decoded, at 4 bytes a pixel, they take 200 MB. */
const MAX_PIXELS = 50_000_000;

/**
 * Decodes two pictures at a time, in processes of their own, so that they take at most 400 MB. At most 25 pictures wait for
 * each process; with pictures of an ordinary size the last one waits 2 s. A decoder that crashes ends only its own process.
 */
const processes = new WorkerPool<PictureJob, PictureResult>(new URL('picture-worker.ts', import.meta.url), {
  name: 'pictures',
  kind: 'process',
  mostHelpers: 2,
  waitingForEach: 25,
});

/**
 * Decodes an uploaded picture, turns it upright, scales it down and encodes it as WebP. The result contains only the
 * pixels, and no metadata, because the place and time of a photo are private. Accepts JPEG, PNG, WebP and AVIF, detected
 * by their content.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE for other formats; VALIDATION_FAILED for a broken picture or a polyglot;
 * PAYLOAD_TOO_LARGE for more than 50 million pixels, checked in the header before decoding; SERVER_BUSY if too many wait
 */
export async function reencoded(bytes: Buffer, options: ReencodeOptions): Promise<Picture> {
  const { field, maxSide, fit = 'inside' } = options;
  const format = imageFormatOf(bytes);
  if (!format)
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      `${field}: expected a JPEG, PNG, WebP or AVIF picture.`,
    );
  if (isPolyglot(bytes, format))
    throw invalid(
      field,
      'expected a picture and nothing else in the file; save the picture again and send the new file',
    );
  const result = await processes.run({ bytes, maxSide, fit, maxPixels: MAX_PIXELS });
  if (result.is === 'encoded')
    return {
      bytes: Buffer.from(result.bytes),
      contentType: 'image/webp',
      extension: 'webp',
      width: result.width,
      height: result.height,
    };
  if (result.is === 'broken') throw invalid(field, 'expected a complete picture; this one cannot be read');
  const size = result.width === undefined ? 'too many' : `${result.width} x ${result.height}`;
  throw new PlatformError(
    'PAYLOAD_TOO_LARGE',
    `${field}: the picture has ${size} pixels; at most ${MAX_PIXELS / 1_000_000} million are allowed.`,
  );
}
