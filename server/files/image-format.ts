/** The supported picture formats. */
type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif';

/**
 * Detects the format by the first bytes, never by the name or the Content-Type. Returns undefined for any other format. The
 * package file-type would take an AVIF with the brand `mif1` for HEIC.
 */
export function imageFormatOf(bytes: Buffer): ImageFormat | undefined {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (text(0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp';
  if (text(4, 8) === 'ftyp' && /^(avif|avis|mif1|miaf)/.test(text(8, 12))) return 'avif';
  return undefined;
}

/**
 * Whether another program could read the picture as something else: a page, a script, an archive or a document.
 * Re-encoding would make the file harmless, but such a file is a sign of an attack.
 */
export function isPolyglot(bytes: Buffer, format: ImageFormat): boolean {
  // A picture without an end is broken, and the decoder reports that.
  const tail = bytes.subarray(END_OF[format](bytes) ?? bytes.length);
  return (
    !isHarmlessTail(tail, format) ||
    /<(?:script|html|!doctype)[\s>]|<\?php/i.test(bytes.toString('latin1')) ||
    bytes.subarray(0, 1024).includes('%PDF-') ||
    isZip(bytes)
  );
}

/** Phones append a second picture (MPF, gain map) or a clip (motion photo) to a JPEG; some programs append zeros. */
function isHarmlessTail(tail: Buffer, format: ImageFormat): boolean {
  if (tail.every((byte) => byte === 0)) return true;
  if (format !== 'jpeg') return false;
  return imageFormatOf(tail) === 'jpeg' || tail.toString('latin1', 4, 8) === 'ftyp';
}

/** A ZIP (also JAR and Office files) ends with its end record and a comment that reaches to the end of the file. */
function isZip(bytes: Buffer): boolean {
  const at = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  return at >= 0 && at + 22 <= bytes.length && at + 22 + bytes.readUInt16LE(at + 20) === bytes.length;
}

/**
 * The offset of the picture's end; undefined if its structure is broken. For AVIF it is the offset of the first broken box
 * instead, so that the rest counts as appended data.
 */
const END_OF: Record<ImageFormat, (bytes: Buffer) => number | undefined> = {
  jpeg(bytes) {
    for (let at = 2; at + 4 <= bytes.length;) {
      if (bytes[at] !== 0xff) return undefined;
      const marker = bytes[at + 1] as number;
      if (marker === 0xff) at += 1; // fill byte
      else if (marker === 0xd9) return at + 2;
      else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
      else {
        at += 2 + bytes.readUInt16BE(at + 2);
        if (marker === 0xda) at = endOfScan(bytes, at);
      }
    }
    return undefined;
  },
  png(bytes) {
    for (let at = 8; at + 12 <= bytes.length;) {
      const isLast = bytes.toString('latin1', at + 4, at + 8) === 'IEND';
      at += 12 + bytes.readUInt32BE(at);
      if (isLast) return at;
    }
    return undefined;
  },
  webp: (bytes) => {
    const end = 8 + bytes.readUInt32LE(4);
    return end <= bytes.length ? end : undefined;
  },
  avif(bytes) {
    let at = 0;
    while (at + 8 <= bytes.length && /^[\w ]{4}$/.test(bytes.toString('latin1', at + 4, at + 8))) {
      const size = bytes.readUInt32BE(at);
      const length = size === 1 && at + 16 <= bytes.length ? Number(bytes.readBigUInt64BE(at + 8)) : size;
      if (size === 0) return bytes.length; // the box reaches to the end of the file
      if (length < 8 || at + length > bytes.length) break;
      at += length;
    }
    return at;
  },
};

/** The offset after the entropy-coded data: the next marker that is neither a stuffed byte nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0 && at + 1 < bytes.length) {
    const next = bytes[at + 1] as number;
    if (next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
    at = bytes.indexOf(0xff, next === 0xff ? at + 1 : at + 2);
  }
  return bytes.length;
}
