import QRCode from 'qrcode';

/** A QR code as a picture, to be shown at the door. Correction level M: 15 percent may be scratched or glare. */
export const qrSvg = (code: string): Promise<string> =>
  QRCode.toString(code, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 });
export const qrPng = (code: string): Promise<Buffer> =>
  QRCode.toBuffer(code, { type: 'png', errorCorrectionLevel: 'M', margin: 4, width: 512 });
