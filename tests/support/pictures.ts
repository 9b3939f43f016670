import { deflateSync, crc32 } from 'node:zlib';
import sharp from 'sharp';

/** Pictures for tests, normal and hostile ones. */
export const pictures = {
  /** A picture of noise, which does not compress well, with a location and a camera in its metadata. */
  normal: (format: 'jpeg' | 'png' | 'webp' | 'avif', width = 64, height = 48): Promise<Buffer> =>
    sharp({
      create: {
        width,
        height,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .withExif({
        IFD0: { Make: 'SecretCamera', Copyright: 'somebody' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
      })
      .toFormat(format, format === 'avif' ? { effort: 0 } : {})
      .toBuffer(),

  /** A PNG in one colour: the file of a large one has less than 200 kB, its pixels have gigabytes. */
  bomb(width: number, height: number): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([1, 0, 0, 0, 0], 8); // one bit per pixel, grey
    const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 });
    return Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  },

  svgWithScript: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
  ),
};

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
