/** What JSON writes otherwise than it is; lone surrogates are among it. */
const NEEDS_ESCAPING = /["\\\u0000-\u001f\ud800-\udfff]/; // oxlint-disable-line no-control-regex -- JSON escapes them

/** Above this the scan costs more than what it spares. */
const SCANNED_CHARACTERS = 256;

/** A string as JSON. Most hold nothing to escape, and for them this is several times faster than JSON.stringify. */
export const quoted = (text: string): string =>
  text.length <= SCANNED_CHARACTERS && !NEEDS_ESCAPING.test(text) ? `"${text}"` : JSON.stringify(text);

/** A value that came from JSON, as JSON. */
export function jsonOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number': // JSON holds no infinities
    case 'boolean':
      return String(value);
    default:
      return JSON.stringify(value);
  }
}
