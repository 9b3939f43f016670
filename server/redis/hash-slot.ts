const SLOTS = 16_384;
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

/** The part of a key that decides its slot: what is between the first braces, or the whole key. */
export function hashTagOf(key: string): string {
  const from = key.indexOf('{');
  const to = key.indexOf('}', from + 1);
  return from < 0 || to <= from + 1 ? key : key.slice(from + 1, to);
}

/** CRC16 (XMODEM) of the hash tag (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/). */
export function hashSlotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTagOf(key)))
    crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  return crc % SLOTS;
}
