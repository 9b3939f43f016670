import { Role, type Viewer } from '#server/auth/viewer.ts';

/** Results are shared within a scope: all its viewers have the same rights. It does not contain the token, which changes. */
export const viewerScope = (viewer: Viewer): string =>
  viewer.kind === 'user'
    ? `user ${viewer.userId} ${viewer.role} ${viewer.gymId ?? ''}`
    : viewer.kind === 'service'
      ? `service ${viewer.service}`
      : 'anonymous';

/**
 * The scope of fields that are the same for one role and gym (`@sameForGym`). Undefined for viewers that have no audience:
 * members without a gym, services, and anonymous viewers.
 */
export const audienceScope = (viewer: Viewer): string | undefined =>
  viewer.kind === 'user' && (viewer.gymId !== null || viewer.role === Role.SUPER_ADMIN)
    ? `audience ${viewer.role} ${viewer.gymId ?? ''}`
    : undefined;

/** The properties of a viewer that decide which fields of an operation they may read (gateway/authorization/grants.ts). */
export const rightsOf = (viewer: Viewer): string =>
  viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId === null ? 'without' : 'with'} gym` : viewer.kind;
