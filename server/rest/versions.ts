import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

/** `"7"` for a resource at version 7: its `ETag` (RFC 9110, section 8.8.3). */
export function versionTag(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('version' in body)) return undefined;
  return Number.isInteger(body.version) ? `"${String(body.version)}"` : undefined;
}

/**
 * As `versionTag`, for an answer that also contains values that change without a new version, such as a count of likes: a
 * checksum follows the version, so that `If-None-Match` never confirms an old answer. `If-Match` compares only the version.
 */
export function versionAndContentTag(body: unknown): string | undefined {
  if (versionTag(body) === undefined) return undefined;
  const checksum = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 12);
  return `"${String((body as { version: number }).version)}.${checksum}"`;
}

/**
 * The version that a write expects: `If-Match`, or `version` in the body; both mean the same. `*`, or neither of them,
 * accepts any version. @throws VALIDATION_FAILED if the two differ or the header is no version
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
 * For a write of a resource without versions: it cannot check that the resource is unchanged, so it refuses to promise it.
 * `*` only requires that the resource exists (RFC 9110, section 13.1.1), which every such write requires anyway.
 * @throws VALIDATION_FAILED
 */
export function refuseExpectedVersion(ifMatch: string | undefined): void {
  if (ifMatch !== undefined && ifMatch.trim() !== '*')
    throw invalid(
      'If-Match',
      'this operation supports no versions, so it cannot depend on one; send it without the header',
    );
}

function headerVersion(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const version = /^(?:W\/)?"(\d{1,9})(?:\.[\w-]{12})?"$/.exec(ifMatch.trim())?.[1];
  if (version === undefined)
    throw invalid(
      'If-Match',
      `expected an ETag from an answer of this service, such as "3", got ${ifMatch.slice(0, 60)}`,
    );
  return Number(version);
}
