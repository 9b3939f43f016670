import { isAdmin, type Viewer } from '#server/auth/viewer.ts';

/** The rights of a caller, in the terms of the directives. */
export interface Grants {
  /** For `@authenticated`. */
  readonly authenticated: boolean;
  /** For `@requiresScopes`: the caller's role, e.g. `GYM_ADMIN`, or `SERVICE`; the scopes of a machine client. */
  readonly scopes: ReadonlySet<string>;
  /** For `@policy`: `admin` (gym or super admin), `gym-member` (belongs to a gym). */
  readonly policies: ReadonlySet<string>;
}

const NOBODY: Grants = { authenticated: false, scopes: new Set(), policies: new Set() };
const SERVICE: Grants = { authenticated: true, scopes: new Set(['SERVICE']), policies: new Set() };

/**
 * The grants of a caller, by the verified token alone. The rules of the subgraph decide rights that depend on the requested
 * object.
 */
export function grantsOf(viewer: Viewer): Grants {
  if (viewer.kind === 'anonymous') return NOBODY;
  if (viewer.kind === 'service') return SERVICE;
  if (viewer.kind === 'client') return { authenticated: true, scopes: viewer.scopes, policies: new Set() };
  const policies = new Set<string>();
  if (isAdmin(viewer)) policies.add('admin');
  if (viewer.gymId !== null) policies.add('gym-member');
  return { authenticated: true, scopes: new Set([viewer.role]), policies };
}
