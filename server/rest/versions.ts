import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

/** `"7"` for a resource at version 7: what `ETag` says of it (RFC 9110, section 8.8.3). */
export function versionTag(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('version' in body)) return undefined;
  return Number.isInteger(body.version) ? `"${String(body.version)}"` : undefined;
}

/**
 * As `versionTag`, of an answer that also holds what changes without a new version, such as a count of likes: a checksum
 * follows the version, so that an old answer is never confirmed by `If-None-Match`. `If-Match` compares the version alone.
 */
export function versionAndContentTag(body: unknown): string | undefined {
  if (versionTag(body) === undefined) return undefined;
  const checksum = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 12);
  return `"${String((body as { version: number }).version)}.${checksum}"`;
}

/**
 * The version that a write expects: `If-Match`, or `version` in the body; the two mean the same.
 * `*` and neither mean: whatever is there. @throws VALIDATION_FAILED where the two differ or the header is no version.
 */
export function expectedVersionOf(ifMatch: string | undefined, body: unknown): number | undefined {
  const inBody =
    typeof body === 'object' && body !== null && 'version' in body && typeof body.version === 'number'
      ? body.version
      : undefined;
  const inHeader = headerVersion(ifMatch);
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
    throw invalid(
      'version',
      `If-Match says version ${inHeader}, the body says ${inBody}; send one of them, or the same`,
    );
  return inHeader ?? inBody;
}

/**
 * For a write of what has no versions: it cannot keep a promise that nothing changed meanwhile, so it makes none. `*` asks
 * only that the thing exists (RFC 9110, section 13.1.1), which every write of one does.
 * @throws VALIDATION_FAILED
 */
export function refuseExpectedVersion(ifMatch: string | undefined): void {
  if (ifMatch !== undefined && ifMatch.trim() !== '*')
    throw invalid(
      'If-Match',
      'this operation knows no versions, so it cannot be made to depend on one; send it without the header',
    );
}

function headerVersion(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = /^(?:W\/)?"(\d{1,9})(?:\.[\w-]{12})?"$/.exec(ifMatch.trim())?.[1];
  if (version === undefined)
    throw invalid(
      'If-Match',
      `expected an ETag that this service gave, such as "3", got ${ifMatch.slice(0, 60)}`,
    );
  return Number(version);
}
