import { describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { reencoded } from '#server/files/images.ts';
import { pictures } from '../support/pictures.ts';
import { withinOnThisMachine } from '../support/slow-machine.ts';

const options = { field: 'picture', maxSide: 512 };
const refusal = (bytes: Buffer): Promise<string> =>
  reencoded(bytes, options).then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  );

describe('an uploaded picture', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'is accepted as %s and stored as WebP without metadata',
    async (format) => {
      const picture = await reencoded(await pictures.normal(format, 900, 600), options);
      const metadata = await sharp(picture.bytes).metadata();
      expect({ format: metadata.format, width: metadata.width, height: metadata.height }).toEqual({
        format: 'webp',
        width: 512,
        height: 341,
      });
      expect(metadata).not.toHaveProperty('exif');
      expect(metadata).not.toHaveProperty('xmp');
      expect(picture.bytes.includes('SecretCamera')).toBe(false);
    },
  );

  it('is not enlarged, and is cropped to a square if requested', async () => {
    const small = await pictures.normal('png', 40, 30);
    expect(await reencoded(small, options)).toMatchObject({ width: 40, height: 30 });
    expect(await reencoded(small, { ...options, maxSide: 64, fit: 'cover' })).toMatchObject({
      width: 64,
      height: 64,
    });
  });

  it('is turned upright, whatever the orientation of the camera', async () => {
    const rotated = await sharp(await pictures.normal('jpeg', 60, 40))
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(await reencoded(rotated, options)).toMatchObject({ width: 40, height: 60 });
  });

  it('may be followed by a second picture, as phones append one, or by zero bytes', async () => {
    const jpeg = await pictures.normal('jpeg');
    expect(await refusal(Buffer.concat([jpeg, jpeg]))).toBe('accepted');
    expect(
      await refusal(
        Buffer.concat([await sharp(jpeg).jpeg({ progressive: true }).toBuffer(), Buffer.alloc(16)]),
      ),
    ).toBe('accepted');
  });

  it.each([
    ['an SVG with a script', async () => pictures.svgWithScript, 'UNSUPPORTED_MEDIA_TYPE'],
    ['text', async () => Buffer.from('hello, I am a picture'), 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a GIF that is a script',
      async () => Buffer.from('GIF89a/*....*/=1;alert(1)'),
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['nothing at all', async () => Buffer.alloc(0), 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a JPEG with a page after it',
      async () =>
        Buffer.concat([await pictures.normal('jpeg'), Buffer.from('<html><script>alert(1)</script>')]),
      'VALIDATION_FAILED',
    ],
    [
      'a JPEG with any text after it',
      async () => Buffer.concat([await pictures.normal('jpeg'), Buffer.from('MZ and so on')]),
      'VALIDATION_FAILED',
    ],
    [
      'a PNG with an archive after it',
      async () => Buffer.concat([await pictures.normal('png'), Buffer.from('PK\x03\x04 and so on')]),
      'VALIDATION_FAILED',
    ],
    [
      'a WebP with other bytes after it',
      async () => Buffer.concat([await pictures.normal('webp'), Buffer.from('more')]),
      'VALIDATION_FAILED',
    ],
    [
      'an AVIF with other bytes after it',
      async () => Buffer.concat([await pictures.normal('avif'), Buffer.from('%more and more')]),
      'VALIDATION_FAILED',
    ],
    [
      'a JPEG whose comment is PHP',
      async () => withComment(await pictures.normal('jpeg'), '<?php system($_GET[0]); ?>'),
      'VALIDATION_FAILED',
    ],
    [
      'a JPEG whose comment is a PDF',
      async () => withComment(await pictures.normal('jpeg'), '%PDF-1.7'),
      'VALIDATION_FAILED',
    ],
    ['half a JPEG', async () => half(await pictures.normal('jpeg', 300, 300)), 'VALIDATION_FAILED'],
    ['half a PNG', async () => half(await pictures.normal('png', 300, 300)), 'VALIDATION_FAILED'],
    [
      'the start of a JPEG and noise',
      async () => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(500, 7)]),
      'VALIDATION_FAILED',
    ],
    [
      'the start of an AVIF',
      async () => Buffer.from('\0\0\0\x20ftypavif\0\0\0\0avifmif1', 'latin1'),
      'VALIDATION_FAILED',
    ],
    ['a PNG of 30,000 x 30,000 pixels', async () => pictures.bomb(30_000, 30_000), 'PAYLOAD_TOO_LARGE'],
  ])('is refused if it is %s', async (_what, make, code) => {
    expect(await refusal(await make())).toBe(code);
  });

  it('is refused for the size in its header, before a pixel is decoded', async () => {
    const bomb = pictures.bomb(30_000, 30_000);
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().rss;
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => refusal(bomb)));
    expect(performance.now() - startedAt).toBeLessThan(withinOnThisMachine(2_000));
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);

function withComment(jpeg: Buffer, text: string): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, text.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(text, 'latin1'), jpeg.subarray(2)]);
}
