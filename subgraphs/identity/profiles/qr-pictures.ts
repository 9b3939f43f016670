import QRCode from 'qrcode';
import sharp from 'sharp';

// With correction level M, the code is readable if 15 percent of it is scratched or reflects light.
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** A code as an SVG picture of a QR code, to be scanned at check-in. */
export const qrSvg = (code: string): Promise<string> => QRCode.toString(code, { type: 'svg', ...OPTIONS });

/**
 * A code as a PNG picture of a QR code, 512 x 512 pixels. sharp encodes it outside of the event loop, which the PNG writer of qrcode
 * would block for 70 ms.
 */
export async function qrPng(code: string): Promise<Buffer> {
  const svg = await QRCode.toString(code, { type: 'svg', width: 512, ...OPTIONS });
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 4 }).toBuffer();
}
