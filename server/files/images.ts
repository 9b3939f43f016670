import sharp, { type Sharp } from 'sharp';
import { atMost } from '../concurrency.ts';
import { invalid, PlatformError } from '../errors.ts';
import { imageFormatOf, isPolyglot } from './image-format.ts';

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

sharp.cache(false); // a cached picture of one user is of no use to another
sharp.concurrency(1); // two pictures at a time, one thread each
const slot = atMost(2, { waiting: 50 });

/**
 * Decodes an uploaded picture, turns it upright, scales it down and encodes it as WebP. The result contains only the
 * pixels, and no metadata, because the place and time of a photo are private. Accepts JPEG, PNG, WebP and AVIF, detected
 * by their content.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE for other formats; VALIDATION_FAILED for a broken picture or a polyglot;
 * PAYLOAD_TOO_LARGE for more than 50 million pixels, checked in the header before decoding
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
  return slot(async () => {
    const input = sharp(bytes, {
      limitInputPixels: MAX_PIXELS,
      failOn: 'error',
      sequentialRead: true,
      pages: 1,
    });
    const { width, height } = await metadataOf(input, field);
    if (width * height > MAX_PIXELS)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `${field}: ${width} x ${height} pixels are too many; at most ${MAX_PIXELS / 1_000_000} million are allowed.`,
      );
    try {
      const { data, info } = await input
        .autoOrient()
        .resize({ width: maxSide, height: maxSide, fit, withoutEnlargement: fit === 'inside' })
        .toColourspace('srgb')
        .webp({ quality: 82 })
        .timeout({ seconds: 20 })
        .toBuffer({ resolveWithObject: true });
      return {
        bytes: data,
        contentType: 'image/webp',
        extension: 'webp',
        width: info.width,
        height: info.height,
      };
    } catch {
      throw broken(field);
    }
  });
}

async function metadataOf(input: Sharp, field: string): Promise<{ width: number; height: number }> {
  try {
    const { width, height } = await input.metadata();
    return { width, height };
  } catch (error) {
    // sharp refuses a picture with more pixels than `limitInputPixels`.
    if (error instanceof Error && /pixel limit/i.test(error.message))
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `${field}: the picture has too many pixels; at most ${MAX_PIXELS / 1_000_000} million are allowed.`,
      );
    throw broken(field);
  }
}

const broken = (field: string) => invalid(field, 'expected a complete picture; this one cannot be read');
