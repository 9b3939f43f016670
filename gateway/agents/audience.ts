import { isAdmin, type Viewer } from '#server/auth/viewer.ts';

/** Whether a tool is useful to a caller. */
export type Audience = (viewer: Viewer) => boolean;

const AUDIENCES: ReadonlyMap<string, Audience> = new Map<string, Audience>([
  ['anybody', () => true],
  ['user', ({ kind }) => kind === 'user'],
  // a SUPER_ADMIN belongs to no gym, and may name every gym
  ['member', (viewer) => viewer.kind === 'user' && (viewer.gymId !== null || viewer.role === 'SUPER_ADMIN')],
  ['staff', (viewer) => viewer.kind === 'user' && isAdmin(viewer)],
  ['super-admin', (viewer) => viewer.kind === 'user' && viewer.role === 'SUPER_ADMIN'],
]);

/**
 * The callers to whom at least one of the names applies: `anybody`, `user` (every user), `member` (who belongs to a gym),
 * `staff`, `super-admin`, or `client:<scope>` (machine clients with that scope). An audience decides only which tools are
 * listed, so that an agent does not try what its caller may not do; the rules of the services decide the rights of a call.
 * @throws Error for another name, or for none
 */
export function audienceOf(names: readonly string[]): Audience {
  if (names.length === 0) throw new Error('expected an "Audience:"');
  const audiences = names.map((name): Audience => {
    const scope = /^client:([a-z:-]+)$/.exec(name)?.[1];
    if (scope !== undefined)
      return (viewer) => viewer.kind === 'client' && [...viewer.scopes].some((held) => held === scope);
    const audience = AUDIENCES.get(name);
    if (!audience)
      throw new Error(
        `expected an audience of ${[...AUDIENCES.keys()].join(', ')} or client:<scope>, got "${name}"`,
      );
    return audience;
  });
  return (viewer) => audiences.some((isIn) => isIn(viewer));
}
