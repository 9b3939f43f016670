import { Role, type Viewer } from '#server/auth/viewer.ts';

/** Whose eyes it is seen with: results are shared only where every right is the same. Not by the token, which is renewed. */
export const viewerScope = (viewer: Viewer): string =>
  viewer.kind === 'user'
    ? `user ${viewer.userId} ${viewer.role} ${viewer.gymId ?? ''}`
    : viewer.kind === 'service'
      ? `service ${viewer.service}`
      : 'anonymous';

/**
 * With whom a viewer shares what is the same for one role and gym (`@sameForGym`); undefined where she is alone:
 * members without a gym have nothing in common, services and strangers are not of any.
 */
export const audienceScope = (viewer: Viewer): string | undefined =>
  viewer.kind === 'user' && (viewer.gymId !== null || viewer.role === Role.SUPER_ADMIN)
    ? `audience ${viewer.role} ${viewer.gymId ?? ''}`
    : undefined;

/** All of a viewer that decides what of an operation she gets (gateway/authorization/grants.ts). */
export const rightsOf = (viewer: Viewer): string =>
  viewer.kind === 'user' ? `${viewer.role} ${viewer.gymId === null ? 'without' : 'with'} gym` : viewer.kind;
