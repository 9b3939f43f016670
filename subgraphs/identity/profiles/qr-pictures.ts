import QRCode from 'qrcode';
import sharp from 'sharp';

// Correction level M: the code is readable if 15 percent of it are scratched or reflect light.
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** A QR code as a picture, to be scanned at check-in. */
export const qrSvg = (code: string): Promise<string> => QRCode.toString(code, { type: 'svg', ...OPTIONS });

/** The same as PNG, 512 x 512 pixels. Encoded outside of the event loop, which the package's own PNG writer would block for 70 ms. */
export async function qrPng(code: string): Promise<Buffer> {
  const svg = await QRCode.toString(code, { type: 'svg', width: 512, ...OPTIONS });
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 4 }).toBuffer();
}
