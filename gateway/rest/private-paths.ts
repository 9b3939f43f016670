import path from 'node:path';

/**
 * Paths of a service that the gateway does not forward: its GraphQL endpoint, because the gateway's limits and registered
 * operations would not apply there, and its metrics.
 */
const PRIVATE = new Set(['graphql', 'metrics']);

/**
 * Matches a path without percent-encoding, dots, backslashes and empty segments; most requests have such a path. The first
 * group is its first segment.
 */
const PLAIN = /^\/([\w-]+)(?:\/[\w-]+)*\/?(?:\?|$)/;

/** A path with more layers of percent-encoding counts as private, because no client has a reason to send one. */
const MAX_DECODINGS = 5;

/**
 * Whether a request below a service's prefix has one of the private paths, in any spelling that the service could accept:
 * upper case, percent-encoding (also repeated), empty and dot segments, backslashes, path parameters.
 * @param url the request target without the prefix, such as `/graphql?x=1`
 */
export function isPrivatePath(url: string): boolean {
  const plain = PLAIN.exec(url);
  if (plain) return PRIVATE.has((plain[1] ?? '').toLowerCase());
  let decoded = pathOf(url);
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    const slashed = decoded.replaceAll('\\', '/');
    // Some servers resolve dot segments before routing, some do not.
    if (isPrivate(slashed) || isPrivate(path.posix.normalize(slashed))) return true;
    const next = decodedOnce(decoded);
    if (next === decoded) return false;
    decoded = next;
  }
  return true;
}

function isPrivate(slashed: string): boolean {
  const first = slashed.split('/').find((segment) => !EMPTY.has(segment)) ?? '';
  return PRIVATE.has((first.split(';', 1)[0] ?? '').trim().toLowerCase());
}

const EMPTY = new Set(['', '.', '..']);

/** The path of a request target, also in absolute form (`http://host/path`, RFC 9112, 3.2.2). */
function pathOf(url: string): string {
  const originLength = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0;
  return url.slice(originLength).split(/[?#]/, 1)[0] ?? '';
}

function decodedOnce(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_whole, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
