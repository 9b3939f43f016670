import { createHash } from 'node:crypto';
import { invalid } from '../errors.ts';

/** The `ETag` of a resource with a version (RFC 9110, section 8.8.3): `"7"` for version 7. */
export function versionTag(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('version' in body)) return undefined;
  return Number.isInteger(body.version) ? `"${String(body.version)}"` : undefined;
}

/**
 * As `versionTag`, for an answer that also contains values that change without a new version, such as a count of likes. The
 * tag also has a checksum of the answer, so that `If-None-Match` never confirms an old answer; `If-Match` compares only the
 * version.
 */
export function versionAndContentTag(body: unknown): string | undefined {
  if (versionTag(body) === undefined) return undefined;
  return listTag((body as { version: number }).version, body);
}

/** As `versionAndContentTag`, for a list with a version of its own. */
export function listTag(version: number, content: unknown): string {
  const checksum = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 12);
  return `"${version}.${checksum}"`;
}

/**
 * The version that a write expects, from `If-Match` or from `version` in the body. If there is neither, or the header is `*`,
 * the write accepts any version. @throws VALIDATION_FAILED if the two differ or the header contains no version
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
      `If-Match has version ${inHeader}, the body has ${inBody}; send only one of them, or the same version in both`,
    );
  return inHeader ?? inBody;
}

/**
 * Refuses an `If-Match` for a resource without versions, because the write cannot check that the resource is unchanged. `*`
 * is accepted: it only requires that the resource exists (RFC 9110, section 13.1.1), which every write requires anyway.
 * @throws VALIDATION_FAILED
 */
export function refuseExpectedVersion(ifMatch: string | undefined): void {
  if (ifMatch !== undefined && ifMatch.trim() !== '*')
    throw invalid('If-Match', 'this operation does not support versions; send it without the header');
}

/** A list of entity tags (RFC 9110, sections 5.6.1 and 8.8.3). */
const TAG_LIST = /^(?:W\/)?"[^"]*"(?:[ \t]*,[ \t]*(?:W\/)?"[^"]*")*$/;
const VERSION_TAG = /^(?:W\/)?"(\d{1,9})(?:\.[\w-]{12})?"$/;

/**
 * The version in the header. If the header is a list, one of its members has to match (RFC 9110, section 13.1.1), so the highest
 * version is returned: versions only increase, so a lower one cannot be current if the client has seen a higher one.
 */
function headerVersion(ifMatch: string | undefined): number | undefined {
  const header = ifMatch?.trim();
  if (header === undefined || header === '*') return undefined;
  const tags = TAG_LIST.test(header) ? (header.match(/(?:W\/)?"[^"]*"/g) ?? []) : [];
  const versions = tags.flatMap((tag) => VERSION_TAG.exec(tag)?.[1] ?? []).map(Number);
  if (versions.length === 0)
    throw invalid(
      'If-Match',
      `expected an ETag from an answer of this service, such as "3", got ${header.slice(0, 60)}`,
    );
  return Math.max(...versions);
}
