import { callerKey, Role, type Viewer } from '#server/auth/viewer.ts';

/**
 * The scope of one viewer. Results are shared within a scope, because all its viewers have the same rights. It does not
 * contain the token, which changes.
 */
export const viewerScope = (viewer: Viewer): string =>
  viewer.kind === 'anonymous' ? 'anonymous' : `${callerKey(viewer)} ${rightsOf(viewer)} ${gymIdOf(viewer)}`;

/**
 * The scope of fields that are the same for one role and gym (`@sameForGym`). Undefined for viewers that have no audience:
 * users without a gym, except SUPER_ADMINs; machine clients, services and anonymous viewers.
 */
export const audienceScope = (viewer: Viewer): string | undefined =>
  viewer.kind === 'user' && (viewer.gymId !== null || viewer.role === Role.SUPER_ADMIN)
    ? `audience ${viewer.role} ${viewer.gymId ?? ''}`
    : undefined;

/** The properties of a viewer that decide which fields of an operation they may read (gateway/authorization/grants.ts). */
export function rightsOf(viewer: Viewer): string {
  if (viewer.kind === 'user') return `${viewer.role} ${viewer.gymId === null ? 'without' : 'with'} gym`;
  return viewer.kind === 'client' ? `client ${[...viewer.scopes].toSorted().join(' ')}` : viewer.kind;
}

const gymIdOf = (viewer: Viewer): string => ('gymId' in viewer ? (viewer.gymId ?? '') : '');
