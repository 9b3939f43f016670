import sharp from 'sharp';
import { serveJobs } from '../workers/serve-jobs.ts';

export interface PictureJob {
  readonly bytes: Uint8Array;
  readonly maxSide: number;
  readonly fit: 'cover' | 'inside';
  readonly maxPixels: number;
}

export type PictureResult =
  | { readonly is: 'encoded'; readonly bytes: Uint8Array; readonly width: number; readonly height: number }
  /** Width and height are absent if sharp refuses the picture without returning them. */
  | { readonly is: 'too large'; readonly width?: number; readonly height?: number }
  | { readonly is: 'broken' };

sharp.cache(false); // a cached picture of one user is of no use to another
sharp.concurrency(1); // each picture has a process of its own

serveJobs(async ({ bytes, maxSide, fit, maxPixels }: PictureJob): Promise<PictureResult> => {
  try {
    const input = sharp(bytes, {
      limitInputPixels: maxPixels,
      failOn: 'error',
      sequentialRead: true,
      pages: 1,
    });
    const { width, height } = await input.metadata();
    if (width * height > maxPixels) return { is: 'too large', width, height };
    const { data, info } = await input
      .autoOrient()
      .resize({ width: maxSide, height: maxSide, fit, withoutEnlargement: fit === 'inside' })
      .toColourspace('srgb')
      .webp({ quality: 82 })
      .timeout({ seconds: 20 })
      .toBuffer({ resolveWithObject: true });
    return { is: 'encoded', bytes: data, width: info.width, height: info.height };
  } catch (error) {
    const isTooLarge = error instanceof Error && /pixel limit/i.test(error.message);
    return { is: isTooLarge ? 'too large' : 'broken' };
  }
});
