import sharp, { type Sharp } from 'sharp';
import { atMost } from '../concurrency.ts';
import { invalid, PlatformError } from '../errors.ts';
import { imageFormatOf, isPolyglot } from './image-format.ts';

export interface ReencodeOptions {
  /** The field that the picture came in; named in errors. */
  field: string;
  /** Longest side of the result in pixels. */
  maxSide: number;
  /** `cover`: cut to a square around the middle. `inside`: whole, in its own proportions. Default `inside`. */
  fit?: 'cover' | 'inside';
}

export interface Picture {
  readonly bytes: Buffer;
  readonly contentType: 'image/webp';
  readonly extension: 'webp';
  readonly width: number;
  readonly height: number;
}

/** What a phone of today takes at most within 10 MiB. Decoded at 4 bytes a pixel: 200 MB. */
export const MAX_PIXELS = 50_000_000;

sharp.cache(false); // what one person sends is of no use to the next
sharp.concurrency(1); // two pictures at a time, one thread each
const slot = atMost(2, { waiting: 50 });

/**
 * Makes a picture of ours out of one that somebody sent: decoded, turned upright, made smaller, encoded as WebP.
 * Nothing of the file itself survives, no metadata either (place and time of a photo are nobody's business).
 * Taken are JPEG, PNG, WebP and AVIF, told by their content.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE for what is none of them, VALIDATION_FAILED for what is broken or something else
 * besides, PAYLOAD_TOO_LARGE for more than 50 million pixels; before decoding, by what the header says.
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
    throw invalid(field, 'expected a picture and nothing else in the file; save it anew and send that');
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
        `${field}: ${width} x ${height} pixels are too many; at most ${MAX_PIXELS / 1_000_000} million are taken.`,
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
    // It refuses so many pixels by itself.
    if (error instanceof Error && /pixel limit/i.test(error.message))
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `${field}: the picture has too many pixels; at most ${MAX_PIXELS / 1_000_000} million are taken.`,
      );
    throw broken(field);
  }
}

const broken = (field: string) => invalid(field, 'expected a whole picture; this one cannot be read');
