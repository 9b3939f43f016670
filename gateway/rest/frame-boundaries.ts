/** The maximum number of bytes before the payload of a frame that a server sends, which has no mask (RFC 6455, 5.2). */
const MAX_HEADER_BYTES = 10;

/** Reads the bytes of a server's WebSocket frames as they arrive, and knows whether the last frame is complete. */
export class FrameBoundaries {
  private payloadLeft = 0;
  private readonly header = Buffer.alloc(MAX_HEADER_BYTES);
  private headerBytes = 0;

  get isBetweenFrames(): boolean {
    return this.payloadLeft === 0 && this.headerBytes === 0;
  }

  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.payloadLeft > 0) {
        const bytes = Math.min(this.payloadLeft, chunk.length - at);
        this.payloadLeft -= bytes;
        at += bytes;
        continue;
      }
      this.header[this.headerBytes] = chunk[at] as number;
      this.headerBytes += 1;
      at += 1;
      const payload = this.payloadBytes();
      if (payload === undefined) continue;
      this.payloadLeft = payload;
      this.headerBytes = 0;
    }
  }

  /** Undefined until the header is complete. */
  private payloadBytes(): number | undefined {
    const { header, headerBytes } = this;
    if (headerBytes < 2) return undefined;
    const length = (header[1] as number) & 0x7f;
    if (length < 126) return length;
    if (length === 126) return headerBytes === 4 ? header.readUInt16BE(2) : undefined;
    return headerBytes === 10 ? Number(header.readBigUInt64BE(2)) : undefined;
  }
}
