import { isAdmin, type Viewer } from '#server/auth/viewer.ts';

/** What a caller may, in the words of the directives. */
export interface Grants {
  /** For `@authenticated`. */
  readonly authenticated: boolean;
  /** For `@requiresScopes`: the caller's role, e.g. `GYM_ADMIN`, or `SERVICE`. */
  readonly scopes: ReadonlySet<string>;
  /** For `@policy`: `admin` (gym or super admin), `gym-member` (belongs to a gym). */
  readonly policies: ReadonlySet<string>;
}

const NOBODY: Grants = { authenticated: false, scopes: new Set(), policies: new Set() };
const SERVICE: Grants = { authenticated: true, scopes: new Set(['SERVICE']), policies: new Set() };

/** Follows from the verified token alone; what depends on the thing asked for is decided by the subgraph's rules. */
export function grantsOf(viewer: Viewer): Grants {
  if (viewer.kind === 'anonymous') return NOBODY;
  if (viewer.kind === 'service') return SERVICE;
  const policies = new Set<string>();
  if (isAdmin(viewer)) policies.add('admin');
  if (viewer.gymId !== null) policies.add('gym-member');
  return { authenticated: true, scopes: new Set([viewer.role]), policies };
}
